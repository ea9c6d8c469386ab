"""Transient units of systemd, as far as we use them: begun once by name, going on by themselves, their lines in a journal."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sandbox.machine.docker import Answer
from sandbox.machine.options import UnknownOption, read

RUN = {"--quiet": False, "--unit": True, "--property": True}
Say = Callable[[str], Awaitable[None]]
CarryOut = Callable[[str, Say], Awaitable[Answer]]


@dataclass
class Unit:
    """One unit: its lines, and how it stands in systemd's words."""

    lines: list[str] = field(default_factory=list)
    state: tuple[str, str] = ("active", "running")
    task: asyncio.Task[None] | None = None


class Units:
    """`files` are scripts that were written before, by path; `carry_out` does what one of them says."""

    def __init__(self, carry_out: CarryOut) -> None:
        """None runs yet."""
        self._carry_out = carry_out
        self.files: dict[str, str] = {}
        self.units: dict[str, Unit] = {}

    def begin(self, words: list[str]) -> Answer:
        """`systemd-run`: a name that is taken is refused in systemd's words."""
        try:
            asked = read(words, RUN)
        except UnknownOption as error:
            return Answer(1, err=f"systemd-run: unrecognized option '{error}'\n")
        name = asked.last("--unit")
        if name in self.units:
            return Answer(
                1,
                err=f"Failed to start transient service unit: Unit {name}.service was already loaded or has a fragment file.\n",
            )
        match asked.words:
            case ["timeout", _, "bash", path] if path in self.files:
                unit = self.units[name] = Unit()
                unit.task = asyncio.get_running_loop().create_task(self._run(unit, self.files[path]))
                return Answer(0)
        return Answer(1, err=f"Failed to find executable {asked.words[:1]}: No such file or directory\n")

    def control(self, verb: str, words: list[str]) -> Answer:
        """`systemctl show` and `reset-failed`."""
        *_, name = words
        unit = self.units.get(name)
        if verb == "show":
            loaded, (active, sub) = ("loaded", unit.state) if unit else ("not-found", ("inactive", "dead"))
            return Answer(0, f"LoadState={loaded}\nActiveState={active}\nSubState={sub}\n")
        if verb == "reset-failed" and unit is not None and unit.state[0] == "failed":
            del self.units[name]
            return Answer(0)
        return Answer(1, err=f"Failed to reset failed state of unit {name}.service: Unit {name}.service not loaded.\n")

    def journal(self, name: str, most: int) -> Answer:
        """The last lines of one unit."""
        unit = self.units.get(name)
        return Answer(0, "".join(line + "\n" for line in unit.lines[-most:]) if unit else "")

    def end(self) -> None:
        """The machine goes down: what ran is gone, and so is what was in /run."""
        for unit in self.units.values():
            if unit.task is not None:
                unit.task.cancel()
        self.units.clear()
        self.files.clear()

    async def _run(self, unit: Unit, script: str) -> None:
        async def say(text: str) -> None:
            unit.lines += text.splitlines()

        answer = await self._carry_out(script, say)
        unit.lines += [*answer.out.splitlines(), *answer.err.splitlines()]
        unit.state = ("failed", "failed") if answer.code else ("active", "exited")
