"""Values whose form says what they are, so that nobody types a key for them; and how each kind is read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from bot.nouns import ProvisioningModel

_UNITS = {"K": 1024, "M": 1024 * 1024}
_SPANS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Form:
    """A kind of value that is known by its form. `example` is shown in usage; `read` turns the match into the stored text."""

    name: str
    pattern: re.Pattern[str]
    example: str
    read: Callable[[str], str] = str

    def matches(self, word: str) -> bool:
        """Whether the whole word has this form."""
        return self.pattern.fullmatch(word) is not None


def _context(word: str) -> str:
    """`32K` is 32,768 tokens, as context windows are counted."""
    unit = word[-1].upper()
    return str(int(word[:-1]) * _UNITS[unit]) if unit in _UNITS else word


def _span(word: str) -> str:
    """A duration in seconds: `4h`, `30m`, `2d`."""
    found = re.fullmatch(r"(\d+)\s*([a-z]+)", word.lower())
    if not found or found[2] not in _SPANS:
        raise ValueError(f"not a duration: {word}")
    return str(int(found[1]) * _SPANS[found[2]])


def _clock(word: str) -> str:
    """A time of day as minutes after midnight."""
    hours, minutes = (int(part) for part in word.split(":"))
    if hours > 23 or minutes > 59:
        raise ValueError(f"not a time of day: {word}")
    return str(hours * 60 + minutes)


_BACK = {"hour": "1h", "yesterday": "1d", "day": "1d", "week": "7d"}


def _back(word: str) -> str:
    """How much earlier, in seconds: `yesterday`, `hour`, `week`, or a duration."""
    return _span(_BACK.get(word.lower(), word))


def _hourly(word: str) -> str:
    """Dollars an hour: `$22/h`, `$5.40`."""
    return word.lower().removeprefix("$").removesuffix("/h")


def _bought(word: str) -> str:
    """A way of buying capacity by Google's own word."""
    low = word.lower()
    return {"flex": "flex-start", "ondemand": "on-demand"}.get(low, low)


SLICE = Form("slice", re.compile(r"(v\d+[a-z]*(?:litepod)?|tpu7x)-\d{1,4}", re.I), "v6e-4", str.lower)
GENERATION = Form("generation", re.compile(r"(?:v\d+[a-z]*|tpu7x|trillium|ironwood)(?:-\d{1,4})?", re.I), "v6e", str.lower)
MODEL = Form("model", re.compile(r"(?:google/)?(?:gemma-?4-?)?(E2B|E4B|12B|26B(?:-A4B)?|31B)(?:-it)?", re.I), "31B")
ZONE = Form("zone", re.compile(r"[a-z]+-[a-z]+\d+-[a-z]+\d*", re.I), "us-east5-a", str.lower)
CONTEXT = Form("context", re.compile(r"\d{1,4}[KkM]|\d{3,7}"), "32K", _context)
CACHE = Form("cache", re.compile(r"fp8|bf16", re.I), "fp8", str.lower)
SPAN = Form("since", re.compile(r"\d{1,4}\s*(?:s|m|min|h|d)", re.I), "4h", _span)
CLOCK = Form("time of day", re.compile(r"\d{1,2}:\d{2}"), "02:40", _clock)
BACK = Form("time to compare with", re.compile(r"hour|yesterday|day|week|\d{1,4}(?:m|min|h|d)", re.I), "yesterday", _back)
BOUGHT = Form("way of buying", re.compile(r"flex(?:-start)?|spot|on-?demand", re.I), "flex", _bought)
HOURLY = Form("price per hour", re.compile(r"\$\d{1,5}(?:\.\d{1,2})?(?:/h)?|\d{1,5}(?:\.\d{1,2})?/h", re.I), "$22/h", _hourly)
LOG = Form("log", re.compile(r"engine|system|cloud", re.I), "engine", str.lower)
COUNT = Form("number", re.compile(r"\d{1,3}"), "12")
TABLE = Form("table", re.compile(r"\S{1,255}\.csv", re.I), "FILE.csv")
NAME = Form("name", re.compile(r"[a-z][a-z0-9-]{0,62}", re.I), "prod", str.lower)
REST = Form("text", re.compile(r"\S.*", re.S), "the site is down")
"""Whatever follows its key, to the end of the line. It is never taken without the key."""


class Thing(StrEnum):
    """What a name may be the name of."""

    MACHINE = "machine"
    WORK = "work"
    DEPLOYMENT = "deployment"
    INCIDENT = "incident"


SliceName = Annotated[str, SLICE]
Generation = Annotated[str, GENERATION]
ModelName = Annotated[str, MODEL]
ZoneName = Annotated[str, ZONE]
ContextTokens = Annotated[int, CONTEXT]
CacheType = Annotated[str, CACHE]
Seconds = Annotated[int, SPAN]
ClockTime = Annotated[int, CLOCK]
BackSeconds = Annotated[int, BACK]
Bought = Annotated[ProvisioningModel, BOUGHT]
LogName = Annotated[str, LOG]
HourlyRate = Annotated[float, HOURLY]
Count = Annotated[int, COUNT]
TableName = Annotated[str, TABLE]
GivenName = Annotated[str, NAME]
MachineName = Annotated[str, NAME, Thing.MACHINE]
"""The name of something that is there, as the next three: one that is left out can be chosen from those there are."""
WorkName = Annotated[str, NAME, Thing.WORK]
DeploymentName = Annotated[str, NAME, Thing.DEPLOYMENT]
IncidentName = Annotated[str, NAME, Thing.INCIDENT]
RestOfLine = Annotated[str, REST]
SENTENCE = Form("question", re.compile(r"\S.*", re.S), "why is prod slow?")
"""All that stands behind the word, as it was typed: the operation has no other values."""
Sentence = Annotated[str, SENTENCE]
