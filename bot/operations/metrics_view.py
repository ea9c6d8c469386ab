"""How figures over time read: latencies first with the bounds they lie between, then load, then how much was seen."""

from itertools import accumulate

from bot.nouns import Quantity
from bot.operations.metrics_figures import QUANTILES, Figures, Gauge, Latency, Points
from bot.operations.metrics_result import Metrics, Raw
from bot.operations.operation import Context
from bot.operations.wording import count, duration, percent, seconds
from bot.statistics.histogram import Percentile, Resolution
from bot.view import Attachment, Button, Chart, Line, Span, View, When, bold, code, line

NAMES = {"ttft": "First token", "itl": "Between tokens", "e2e": "Whole answer"}
RAW_CHARACTERS = 3500
"""Characters of the engine's text behind Details, which one message surely holds; the rest is counted."""
RAW_WIDTH = 160
RAW_FILE = 1_000_000
"""Characters of a file: an engine writes 60,000, a hundred engines behind one address a few millions."""
FULL_SIGHT = 0.9
"""Share of the asked time that must have been seen for the rest not to be mentioned."""


def show(found: Metrics | Raw, _context: Context) -> View:
    """One column, two columns, nothing seen, or the engine's own text."""
    if isinstance(found, Raw):
        return _raw(found)
    if found.now is None:
        return _nothing(found)
    return _columns(found, found.now)


def _raw(found: Raw) -> View:
    ends = accumulate(len(row[:RAW_WIDTH]) for row in found.lines)
    shown = found.lines[: sum(1 for end in ends if end <= RAW_CHARACTERS)]
    left = len(found.lines) - len(shown) + found.left_out
    rows = [line(code(row[:RAW_WIDTH])) for row in shown]
    rest = (line(f"… and {left:,} more lines; all of them stand in the file."),) if left else ()
    return View(
        verdict=line(bold(f"{len(shown) + left:,} figures as the engine tells them"), ", read ", When(at=found.at)),
        lines=(line(f"The first {len(shown)} stand behind Details; the whole text follows as a file."),),
        details=(*rows, *rest),
        attachment=Attachment(name=f"{found.deployment}-metrics.txt", title=_file_title(found), content=found.text[:RAW_FILE]),
    )


def _file_title(found: Raw) -> str:
    return f"{found.deployment}: metrics of {found.at:%Y-%m-%d %H:%M} UTC"


def _nothing(found: Metrics) -> View:
    began = found.watched_since
    if began is None:
        why = line("Nothing is recorded of it at all: the clock process looks every half minute, when it runs and has Redis.")
    elif found.until <= began:
        why = line("I look at it since ", When(at=began, date=True), "; what was before is not known.")
    else:
        why = line("I look at it since ", When(at=began, date=True), ", but then it did not answer, or I did not run.")
    when = (When(at=found.since, date=True), " to ", When(at=found.until, date=True))
    return View(verdict=line(bold(f"No figures of {found.deployment}, {_period(found)}"), ": looked at ", *when), lines=(why,))


def _columns(found: Metrics, now: Figures) -> View:
    before = found.before
    rows = [_latency_line(now.latency(name), before.latency(name) if before else None) for name in NAMES]
    lines = [one for one in rows if one is not None]
    lines += [_rates(now, before), _cache(now, before), _load(now, before), _seen(found, now)]
    return View(
        verdict=_verdict(found, now),
        lines=tuple(lines),
        details=_details(now, before),
        chart=_chart(found),
        buttons=(_compare(found),),
    )


def _period(found: Metrics) -> str:
    if found.around is not None:
        return f"around {found.around:%H:%M} UTC"
    return f"last {duration((found.until - found.since).total_seconds())}"


def _earlier(found: Metrics) -> str:
    if found.against_s is None:
        return ""
    return {3600: "an hour before", 86400: "yesterday", 7 * 86400: "a week before"}.get(
        found.against_s, f"{duration(found.against_s)} before"
    )


def _verdict(found: Metrics, now: Figures) -> Line:
    what = f"{found.deployment}, {_period(found)}"
    latest = _of(now, "ttft", 1)
    if found.against_s is None:
        pace = f", {_rate(now.requests_per_s)} requests/s"
        return line(bold(f"{what}: first token p90 {value(latest)}"), pace)
    earlier = _of(found.before, "ttft", 1) if found.before else None
    return line(bold(f"{what}: first token p90 {value(earlier)} → {value(latest)}"), f" ({_earlier(found)} → now)")


def _of(figures: Figures, name: str, index: int) -> Percentile | None:
    latency = figures.latency(name)
    return latency.percentiles[index] if latency else None


def value(found: Percentile | None) -> str:
    """`0.41 s`; `under 10 ms` where the first bucket resolves no better; `above 2560 s` beyond the last bound."""
    if found is None:
        return "unknown"
    if found.value is None:
        return f"above {_bound(found.low)}"
    if found.resolution is Resolution.FIRST_BUCKET and found.high is not None:
        return f"under {_bound(found.high)}"
    return _time(found.value)


def _time(value_s: float) -> str:
    """Below 0.1 s in milliseconds: the time between tokens is a few dozen of them."""
    return f"{value_s * 1000:.0f} ms" if 0.01 <= value_s < 0.1 else seconds(value_s)


def _bound(value_s: float) -> str:
    """A bucket's bound, with all its digits and no more."""
    return f"{value_s * 1000:g} ms" if 0 < value_s < 0.1 else f"{value_s:g} s"


def bounds(found: Percentile) -> str:
    """Between which bounds the truth lies: `0.25–0.5 s`."""
    if found.high is None:
        return f"above {_bound(found.low)}"
    low, high = _bound(found.low), _bound(found.high)
    return f"{low.split()[0]}–{high}" if low.split()[-1] == high.split()[-1] else f"{low}–{high}"


def _latency_line(now: Latency | None, before: Latency | None) -> Line | None:
    if now is None:
        return None
    name = NAMES[now.name]
    if now.observed is None and (before is None or before.observed is None):
        return line(f"{name}: unknown, nothing was observed.")
    parts = []
    for index, q in enumerate(QUANTILES):
        here = now.percentiles[index]
        if before is not None:
            parts.append(f"p{q * 100:.0f} {value(before.percentiles[index])} → {value(here)}")
        else:
            parts.append(f"p{q * 100:.0f} {value(here)}" + (f" ({bounds(here)})" if here is not None else ""))
    return line(f"{name}: {' · '.join(parts)}")


def _rate(quantity: Quantity | None) -> str:
    if quantity is None:
        return "unknown"
    return (
        f"{quantity.value:,.0f}"
        if quantity.value >= 100
        else f"{quantity.value:.2g}"
        if quantity.value < 1
        else f"{quantity.value:.1f}"
    )


def _two(before: str | None, now: str) -> str:
    return now if before is None else f"{before} → {now}"


def _rates(now: Figures, before: Figures | None) -> Line:
    named = (
        ("requests_per_s", "requests/s"),
        ("prompt_tokens_per_s", "prompt tokens/s"),
        ("answer_tokens_per_s", "answer tokens/s"),
    )
    parts = [
        f"{_two(_rate(getattr(before, field)) if before else None, _rate(getattr(now, field)))} {unit}" for field, unit in named
    ]
    return line(" · ".join(parts))


def _share(quantity: Quantity | None) -> str:
    return "unknown" if quantity is None else percent(quantity.value)


def _cache(now: Figures, before: Figures | None) -> Line:
    full = _two(_full(before.cache) if before else None, _full(now.cache))
    preempted = _two(_whole(before.preemptions) if before else None, _whole(now.preemptions))
    hits = _two(_share(before.prefix_hits) if before else None, _share(now.prefix_hits))
    return line(f"Cache full: {full} · preemptions {preempted} · prefix hits {hits}")


def _full(gauge: Gauge | None) -> str:
    return "unknown" if gauge is None else f"{percent(gauge.average.value)} on average, {percent(gauge.high)} at most"


def _whole(quantity: Quantity | None) -> str:
    return "unknown" if quantity is None else f"{quantity.value:,.0f}"


def _load(now: Figures, before: Figures | None) -> Line:
    running = _two(_mean(before.running) if before else None, _mean(now.running))
    waiting = _two(_mean(before.waiting) if before else None, _mean(now.waiting))
    return line(f"Running {running} · waiting {waiting}")


def _mean(gauge: Gauge | None) -> str:
    return "unknown" if gauge is None else f"{gauge.average.value:.1f} (at most {gauge.high:.0f})"


def _seen(found: Metrics, now: Figures) -> Line:
    parts: list[str | Span] = [f"Seen {_sight(now)}, source vLLM /metrics, ", When(at=now.since), " to ", When(at=now.until), "."]
    if found.against_s is not None and found.before is None:
        parts.append(f" Nothing is known of {_earlier(found)}")
        parts += [": looking began ", When(at=found.watched_since, date=True), "."] if found.watched_since else ["."]
    return line(*parts)


def _sight(figures: Figures) -> str:
    if figures.seen_s >= FULL_SIGHT * figures.asked_s:
        return duration(figures.seen_s)
    return f"{duration(figures.seen_s)} of {duration(figures.asked_s)}"


def _details(now: Figures, before: Figures | None) -> tuple[Line, ...]:
    lines = []
    for latency in now.latencies:
        for q, found in zip(QUANTILES, latency.percentiles, strict=True):
            if found is not None:
                lines.append(f"{NAMES[latency.name]} p{q * 100:.0f}: {value(found)}, the truth lies {_between(found)}.")
        if latency.mean is not None and latency.observed is not None:
            lines.append(
                f"{NAMES[latency.name]}, mean {_time(latency.mean.value)} over {count(int(latency.observed), 'observation')}."
            )
    if before is not None:
        lines.append(f"The time before: seen {_sight(before)}.")
    lines.append("First token is measured in the server, from tokenization on: network and client come on top.")
    lines.append("Percentiles are read off buckets: between two bounds they are a straight line, not a measurement.")
    return tuple(line(words) for words in lines)


def _between(found: Percentile) -> str:
    return bounds(found) if found.high is None else f"between {_bound(found.low)} and {_bound(found.high)}"


def _compare(found: Metrics) -> Button:
    since = f"since {round((found.until - found.since).total_seconds() / 60)}m"
    when = f"at {found.around:%H:%M}" if found.around is not None else since
    if found.against_s is None:
        return Button(label="Against yesterday", words=f"metrics {found.deployment} {when} against yesterday")
    return Button(label="Without comparison", words=f"metrics {found.deployment} {when}")


def _chart(found: Metrics) -> Chart | None:
    """Latency above, load below, over the same time."""
    if not any(point is not None for _, points in (*found.first_token, *found.load) for _, point in points):
        return None
    load = Chart(title="Requests", unit="requests", alt="", series=found.load)
    title = f"{found.deployment}, {_period(found)}"
    alt = f"{_words(found.first_token, 's', 2)} {_words(found.load, 'requests', 0)}"
    return Chart(title=title, unit="first token, s", alt=alt.strip()[:1000], series=found.first_token, below=load)


def _words(series: tuple[tuple[str, Points], ...], unit: str, digits: int) -> str:
    """What a line does, for who cannot see it: from where to where it went, and its top."""
    parts = []
    for name, points in series:
        seen = [point for _, point in points if point is not None]
        if seen:
            parts.append(f"{name} from {seen[0]:.{digits}f} to {seen[-1]:.{digits}f} {unit}, at most {max(seen):.{digits}f}.")
    return " ".join(parts)
