"""Leave to change the world outside."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Authorised:
    """Leave to write to the world outside, for one piece of work. Made only by the gate (`bot.operations.execute`); adapters demand it.

    `others` says that a second person said yes to touching what is not ours.
    """

    work_id: str
    others: bool = False
