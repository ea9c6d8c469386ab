"""Why an engine does not come up, from what docker and its log say."""

import re
from datetime import datetime, timedelta

from bot.diagnosis import Finding, Nature, diagnose, hide_conversations
from bot.machine.start_report import Sight, report
from bot.nouns import Preparation
from bot.operations import engine_progress
from bot.operations.engine_outcome import Failure
from bot.operations.wording import duration
from bot.ports import Engines, Host, LogSource

_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ", re.ASCII)
LOG_LINES = 12
"""Of the log that are shown (messages.md T5)."""


async def why(engines: Engines, host: Host, sight: Sight) -> Failure:
    """When docker has started it again since, the log of the tries before is read too: there the reason stands."""
    status, log = sight.status, sight.log
    if status.restarts and sight.start.state != "failed":
        log = await engines.control.logs(host, LogSource.ENGINE, tail=4_000)
    start = report(status, log)
    found = findings(log.lines) or ((start.finding,) if start.finding is not None else ())
    return Failure(
        what=engine_progress.ended(status, start.startup.failure, found),
        findings=found,
        log=excerpt(log.lines),
        startup=start.startup,
        status=status,
    )


def unprepared(host: Host, prepared: Preparation) -> Failure:
    """Secrets or image did not come; the old engine was not touched."""
    return Failure(
        what=f"{prepared.doing[:1].lower()}{prepared.doing[1:]} on {host.name} failed: {prepared.failed}",
        findings=findings(prepared.log),
        log=excerpt(prepared.log),
    )


def too_late(sight: Sight, deadline: timedelta, now: datetime) -> Failure:
    """Where it stood when its time was over."""
    state = engine_progress.phase(sight.start, now)
    return Failure(
        what=f"it did not answer within {duration(deadline.total_seconds())}; last seen: {state}",
        findings=findings(sight.log.lines),
        log=excerpt(sight.log.lines),
        startup=sight.start.startup,
        status=sight.status,
    )


def findings(lines: tuple[str, ...]) -> tuple[Finding, ...]:
    """Known failures that explain it, the likeliest first."""
    return tuple(one for one in diagnose(lines) if one.nature is Nature.FAILURE and not one.over)


def excerpt(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The last lines, as people may see them; docker's own time stamps are left out, for the engine writes its own."""
    return tuple(hide_conversations(_STAMP.sub("", one)) for one in lines[-LOG_LINES:])
