"""What a real vLLM 0.32.0 (CPU build, a tiny Gemma 4 named tiny-gemma4, window 2,048) answered, byte for byte."""

import re
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
    text, by_old = recorded(name), dict(replacements)
    missing = [old for old in by_old if old not in text]
    if missing:
        raise ValueError(f"{name} does not hold {missing}")
    if not by_old:
        return text.encode()
    olds = "|".join(re.escape(old) for old in sorted(by_old, key=len, reverse=True))
    return re.sub(olds, lambda found: by_old[found[0]], text).encode()  # in one pass: what was put in is not replaced again
