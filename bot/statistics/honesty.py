"""Whether a benchmark table can be true: does it fit Little's law, and what the chips can do at most?"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations

from bot.nouns.base import Noun
from bot.statistics.benchmark_table import Row
from bot.statistics.roofs import Roof, roof

TOLERANCE = 0.2
"""Share by which requests in flight may miss the claimed users: ramp, drain and rounded figures of an honest run stay below."""
ROOF_TOLERANCE = 0.02
"""Share above a roof that rounded figures may show."""
_SAME_CELLS = 3
"""Cells that must all be equal before two models' columns count as copied."""


class Reason(StrEnum):
    """Why a row is doubted."""

    FEWER_IN_FLIGHT = "fewer in flight than users"
    MORE_IN_FLIGHT = "more in flight than users"
    PREFILL_ROOF = "above the prefill roof"
    DECODE_ROOF = "above the decode roof"
    FEW_SAMPLES = "too few samples"
    COPIED = "copied column"
    NOT_CHECKED = "not checked"


class Flag(Noun):
    """One doubt about one row: `value` was found where `limit` was expected or allowed, both in `unit`; `message` says it.

    `line` is the row's line in the table, None when the flag is about the whole table.
    """

    line: int | None
    reason: Reason
    message: str
    value: float | None = None
    limit: float | None = None
    unit: str = ""


def check(
    rows: Sequence[Row], model: str | None, accelerator: str | None, output_tokens: int, *, limits: Roof | None = None
) -> list[Flag]:
    """Every doubt about these rows; an empty list means that nothing contradicts them, not that they are true.

    `model` and `accelerator` hold for rows that name none themselves; `limits` replaces the built-in table of roofs.
    ValueError when `output_tokens` (tokens generated per request) is below 1.
    """
    if output_tokens < 1:
        raise ValueError("a request generates at least 1 token")
    flags: list[Flag] = []
    unknown: set[tuple[str, str]] = set()
    for row in (row for row in rows if row.measured):
        flags += [*_little(row), *_samples(row)]
        names = (row.model or model or "", row.accelerator or accelerator or "")
        highest = limits or roof(*names)
        if highest:
            flags += [*_prefill(row, highest), *_decode(row, highest, output_tokens)]
        else:
            unknown.add(names)
    flags += _copied(rows)
    flags += [_unchecked(*names) for names in sorted(unknown)]
    return sorted(flags, key=lambda flag: (flag.line is None, flag.line or 0))


def _little(row: Row) -> Iterable[Flag]:
    """Little's law (Operations Research 9, 1961): requests in flight = requests/s × mean latency, whatever the distribution."""
    if not row.requests_per_s or row.mean_latency_s is None:
        return
    in_flight = row.requests_per_s * row.mean_latency_s
    if in_flight < row.concurrency * (1 - TOLERANCE):
        reason, how = Reason.FEWER_IN_FLIGHT, "only"
    elif in_flight > row.concurrency * (1 + TOLERANCE):
        reason, how = Reason.MORE_IN_FLIGHT, "even"
    else:
        return
    message = (
        f"{row.requests_per_s:g} requests/s × {row.mean_latency_s:g} s = {how} {in_flight:.1f} requests in flight, "
        f"not {row.concurrency:,} users"
    )
    yield Flag(line=row.line, reason=reason, message=message, value=in_flight, limit=row.concurrency, unit="requests")


def _prefill(row: Row, highest: Roof) -> Iterable[Flag]:
    """A forward pass costs at least 2 FLOP per parameter and token (Kaplan et al. 2020, arXiv:2001.08361, section 2.1)."""
    needed = 2 * highest.params_active * row.context_tokens * (row.requests_per_s or 0.0)
    if needed > highest.peak_flops * (1 + ROOF_TOLERANCE):
        message = (
            f"reading these prompts needs {needed / 1e12:,.0f} TFLOP/s, all chips together reach at most "
            f"{highest.peak_flops / 1e12:,.0f}: prompts were cached, cut or not sent"
        )
        yield Flag(
            line=row.line, reason=Reason.PREFILL_ROOF, message=message, value=needed, limit=highest.peak_flops, unit="FLOP/s"
        )


def _decode(row: Row, highest: Roof, output_tokens: int) -> Iterable[Flag]:
    """Each step reads all weights once and gives every request in flight one token (Pope et al. 2022, arXiv:2211.05102).

    The first token comes from the prefill, so a request needs `output_tokens - 1` steps.
    """
    steps = output_tokens - 1
    if not steps:
        return
    fastest = steps * highest.weight_bytes / highest.bandwidth
    if row.mean_latency_s is not None and row.mean_latency_s < fastest * (1 - ROOF_TOLERANCE):
        message = f"{steps} steps take at least {fastest:.3f} s to read the weights; {row.mean_latency_s:g} s were measured"
        yield Flag(line=row.line, reason=Reason.DECODE_ROOF, message=message, value=row.mean_latency_s, limit=fastest, unit="s")
        return
    most = row.concurrency / fastest
    if (row.requests_per_s or 0.0) > most * (1 + ROOF_TOLERANCE):
        message = f"{row.concurrency:,} users can get at most {most:,.2f} requests/s, for each step reads all weights"
        yield Flag(
            line=row.line, reason=Reason.DECODE_ROOF, message=message, value=row.requests_per_s, limit=most, unit="requests/s"
        )


def _samples(row: Row) -> Iterable[Flag]:
    """At least 5 requests a user and 50 in all: with fewer, ramp and drain are most of the run."""
    wanted = max(5 * row.concurrency, 50)
    if row.requests is not None and row.requests < wanted:
        message = f"{row.requests:,} requests for {row.concurrency:,} users; at least {wanted:,} are needed to see a steady state"
        yield Flag(line=row.line, reason=Reason.FEW_SAMPLES, message=message, value=row.requests, limit=wanted, unit="requests")


def _copied(rows: Sequence[Row]) -> Iterable[Flag]:
    """Models whose figures are equal in every cell: measured once at most."""
    columns: dict[str, dict[tuple[int, int, str], Row]] = defaultdict(dict)
    for row in rows:
        if row.measured and row.model:
            columns[row.model][row.concurrency, row.context_tokens, row.accelerator] = row
    twins: dict[str, set[str]] = defaultdict(set)
    for one, other in combinations(columns, 2):
        shared = columns[one].keys() & columns[other].keys()
        if len(shared) >= _SAME_CELLS and all(_same(columns[one][c], columns[other][c]) for c in shared):
            twins[one].add(other)
            twins[other].add(one)
    for model, others in twins.items():
        message = f"{model} has the same figures as {', '.join(sorted(others))} in every cell"
        for row in columns[model].values():
            yield Flag(line=row.line, reason=Reason.COPIED, message=message)


def _same(one: Row, other: Row) -> bool:
    return (one.requests_per_s, one.mean_latency_s) == (other.requests_per_s, other.mean_latency_s)


def _unchecked(model: str, accelerator: str) -> Flag:
    message = f"the roofs of {model or 'an unnamed model'} on {accelerator or 'an unnamed accelerator'} are unknown: not compared"
    return Flag(line=None, reason=Reason.NOT_CHECKED, message=message)
