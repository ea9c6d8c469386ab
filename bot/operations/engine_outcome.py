"""How a start of an engine came out, for whoever goes on from there."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from bot.diagnosis import Finding
from bot.errors import BotError
from bot.nouns import ContainerStatus
from bot.serving.startup import Phase, Startup


@dataclass(frozen=True)
class Up:
    """It answered a known question. `base_url` is where it answers: http on its machine's address, or ssh://MACHINE:PORT when it
    listens on that machine alone (`gemma tunnel` leads there). `since` is the container's start, `took_s` the seconds from that
    to the answer; `fresh` False: it ran as wanted already.
    """

    base_url: str
    since: datetime
    took_s: float
    phases: tuple[Phase, ...] = ()
    fresh: bool = True


@dataclass(frozen=True)
class Failure:
    """It does not come up. `what` says it without a name ("it ended with code 1"); `findings` are known failures in its log, the
    likeliest first; `log` its last lines, without secrets. `startup` and `status` are None where nothing could be seen.
    """

    what: str
    findings: tuple[Finding, ...] = ()
    log: tuple[str, ...] = ()
    startup: Startup | None = None
    status: ContainerStatus | None = None
    next_step: str = ""

    @classmethod
    def of(cls, error: BotError) -> Self:
        """What an error tells."""
        return cls(what=str(error), next_step=error.telling.next_step)
