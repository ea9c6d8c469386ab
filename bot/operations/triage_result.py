"""What triage finds: one explanation, the signs for it, and what is known around it."""

from datetime import datetime

from pydantic import BaseModel

from bot.nouns import Happening


class Triage(BaseModel):
    """By rules, without the model. None is unknown.

    `signs` were seen, `unseen` were looked for and not found or could not be looked at. `line` is the line of the log behind it,
    without secrets and conversations. `running` and `waiting` are requests at the last scrape, at `seen`; `missing` what could
    not be looked at. `act` is (label, words) of what would help, `back_in` how long starts took here.
    """

    deployment: str
    at: datetime
    answers: bool | None
    silent_since: datetime | None
    machine: str | None
    machine_state: str | None
    machine_health: str | None
    container: str | None
    container_since: datetime | None
    exit_code: int | None
    name: str
    title: str
    signs: tuple[str, ...]
    unseen: tuple[str, ...]
    step: str
    act: tuple[str, str] | None
    line: str | None
    check: str | None
    running: float | None
    waiting: float | None
    seen: datetime | None
    back_in: str | None
    last_change: Happening | None
    missing: tuple[str, ...]

    @property
    def matched(self) -> str:
        """For instance "4 of 4 signs"."""
        total = len(self.signs) + len(self.unseen)
        return f"{len(self.signs)} of {total} sign{'s' * (total != 1)}"
