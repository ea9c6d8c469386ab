"""What is reached through the machine of a world: its container and logs. Whatever would change something is refused."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.nouns import Container, ContainerStatus, Deployment
from bot.ports import Authorised, Engines, Host, LogPiece, LogSource
from bot.store.absent import NoWishes
from evals.world import LogPart, World

Refuse = Callable[[str], NoReturn]


def engines(world: World, refuse: Refuse) -> Engines:
    """The ports. `refuse` is told each attempt to change something."""
    control, shell = _Control(world, refuse), _Closed(world, refuse)
    return Engines(wishes=NoWishes(), hosts=_Hosts(world, refuse), control=control, shell=shell)


@dataclass
class _Part:
    world: World
    refuse: Refuse


class _Hosts(_Part):
    async def public_key(self, leave: Authorised, deployment: str) -> str:
        del leave, deployment
        self.refuse("make a key")

    async def host(self, deployment: Deployment) -> Host:
        if self.world.machine is None or self.world.container is None:
            raise PersonMovesNext("Machine: it does not let us in.", next_step="Look at it in the console.")
        name = deployment.machine or deployment.name
        return Host(name, "127.0.0.1", 22, "gemma", (), SecretStr(""))


class _Control(_Part):
    async def status(self, host: Host, wanted: Container | None = None) -> ContainerStatus:
        del host, wanted
        box, world = self.world.container, self.world
        assert box is not None
        return ContainerStatus(
            name="gemma-engine",
            state=box.state,
            at=world.at,
            exit_code=box.exit_code,
            out_of_memory=box.out_of_memory,
            since=world.ago(box.for_min),
            restarts=box.restarts,
            deployment=world.deployment.name,
            ours=True,
        )

    async def logs(
        self, host: Host, source: LogSource, *, tail: int = 200, since: datetime | None = None, max_bytes: int = 1_048_576
    ) -> LogPiece:
        del host, max_bytes
        parts = self.world.engine_log if source is LogSource.ENGINE else self.world.system_log
        lines = [line for part in parts for line in self._stamped(part, since)]
        return LogPiece(source, tuple(lines[-tail:]), len(lines) > tail)

    def _stamped(self, part: LogPart, since: datetime | None) -> list[str]:
        at = self.world.ago(part.minutes_ago)
        return [] if since is not None and at < since else [f"{at:%Y-%m-%dT%H:%M:%S}Z {line}" for line in part.read()]

    async def _no(self, what: str) -> NoReturn:
        self.refuse(what)

    def __getattr__(self, name: str) -> Any:
        """Preparing, starting, stopping, restarting and removing are refused alike."""
        if name not in {"prepare", "start", "stop", "restart", "remove"}:
            raise AttributeError(name)
        return lambda *_given, **_named: self._no(f"{name} the engine")


class _Closed(_Part):
    """What no look-up of a model needs: commands on the machine."""

    def __getattr__(self, name: str) -> Any:
        """Whatever is called is noted and refused."""
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_given, **_named: self.refuse(f"{name} on the machine")
