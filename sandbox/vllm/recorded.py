"""What a real vLLM 0.32.0 (CPU build, a tiny Gemma 4 named tiny-gemma4, window 2,048) answered, byte for byte."""

from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
RECORDED_MODEL = "tiny-gemma4"
RECORDED_WINDOW = 2048


@cache
def recorded(name: str) -> str:
    """The text of one recorded body, such as `models.json`."""
    return (DATA / name).read_text(encoding="utf-8")


def replayed(name: str, *replacements: tuple[str, str]) -> bytes:
    """A recorded body in which each of these texts is replaced. Each must be there: a silent miss would be a made-up answer."""
    text = recorded(name)
    for old, new in replacements:
        if old not in text:
            raise ValueError(f"{name} does not hold {old!r}")
        text = text.replace(old, new)
    return text.encode()
