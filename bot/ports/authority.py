"""Leave to change the world outside."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Authorised:
    """Leave to write to the world outside, for one piece of work. Adapters demand it.

    Made by the gate alone (`bot.operations.execute`): tests/bot/cloud/test_leave.py looks for other makers. `others` says that a
    second person said yes to touching what is not ours.
    """

    work_id: str
    others: bool = False
