"""Finds the figures of a text, in one pass from left to right."""

import re
from dataclasses import replace

from bot.evidence.moments import CLOCK, DATE, ISO, read_moment
from bot.evidence.reading import Amount, Kind, Reading
from bot.evidence.units import MULTIPLES, PLAIN, SECONDS, Unit, singular, unit

NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_TIME = r"(?:days?|d|hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)"
_FIGURE = re.compile(
    rf"""(?P<skip><[@\#!][^>\s]{{1,80}}>)
    |(?P<url>https?://[^\s<>|)\]]+)
    |(?P<moment>\b(?:{ISO}|{DATE}|{CLOCK}))
    |(?P<version>(?<![\w.])[vV]?\d+\.\d+(?:\.\d+){{1,4}}(?:[.+-]?(?:rc|dev|post|alpha|beta|a|b)\.?\d*)?(?::\d+)?(?!\w)
        |(?<![\w.])v\d+\.\d+(?![\w.]*\w))
    |(?P<money>(?<![\w$€£])[-+−]?(?:[$€£]\s?|(?:USD|EUR|GBP)\s)(?P<sum>{NUMBER})(?P<many>\s?(?:[KkMB]|million|billion)\b)?)
    |(?P<span>(?<![\w.,]){NUMBER}[^\S\n]?{_TIME}(?:[^\S\n]?(?:and[^\S\n])?{NUMBER}[^\S\n]?{_TIME}){{1,4}}(?![\w]))
    |(?P<word>[^\W\d]\w*(?:(?:[-./@+]|:(?=[^\W\d]))\w+)*)
    |(?P<number>{NUMBER})""",
    re.VERBOSE,
)
_SPAN_PART = re.compile(rf"({NUMBER})[^\S\n]?({_TIME})")
_ATTACHED = re.compile(r"(?P<scale>[KkMGTB])(?![\w])|(?P<word>[A-Za-zµ%×]+)(?![\w-])|(?P<odd>[\w]*(?:[-.]?\w+)*)")
_GAP = r"[^\S\n]"
_PERCENT = re.compile(rf"{_GAP}?%|{_GAP}(?:percent|per{_GAP}cent|percentage{_GAP}points?)\b")
_RATE = re.compile(
    rf"{_GAP}?(?:[a-z]+{_GAP}){{0,2}}?(?P<top>[A-Za-zµ]+)(?:{_GAP}?/{_GAP}?|{_GAP}(?P<word>per|an?|each){_GAP})(?P<below>[A-Za-z]+)\b"
)
_ONE = re.compile(rf"{_GAP}{{0,2}}(?P<one>[A-Za-zµ]+|[€£$](?!\d)|×(?!{_GAP}?[\w$]))")
_HYPHENED = re.compile(r"-(?P<one>hour|hr|minute|min|second|sec|day|week)s?\b")
_MONEY_RATE = re.compile(
    rf"{_GAP}?(?:/{_GAP}?|per{_GAP}|an?{_GAP})"
    rf"(?P<below>(?:(?:1?[MK]|million|thousand){_GAP})?(?:[a-z]+{_GAP})?[A-Za-z]+)\b"
)
_ONE_OF = re.compile(r"\b(?:machine|cell|zone|attempt|try|slide|row|run|level|request|chart|sign|question)\s$", re.I)
_ONE_IN = re.compile(r"1 in (?:10|20|100)\b")
_PERCENTILE_OF = re.compile(r"(?:50|90|95|99)\s?%\sof\s(?:all\s)?(?:requests|users|answers|tokens)\b", re.I)
_LABEL = re.compile(r"\b(?:step|option|point|item|section|part|phase|rule|priority|top|tier|way|idea)\s$", re.I)
_SKIPPED_AFTER = re.compile(r"\s?%?\s?(?:range|confidence|ci\b|interval)|(?:st|nd|rd|th)\b", re.I)
_HEDGE = re.compile(r"(?:\b(?:about|around|roughly|nearly|almost|approximately|some|circa|near)\s|[~≈]\s?)[$€£]?$", re.I)
_OVER = re.compile(r"\b(?:over|more than|above|at least|beyond|>)\s?[$€£]?$", re.I)
_UNDER = re.compile(r"\b(?:under|less than|fewer than|below|at most|up to|<)\s?[$€£]?$", re.I)
_VERSIONED = re.compile(r"\b(?:vllm|version|versions|release|python|jax|redis|torch|transformers|image|tag)\s?v?$", re.I)
_SCALES: dict[str, tuple[float, ...]] = {"k": (1e3, 2.0**10), "m": (1e6, 2.0**20), "g": (1e9, 2.0**30), "t": (1e12, 2.0**40)}
_ABOUT = 0.08
"""How far from the value a round number behind "about" may be."""
_PRODUCT = re.compile(r"gemma[- ]?4$", re.I)
PERCENTILE = re.compile(r"p\d{2}$", re.I)


def scan(text: str) -> list[Reading]:
    """All figures of a text in their order. List numbers, ordinals and Slack mentions are none. Linear in the text."""
    found: list[Reading] = []
    place = 0
    while match := _FIGURE.search(text, place):
        reading, place = _read(text, match, found)
        if reading:
            found.append(reading)
    return found


def _read(text: str, match: re.Match[str], before: list[Reading]) -> tuple[Reading | None, int]:
    """The figure at a match, if it is one, and where to go on."""
    start, end, kind = match.start(), match.end(), match.lastgroup
    if match["money"]:
        return _money(text, match)
    if match["span"]:
        return _duration(text, match)
    if match["number"]:
        return _number(text, match, before)
    if match["moment"]:
        moment = read_moment(match["moment"])
        return (Reading(Kind.MOMENT, start, end, match.group(), moment=moment) if moment else None), end
    if match["version"]:
        return Reading(Kind.VERSION, start, end, match.group()), end
    word = match["word"] or match["url"]
    named = word is not None and kind != "skip" and any(c.isdigit() for c in word) and not PERCENTILE.match(word)
    return (Reading(Kind.NAME, start, end, match.group()) if named else None), end


def _duration(text: str, match: re.Match[str]) -> tuple[Reading | None, int]:
    """Several time units in falling order are one duration; else only the first of them is read."""
    total, last, end = 0.0, float("inf"), match.start()
    factor = 1.0
    for part in _SPAN_PART.finditer(text, match.start(), match.end()):
        factor = SECONDS[singular(part[2].lower())]
        if factor >= last:
            break
        total, last, end = total + _value(part[1]) * factor, factor, part.end()
    amount = Amount(total, last / 2, "time")
    reading = Reading(Kind.NUMBER, match.start(), end, text[match.start() : end], (amount,), total, last / 2, unit="s")
    return reading, end


def _value(digits: str) -> float:
    return float(digits.replace(",", "")[:300])


def _step(text: str, start: int, digits: str) -> float:
    """Half a unit of the last written place; of the last digit that is not 0 behind "about"."""
    plain = digits.replace(",", "")
    if "." in plain:
        return 0.5 * 10.0 ** -len(plain.partition(".")[2])
    zeros = len(plain) - len(plain.rstrip("0"))
    hedged = zeros and len(plain) > 2 and _HEDGE.search(text, max(0, start - 20), start)
    return max(0.5, min(0.5 * 10.0 ** min(zeros, 300), _ABOUT * float(plain[:300]))) if hedged else 0.5


def _bound(text: str, start: int) -> str:
    if _OVER.search(text, max(0, start - 16), start):
        return "over"
    return "under" if _UNDER.search(text, max(0, start - 16), start) else ""


def _amounts(value: float, step: float, known: Unit, scale: str = "") -> tuple[Amount, ...]:
    """All meanings of a number: K, M, G and T may be decimal or binary; a binary K is exact, for it is used for powers of two."""
    scales = _SCALES.get(scale.lower(), (MULTIPLES.get(scale.lower(), 1.0),))
    if known.dimension.startswith(("USD", "EUR", "GBP", "time")):
        scales = scales[:1]
    if scale in {"K", "k"} and len(scales) > 1:
        return (Amount(value * 1e3, step * 1e3, known.dimension), Amount(value * 1024, 0.0, known.dimension))
    if scale in {"M", "m", "G", "g", "T", "t"} and known.dimension == "" and not known.noun:
        return (Amount(value * scales[0], step * scales[0], ""), *(Amount(value * s, step * s, "bytes") for s in scales))
    found = tuple(Amount(value * s * known.factor, step * s * known.factor, known.dimension) for s in scales)
    return found + tuple(replace(a, dimension="/time") for a in found if a.dimension in {"request/time", "token/time"})


def _money(text: str, match: re.Match[str]) -> tuple[Reading | None, int]:
    """An amount of money, by the hour or per tokens if it says so."""
    value, step = _value(match["sum"]), _step(text, match.start(), match["sum"])
    sign = match["money"].lstrip("-+−")[:3]
    currency = unit("$" if sign[0] == "$" else sign[0] if sign[0] in "€£" else sign) or PLAIN
    end, known = match.end(), currency
    rate = _MONEY_RATE.match(text, end, end + 60)
    if rate:
        per, stop = unit(f"$/{rate['below']}"), rate.end()
        if per is None or not per.dimension.endswith("/time"):
            first = rate["below"].split()[0]
            by_time = unit(f"$/{first}")
            if by_time and by_time.dimension.endswith("/time"):
                per, stop = by_time, rate.start("below") + len(first)
        time = per is not None and per.dimension == "USD/time"
        if per and (time or stop < rate.end() or singular(rate["below"].split()[-1].lower()) in {"token", "chip", "request"}):
            known, end = Unit(per.dimension.replace("USD", currency.dimension), per.factor), stop
    amounts = _amounts(value, step, known, (match["many"] or "").strip())
    return Reading(
        Kind.NUMBER, match.start(), end, text[match.start() : end], amounts, value, step,
        bound=_bound(text, match.start()), unit=known.dimension,
    ), end  # fmt: skip


def _number(text: str, match: re.Match[str], before: list[Reading]) -> tuple[Reading | None, int]:
    """A number with what stands attached to it or behind it; None for list numbers, ordinals and the like."""
    start, end, digits = match.start(), match.end(), match["number"]
    if _is_label(text, start, end) or _SKIPPED_AFTER.match(text, end) or _PRODUCT.search(text, max(0, start - 8), end):
        return None, end
    if _version_here(text, start, digits, before):
        return Reading(Kind.VERSION, start, end, digits), end
    scale, known = "", None
    attached = None if _HYPHENED.match(text, end) else _ATTACHED.match(text, end)
    if attached and attached["scale"] == "B" and "." not in digits:
        return Reading(Kind.NAME, start, attached.end(), text[start : attached.end()]), attached.end()
    if attached and attached["scale"]:
        scale, end = attached["scale"], attached.end()
    elif attached and attached.group() and not (attached["word"] and unit(attached["word"])):
        return Reading(Kind.NAME, start, attached.end(), text[start : attached.end()]), attached.end()
    known, end = _unit_behind(text, end)
    value, step = _value(digits), _step(text, start, digits)
    amounts = _amounts(value, step, known or PLAIN, scale)
    if known and known.dimension == "ratio" and "." not in digits:
        amounts += (Amount(value, step, ""),)
    return Reading(
        Kind.NUMBER, start, end, text[start:end], amounts, value, step,
        bare=known is None and not scale, bound=_bound(text, start), unit=known.dimension if known else "",
    ), end  # fmt: skip


def _unit_behind(text: str, end: int) -> tuple[Unit | None, int]:
    """The unit that stands behind a number, and where it ends."""
    if percent := _PERCENT.match(text, end):
        return Unit("share", 0.01), percent.end()
    if rate := _RATE.match(text, end, end + 60):
        per = unit(f"{rate['top']}/{rate['below']}")
        before = (rate["word"] or "").startswith("a") and unit(rate["top"])
        if per and per.dimension.endswith("/time") and not before:
            return per, rate.end()
    one = _HYPHENED.match(text, end, end + 60) or _ONE.match(text, end, end + 60)
    if not one:
        return None, end
    if one["one"].lower() == "times":
        return Unit("ratio", 1.0), one.end()
    apart = text[end : end + 1].isspace()
    known = None if apart and one["one"] in {"a", "d", "x"} else unit(one["one"])
    return (known, one.end()) if known else (None, end)


def _is_label(text: str, start: int, end: int) -> bool:
    """`1.` and `2)` that number a list, `step 3`, `top 5`, and the idiom 24/7."""
    behind = text[end : end + 2]
    head = text[max(0, start - 12) : start]
    opens_line = not text[max(0, text.rfind("\n", 0, start) + 1, start - 60) : start].strip(" \t*_>-•(#")
    if opens_line and end - start <= 2 and (behind[:1] in {".", ")"}) and (behind[1:] in {" ", "\t", "*", ""}):
        return True
    if end - start <= 2 and behind[:1] == ")" and behind[1:] == " " and "(" not in text[max(0, start - 120) : start]:
        return True
    if _ONE_IN.match(text, max(0, start - 5), end) or _ONE_IN.match(text, start, end + 7):
        return True
    if end - start <= 2 and _PERCENTILE_OF.match(text, start):
        return True
    if text[start - 3 : end] == "24/7" or (text[start:end] == "24" and text[end : end + 2] == "/7"):
        return True
    return bool(_LABEL.search(head) or (text[end : end + 4] == " of " and _ONE_OF.search(head)))


def _version_here(text: str, start: int, digits: str, before: list[Reading]) -> bool:
    """`vLLM 0.26`, and `→ 0.32` behind it."""
    if not re.fullmatch(r"\d+\.\d+", digits):
        return False
    if _VERSIONED.search(text, max(0, start - 16), start):
        return True
    last = before[-1] if before else None
    gap = text[last.end : start] if last and last.kind is Kind.VERSION else ""
    return bool(last and last.kind is Kind.VERSION and re.fullmatch(r"\s?(?:→|->|to|and|or|,|vs\.?)\s?v?", gap.strip() and gap))
