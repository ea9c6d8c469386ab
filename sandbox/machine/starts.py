"""How starts go: lines of a real start (vLLM 0.26, E2B on v6e-1, August 2026) and of real failures, each with its second."""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any


class Ending(StrEnum):
    """What becomes of a start."""

    READY = "ready"
    HBM = "hbm"
    HF_403 = "hf_403"
    DISK_FULL = "disk_full"
    KILLED = "killed"


@dataclass(frozen=True)
class Facts:
    """What the log tells of this machine and engine. `cache_tokens` is what the stand-in claims its cache holds."""

    machine: str
    model: str
    piece: str
    chips: int
    context: int
    cache_tokens: int


@dataclass(frozen=True)
class Script:
    """One start: lines as (seconds since it began, text with <time>), how long it takes, its exit code (None: it lives)."""

    lines: tuple[tuple[float, str], ...]
    seconds: float
    exit_code: int | None


def script(ending: Ending, facts: Facts, pace: float = 1.0) -> Script:
    """One start; `pace` 0.01 makes it a hundred times as quick."""
    told = _recorded()
    rows, code = [tuple(row) for row in told["ready"]], None
    if ending is not Ending.READY:
        end = told["endings"][ending.value]
        after, code = end["after_s"], end["exit_code"]
        rows = [row for row in rows if row[0] <= after] + [(after + at, text) for at, text in end["lines"]]
    lines = tuple((at * pace, _filled(text, facts)) for at, text in rows)
    return Script(lines, lines[-1][0], code)


@cache
def _recorded() -> Any:
    return json.loads(resources.files("sandbox.machine").joinpath("data/starts.json").read_text(encoding="utf-8"))


def _filled(text: str, facts: Facts) -> str:
    values = {
        "<machine>": facts.machine,
        "<model>": facts.model,
        "<slice>": facts.piece,
        "<chips>": str(facts.chips),
        "<context>": str(facts.context),
        "<context,>": f"{facts.context:,}",
        "<cache>": f"{facts.cache_tokens:,}",
        "<users>": f"{facts.cache_tokens / facts.context:.2f}",
    }
    for place, value in values.items():
        text = text.replace(place, value)
    return text


def stream_of(text: str) -> str:
    """vLLM logs to standard output; progress bars and what Python prints while dying go to the other."""
    return (
        "stderr" if "Loading safetensors" in text or "Traceback" in text or text.endswith("Failed core proc(s): {}") else "stdout"
    )
