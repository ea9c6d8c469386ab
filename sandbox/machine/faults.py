"""What goes wrong on purpose between us and a machine."""

from dataclasses import dataclass


@dataclass
class Faults:
    """Change the fields at any time; commands count from 1 over the machine's life.

    `drop_before` / `drop_after`: the connection is cut before or after the command with this number acts; nobody hears of it.
    `slow_s`: each command takes this long more, by the clock. `hang`: commands are taken and never answered.
    `refuse_logins`: so many logins fail before the key counts, as after a fresh key; -1: for ever.
    """

    drop_before: int | None = None
    drop_after: int | None = None
    slow_s: float = 0.0
    hang: bool = False
    refuse_logins: int = 0

    def refuses_login(self) -> bool:
        """Whether this login fails; counts it."""
        if self.refuse_logins > 0:
            self.refuse_logins -= 1
            return True
        return self.refuse_logins < 0

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        for name, value in vars(Faults()).items():
            setattr(self, name, value)
