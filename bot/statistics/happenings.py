"""From one look at an engine to what changed since the looks before. Pure: the same looks give the same changes."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.nouns import Happened, Happening, Look, Move, Watched
from bot.statistics.windows import CLOCK_JITTER_S

APART = timedelta(seconds=5)
"""Our choice: looks closer than this are one look, of two clocks perhaps. Silence counts when two looks found it."""

NAMES_MOST = 20
LENGTH_MOST = 80
"""Bounds on what a server may have us keep: names in one change, and characters in a value."""

DERIVED = frozenset({"engine", "num_gpu_blocks", "num_cpu_blocks", "kv_cache_max_concurrency", "_block_size_resolved"})
"""Labels that are worked out from others; `kv_cache_size_tokens` says the same in a unit that people know."""

MEASURED = frozenset({"kv_cache_size_tokens"})
MEASURED_BY = 0.01
"""Our choice: the size of the cache follows the memory that a start finds free, so below one per cent it is the same size."""


def notice(before: Watched | None, look: Look) -> tuple[Watched, tuple[Happening, ...]]:
    """What is known after this look, and what changed by it, the oldest first.

    A look that is not newer than the last one changes nothing, and the first look only begins. What a look did not learn stays
    as it was known.
    """
    if before is None:
        return notice(Watched(since=look.at, at=look.at - APART), look)
    if look.at <= before.at:
        return before, ()
    started, restarted = _started(before, look)
    at = started if started is not None and restarted else look.at
    found = [Happening(at=at, kind=Happened.RESTARTED, source="vLLM process start")] if restarted else []
    found += _version(before, look, at)
    found += _served(before, look, at)
    found += _settings(before, look, at)
    answering, contrary_at, reached = _reach(before, look)
    known = Watched(
        since=before.since,
        at=look.at,
        answering=answering,
        contrary_at=contrary_at,
        started_at=started,
        version=_short(look.version) if look.version else before.version,
        windows=look.windows if look.windows else before.windows,
        settings={**before.settings, **{name: _short(value) for name, value in look.settings.items()}},
    )
    return known, tuple(sorted((*found, *reached), key=lambda one: one.at))


def _started(before: Watched, look: Look) -> tuple[datetime | None, bool]:
    """The newest start known, and whether it is a new one.

    An older start is no restart: a clock was set back, or one of several servers behind the address answered this time.
    """
    if look.started_at is None:
        return before.started_at, False
    started = min(look.started_at, look.at)
    if before.started_at is None:
        return started, False
    if (started - before.started_at).total_seconds() > CLOCK_JITTER_S:
        return started, True
    return before.started_at, False


def _version(before: Watched, look: Look, at: datetime) -> list[Happening]:
    if not before.version or not look.version or before.version == _short(look.version):
        return []
    move = Move(what="vLLM", before=before.version, after=_short(look.version))
    return [Happening(at=at, kind=Happened.VERSION, moves=(move,), source="vLLM /version")]


def _served(before: Watched, look: Look, at: datetime) -> list[Happening]:
    """Other models, and other windows of models that were served before."""
    if not before.windows or not look.windows:
        return []
    found = []
    if set(before.windows) != set(look.windows):
        move = Move(what="model", before=_names(before.windows), after=_names(look.windows))
        found.append(Happening(at=at, kind=Happened.MODEL, moves=(move,), source="vLLM /v1/models"))
    moves = [
        Move(what=_short(name), before=f"{old:,}", after=f"{new:,}")
        for name, new in sorted(look.windows.items())
        if (old := before.windows.get(name)) is not None and new is not None and old != new
    ]
    if moves:
        found.append(Happening(at=at, kind=Happened.WINDOW, moves=tuple(moves[:NAMES_MOST]), source="vLLM /v1/models"))
    return found


def _settings(before: Watched, look: Look, at: datetime) -> list[Happening]:
    """Labels that both have and that differ; a label that only one version of the server tells is no change."""
    moves = [
        Move(what=_short(name), before=before.settings[name], after=_short(new))
        for name, new in sorted(look.settings.items())
        if name in before.settings and name not in DERIVED and _differs(name, before.settings[name], _short(new))
    ]
    if not moves:
        return []
    return [Happening(at=at, kind=Happened.SETTINGS, moves=tuple(moves[:NAMES_MOST]), source="vLLM cache_config_info")]


def _differs(name: str, old: str, new: str) -> bool:
    if name not in MEASURED:
        return old != new
    try:
        return abs(float(new) - float(old)) > MEASURED_BY * float(old)
    except ValueError:
        return old != new


def _reach(before: Watched, look: Look) -> tuple[bool | None, datetime | None, list[Happening]]:
    """Whether it answers, once two looks in a row say the same; and since when they doubt what was known."""
    if look.answers is None:
        return before.answering, before.contrary_at, []
    if look.answers is before.answering:
        return before.answering, None, []
    if before.answering is None and look.answers:
        return True, None, []
    if before.contrary_at is None:
        return before.answering, look.at, []
    if look.at - before.contrary_at < APART:
        return before.answering, before.contrary_at, []
    if before.answering is None:
        return False, None, []
    kind = Happened.ANSWERS if look.answers else Happened.SILENT
    return look.answers, None, [Happening(at=before.contrary_at, kind=kind, source="the clock's looks at vLLM /metrics")]


def _names(windows: Mapping[str, int | None]) -> str:
    return _short(", ".join(sorted(windows)))


def _short(value: str) -> str:
    return value if len(value) <= LENGTH_MOST else f"{value[: LENGTH_MOST - 1]}…"
