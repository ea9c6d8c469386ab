"""The one tree of errors, by who moves next. Each carries the sentences that a person reads."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Telling:
    """What a person is told when something did not work.

    `failed` what failed; `untouched` what was not done; `billing` what is billing now, if anything; `next_step` what to do.
    """

    failed: str
    untouched: str = ""
    billing: str = ""
    next_step: str = ""


class BotError(Exception):
    """Base of the tree. `str(error)` is the first sentence; `telling` the whole."""

    def __init__(self, failed: str, *, untouched: str = "", billing: str = "", next_step: str = "") -> None:
        """Keep the sentences; none of them may hold a secret."""
        super().__init__(failed)
        self.telling = Telling(failed, untouched, billing, next_step)


class PersonMovesNext(BotError):
    """The person who asked can put it right: a wrong value, a missing role, something not connected."""


class UsageError(PersonMovesNext):
    """The words do not make a request. `usage` shows how it is said, `near` names that were meant perhaps."""

    def __init__(self, failed: str, *, usage: str = "", near: tuple[str, ...] = (), next_step: str = "") -> None:
        """Keep what was meant perhaps, so that buttons can offer it."""
        super().__init__(failed, next_step=next_step)
        self.usage = usage
        self.near = near


class RefusedError(PersonMovesNext):
    """The actor lacks the role or the place does not allow it. `needs` names who may."""

    def __init__(self, failed: str, *, needs: str = "", next_step: str = "") -> None:
        """Keep who may, for the button [Ask them]."""
        super().__init__(failed, untouched="Nothing was changed.", next_step=next_step)
        self.needs = needs


class NotConnectedError(PersonMovesNext):
    """A source is not set up. `source` is its name ("Machine"), `setting` what to set."""

    def __init__(self, source: str, setting: str) -> None:
        """One line says it all: `Machine: not connected, set GOOGLE_CLOUD_PROJECT`."""
        super().__init__(f"{source}: not connected, set {setting}")
        self.source = source
        self.setting = setting


class ModelMovesNext(BotError):
    """The model can put it right: bad tool arguments, a figure without evidence."""


class RetryLater(BotError):
    """The same call may work later. `after_s` is the wait in seconds that the other side asked for, if it did."""

    def __init__(self, failed: str, *, after_s: float | None = None, arrived: bool | None = None, next_step: str = "") -> None:
        """`arrived` is False when the call surely did not arrive, None when it may have: then look before repeating a write."""
        super().__init__(failed, next_step=next_step)
        self.after_s = after_s
        self.arrived = arrived


class WeMoveNext(BotError):
    """Our own fault: a bug, a broken record, a refused payload that we built."""
