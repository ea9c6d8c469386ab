"""Which unit a key of a result implies: `ttft_p90_seconds`, `hbm_gib`, `usd_per_hour`, `kv_cache_usage_perc`."""

from collections.abc import Sequence

from bot.evidence.units import PLAIN, Unit, noun_unit, per_time, unit
from bot.evidence.words import THINGS, concepts, split_words, word_set

_QUALIFIERS = word_set(
    "p50 p90 p95 p99 median mean average avg max maximum min minimum peak before after baseline usual normal previous "
    "current now old new low high lower upper value total sum delta last first latest start end est estimate actual "
    "measured expected estimated typical of at and"
)
"""Words that say which number it is and not of what: the unit stands with the word before or in the key above."""
_SHARES = word_set(
    "share ratio fraction usage utilization utilisation perc percent pct percentage util full used rate likelihood"
)
_TIMES = word_set("latency duration uptime elapsed age took wait ttft itl tpot e2e lasted runtime time delay timeout")
_LASTING = word_set("took duration lasted uptime age elapsed wait runtime delay ago")
"""Behind these words `min` is minutes: `took_min`; `ttft_min` is the smallest."""
_MONEY = word_set(
    "cost costs price spent spend budget burn forecast saving savings bill billed usd money charge fee invoice idle_cost"
)
_CHANGES = word_set("gain growth increase decrease improvement regression speedup drop")
"""Changes are mostly told in per cent."""
_TOKENS = word_set("len length context window")
_RATES = {"rps": "request/time", "qps": "request/time", "tps": "token/time", "throughput": "/time"}
_PER_SECOND = word_set("tok token tk req request step message iteration")
"""Before a last `s` these make a rate: `gen_tok_s`."""
_LATENCIES = {"ttft", "itl", "e2e"}
_SPELLED_TIMES = {"day": 86400.0, "hour": 3600.0, "minute": 60.0, "second": 1.0}
"""At the head of a key: `days_left`."""
_PER = {"per", "each", "a"}


_WHEN = word_set("epoch at time timestamp ts since created started ended updated unix seen on finished deployed until expires")


def is_epoch(keys: Sequence[str], value: float) -> bool:
    """Whether a bare number is seconds or milliseconds since 1970, of the years 2001 to 2065, under a key that speaks of time."""
    return (1e9 <= value <= 3e9 or 1e12 <= value <= 3e12) and bool(_WHEN & set(split_words(keys[-1])))


def implied(keys: Sequence[str], value: float) -> tuple[Unit, ...]:
    """The units that a bare number under these keys (outermost first) may have; PLAIN alone when they say nothing."""
    for key in reversed(keys):
        words = _without_window([word for word in split_words(key) if not word.isdigit()])
        minutes = words[-1:] == ["min"]
        while words and words[-1] in _QUALIFIERS:
            words.pop()
        own = _of(words, value) if words else ()
        if minutes and set(words) & _LASTING:
            return (Unit("time", 60.0), Unit("time", 1.0))
        if minutes and not (own and own[0].dimension):
            return (Unit("time", 60.0), *own)
        if own:
            return own
    return (PLAIN,)


def _without_window(words: list[str]) -> list[str]:
    """`errors_last_hour` counts errors: the time says over which window."""
    for place in range(1, len(words) - 1):
        if words[place] in {"last", "past", "previous", "within"} and (known := unit(words[-1])) and known.dimension == "time":
            return words[:place]
    return words


def _of(words: list[str], value: float) -> tuple[Unit, ...]:
    if any(word in _PER for word in words):
        return _rate(words, value)
    last = words[-1]
    if last in {"s", "sec"} and words[-2:-1] and words[-2] in _PER_SECOND and not _LATENCIES & set(concepts(" ".join(words))):
        return (per_time(noun_unit(words[-2]), Unit("time", 1.0)),)
    if last in _RATES:
        return (Unit(_RATES[last], 1.0),)
    if last in _SHARES and last not in {"full"} | ({"percent", "pct", "percentage", "perc"} if abs(value) > 1 else set()):
        return _shares(last, words, value)
    known = unit(last)
    if known and not (last in {"m", "d", "x"} and len(words) == 1):
        return (known,)
    if last in THINGS:
        return _thing(words)
    return _by_meaning(words)


def _thing(words: list[str]) -> tuple[Unit, ...]:
    """Counted things, unless the words make a metric's name: `time_to_first_token` is a time."""
    if {"ttft", "itl", "e2e"} & set(concepts(" ".join(words))):
        return (Unit("time", 1.0),)
    return (PLAIN,)


def _shares(last: str, words: list[str], value: float) -> tuple[Unit, ...]:
    if last == "rate" and not 0 <= value <= 1:
        return (Unit("/time", 1.0), PLAIN)
    if last in {"percent", "pct", "percentage", "perc"}:
        return (Unit("share", 1.0), Unit("share", 0.01))
    if last in {"used", "rate"} and value > 1:
        return (PLAIN,)
    return (Unit("share", 1.0), PLAIN) if abs(value) <= 1.5 else (Unit("share", 0.01), Unit("ratio", 1.0), PLAIN)


def _rate(words: list[str], value: float) -> tuple[Unit, ...]:
    """`tokens_per_s`, `usd_per_chip_hour`, `free_gib_per_chip`; a unit behind it all rules: `per_s_change_percent`."""
    place = next(i for i, word in enumerate(words) if word in _PER)
    above, below = words[:place], words[place + 1 :]
    if below and len(below) > 1 and below[-1] in _SHARES:
        return _shares(below[-1], below, value) if abs(value) <= 1 else (Unit("share", 0.01),)
    top = noun_unit(above[-1]) if above and above[-1] in THINGS else _of(above, value)[0] if above else PLAIN
    if not above and below and below[0] in {"million", "1m"}:
        return (Unit("USD", 1.0), PLAIN)
    times = [known for word in below if (known := unit(word)) and known.dimension == "time"]
    if times:
        return (per_time(top, times[0]),)
    if below and below[-1] in {"token", "request"}:
        scale = 1e6 if below[0] in {"m", "1m", "million"} else 1.0
        return (Unit(f"{top.dimension}/{below[-1]}", top.factor / scale), top)
    return (top,)


def _by_meaning(words: list[str]) -> tuple[Unit, ...]:
    said = set(words)
    if words[0] in {"day", "hour", "minute", "second"}:
        return (Unit("time", _SPELLED_TIMES[words[0]]), PLAIN)
    if said & _CHANGES:
        return (Unit("share", 0.01), Unit("share", 1.0), PLAIN)
    if said & _MONEY:
        return (Unit("USD", 1.0), Unit("USD/time", 1.0 / 3600), PLAIN)
    for word in words:
        known = unit(word) if len(word) > 2 else None
        if known and known.dimension in {"bytes", "USD"}:
            return (known,)
    for word in words if said & _TIMES else ():
        if len(word) > 1 and (known := unit(word)) and known.dimension == "time":
            return (known,)
    if said & _TIMES or {"ttft", "itl", "e2e"} & set(concepts(" ".join(words))):
        return (Unit("time", 1.0), PLAIN)
    return (PLAIN,)
