"""Dates and times of day as people write them."""

import re
from datetime import datetime

from bot.evidence.reading import Moment

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:sday|nesday|rsday|urday|day)?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "CET": 60, "CEST": 120, "BST": 60, "EET": 120, "EEST": 180, "IST": 330, "SGT": 480,
    "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420,
    "MDT": -360, "PST": -480, "PDT": -420,
}  # fmt: skip
"""Minutes east of UTC of the zone names that people write (IANA time zone database; IST as in India, BST as in Britain)."""
_ZONE = r"(?:\s?\(?(?:(?:UTC|GMT)\s?[+−-]\d{1,2}(?::?\d{2})?|" + "|".join(sorted(ZONES, key=len, reverse=True)) + r")\b\)?)?"
_ZONE_PART = re.compile(
    r"(?:UTC|GMT)\s?(?P<sign>[+−-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?|\b(?P<name>[A-Z]{1,4})\)?$|(?P<z>Z)$"
)
_TIME_OF_DAY = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!\d|:\d)(?:\s?[ap]\.?m\b\.?)?" + _ZONE
_HALF_DAY = r"(?:1[0-2]|0?[1-9])\s?[ap]\.?m\b\.?"
ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}|\sUTC)?)?(?!\d)"
_AT = rf"(?:,?(?:\s(?:at|um))?\s{_TIME_OF_DAY})?"
DATE = (
    rf"(?:{_WEEKDAY},?\s)?[0-3]?\d(?:st|nd|rd|th)?\.?\s{_MONTH}(?:,?\s\d{{4}})?{_AT}"
    rf"|(?:{_WEEKDAY},?\s)?{_MONTH}\s[0-3]?\d(?:st|nd|rd|th)?\b(?![:.]\d)(?:,?\s\d{{4}}\b)?{_AT}"
    rf"|{_MONTH}\s20\d\d\b"
)
CLOCK = rf"(?:{_WEEKDAY},?\s(?:at\s)?)?(?:{_TIME_OF_DAY}|{_HALF_DAY})"
_CLOCK_PARTS = re.compile(r"(?<![\d-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?([ap])\.?m\b|(\d{1,2}):(\d{2})(?::(\d{2}))?", re.I)
_MONTH_WORD = re.compile(_MONTH)
_WEEKDAY_WORD = re.compile(_WEEKDAY)


def read_moment(text: str) -> Moment | None:
    """What a date or time says; None when no such day or time exists."""
    if re.match(r"\d{4}-", text):
        return _iso(text)
    clock = _clock(text)
    month = _MONTH_WORD.search(text)
    weekday = _WEEKDAY_WORD.match(text)
    year = re.search(r"\b(?:19|20)\d{2}\b", text)
    day = (
        re.search(r"(?<![\d:])\d{1,2}(?=(?:st|nd|rd|th)?\b)(?!:)", text.replace(year[0], "") if year else text) if month else None
    )
    if day and not 1 <= int(day[0]) <= 31:
        return None
    return Moment(
        year=int(year[0]) if year and month else None,
        month=_MONTHS.index(month[0][:3].lower()) + 1 if month else None,
        day=int(day[0]) if day else None,
        weekday=_DAYS.index(weekday[0][:3].lower()) if weekday else None,
        hour=clock[0],
        minute=clock[1],
        second=clock[2],
        offset=_offset(text) if clock[0] is not None else None,
    )


def _offset(text: str) -> int | None:
    match = _ZONE_PART.search(text)
    if not match:
        return None
    if match["sign"]:
        minutes = int(match["hours"]) * 60 + int(match["minutes"] or 0)
        return (-minutes if match["sign"] != "+" else minutes) if minutes < 1440 else None
    return 0 if match["z"] else ZONES.get(match["name"])


def _clock(text: str) -> tuple[int | None, int | None, int | None]:
    match = _CLOCK_PARTS.search(text)
    if not match:
        return None, None, None
    if match[4]:
        hour = int(match[1]) % 12 + (12 if match[4].lower() == "p" else 0)
        return hour, int(match[2] or 0), int(match[3]) if match[3] else None
    return int(match[5]), int(match[6]), int(match[7]) if match[7] else None


def _iso(text: str) -> Moment | None:
    try:
        at = datetime.fromisoformat(text.replace(" UTC", "Z"))
    except ValueError:
        return None
    if len(text) <= 10:
        return Moment(year=at.year, month=at.month, day=at.day)
    second = at.second if text.count(":") - text[16:].count("+") >= 2 else None
    return Moment(year=at.year, month=at.month, day=at.day, hour=at.hour, minute=at.minute, second=second, offset=_minutes(at))


def _minutes(at: datetime) -> int | None:
    apart = at.utcoffset()
    return None if apart is None else int(apart.total_seconds() // 60)
