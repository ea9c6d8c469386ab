"""The EngineControl port over a Shell: docker on the machine does what the specification says, and is looked at afterwards."""

import asyncio
from datetime import datetime

from bot.errors import PersonMovesNext, RetryLater
from bot.machine import docker, preparing
from bot.machine.connecting import Pause
from bot.machine.logs import READ_BYTES, log_command, piece_of
from bot.nouns import Container, ContainerState, ContainerStatus, Preparation
from bot.ports import Authorised, Clock, Host, LogPiece, LogSource, Progress, Ran, Shell
from bot.ports.machine import MAX_BYTES

READ_S = 20.0
CHANGE_S = 60.0
STOP_S = docker.STOP_GRACE_S + 30.0
LOOK_PAUSE_S = 2.0
_RUNNING = frozenset({ContainerState.RUNNING, ContainerState.RESTARTING})
_BEYOND_START = frozenset({ContainerState.DEAD, ContainerState.PAUSED, ContainerState.UNKNOWN})
"""States out of which `docker start` does not lead."""


async def _untold(_: str) -> None:
    """Tell nobody."""


class DockerEngine:
    """Implements `bot.ports.EngineControl`. Reads are tried again once; what changes something is sent once, then looked at."""

    def __init__(self, shell: Shell, clock: Clock, *, pause: Pause = asyncio.sleep) -> None:
        """Keep what was passed; `pause` is how it waits between looks at what the machine does by itself."""
        self._shell = shell
        self._clock = clock
        self._pause = pause

    async def status(self, host: Host, wanted: Container | None = None) -> ContainerStatus:
        """See `bot.ports.EngineControl.status`."""
        told = await self._read(host, docker.inspect())
        if not told.ok and not docker.is_absent(told):
            raise docker.refused("Asking docker", host.name, told)
        running = await self._read(host, docker.others())
        return docker.status_of(told, self._clock.now(), wanted, docker.in_the_way(running))

    async def prepare(self, host: Host, wanted: Container, leave: Authorised) -> Preparation:
        """See `bot.ports.EngineControl.prepare`."""
        self._refuse_strangers(host, await self.status(host, wanted), leave)
        return await self._preparation(host, wanted, leave)

    async def start(
        self, host: Host, wanted: Container, leave: Authorised, *, progress: Progress | None = None
    ) -> ContainerStatus:
        """See `bot.ports.EngineControl.start`."""
        tell = progress or _untold
        found = await self.status(host, wanted)
        self._refuse_strangers(host, found, leave)
        if found.state in _RUNNING and not found.drift:
            return found
        await self._prepared(host, wanted, leave, tell)
        if found.state is ContainerState.ABSENT:
            await self._make(host, wanted, tell)
        elif found.drift or found.state in _BEYOND_START:
            await tell("removing the old container")
            await self._change(host, docker.remove(), "Removing the old container", CHANGE_S)
            await self._make(host, wanted, tell)
        else:
            await tell("starting the engine")
            await self._change(host, docker.start(), "Starting the engine", CHANGE_S)
        return await self.status(host, wanted)

    async def stop(self, host: Host, leave: Authorised) -> ContainerStatus:
        """See `bot.ports.EngineControl.stop`."""
        found = await self._ours(host, leave)
        if found.state in _RUNNING | {ContainerState.PAUSED}:
            await self._change(host, docker.stop(), "Stopping the engine", STOP_S)
            return await self.status(host)
        return found

    async def restart(
        self, host: Host, wanted: Container, leave: Authorised, *, progress: Progress | None = None
    ) -> ContainerStatus:
        """See `bot.ports.EngineControl.restart`."""
        await self.stop(host, leave)
        return await self.start(host, wanted, leave, progress=progress)

    async def remove(self, host: Host, leave: Authorised) -> ContainerStatus:
        """See `bot.ports.EngineControl.remove`."""
        found = await self._ours(host, leave)
        if found.state is ContainerState.ABSENT:
            return found
        await self._change(host, docker.remove(), "Removing the container", CHANGE_S)
        return await self.status(host)

    async def logs(
        self, host: Host, source: LogSource, *, tail: int = 200, since: datetime | None = None, max_bytes: int = MAX_BYTES
    ) -> LogPiece:
        """See `bot.ports.EngineControl.logs`."""
        ran = await self._read(host, log_command(source, tail, since), READ_BYTES)
        return piece_of(source, host, ran, tail, max_bytes)

    async def _prepared(self, host: Host, wanted: Container, leave: Authorised, tell: Progress) -> None:
        """Secrets and image first, so that the old engine serves on while they come. Raises PersonMovesNext when they do not."""
        while not (found := await self._preparation(host, wanted, leave)).done:
            if found.failed is not None:
                raise PersonMovesNext(
                    f"{found.doing} on {host.name} failed: {found.failed}", next_step="Look at `logs system` and `engine status`."
                )
            await tell(found.doing)
            await self._pause(LOOK_PAUSE_S)

    async def _preparation(self, host: Host, wanted: Container, leave: Authorised) -> Preparation:
        """Look first, for an earlier try may have begun it; begin it when there is something to fetch."""
        unit = preparing.unit_of(wanted, leave)
        state = preparing.state_of(await self._read(host, preparing.show(unit)))
        if state is None:
            return await self._begin(host, wanted, unit)
        lines = await self._read(host, preparing.said(unit))
        if state == "failed":
            await self._shell.run(host, preparing.forget(unit), timeout_s=READ_S)
        return preparing.preparation_of(state, lines)

    async def _begin(self, host: Host, wanted: Container, unit: str) -> Preparation:
        """Begin it. That it was begun meanwhile by the try before is no failure: the next look tells."""
        if not wanted.secrets_script and (await self._read(host, docker.image_is_there(wanted.image))).ok:
            return Preparation(done=True)
        script = preparing.script_of(wanted).encode()
        self._expect(await self._shell.run(host, preparing.put(unit), timeout_s=READ_S, stdin=script), "Preparing", host)
        began = await self._shell.run(host, preparing.begin(unit), timeout_s=READ_S)
        if not began.ok and preparing.state_of(await self._read(host, preparing.show(unit))) is None:
            raise docker.refused("Preparing the start", host.name, began)
        return preparing.preparation_of("under way", Ran(0, "", ""))

    async def _make(self, host: Host, wanted: Container, tell: Progress) -> None:
        await tell("starting the engine")
        await self._change(host, docker.run(wanted), "Starting the engine", CHANGE_S)

    async def _ours(self, host: Host, leave: Authorised) -> ContainerStatus:
        """The container, when it is there and ours or a second person said yes."""
        found = await self.status(host)
        if found.state is not ContainerState.ABSENT and not (found.ours or leave.others):
            raise PersonMovesNext(
                f"The container {found.name} on {host.name} was not made by this bot.",
                untouched="Nothing was changed.",
                next_step="Have a second person say yes, or remove it yourself.",
            )
        return found

    def _refuse_strangers(self, host: Host, found: ContainerStatus, leave: Authorised) -> None:
        """A TPU serves one process: another engine on the machine makes ours fail minutes later with an obscure error."""
        if found.in_the_way:
            raise PersonMovesNext(
                f"The container {', '.join(found.in_the_way)[:120]} on {host.name} may hold the TPU.",
                untouched="Nothing was started.",
                next_step="Stop it first: one TPU serves one engine.",
            )
        if found.state is not ContainerState.ABSENT and not (found.ours or leave.others):
            raise PersonMovesNext(
                f"The container {found.name} on {host.name} was not made by this bot.",
                untouched="Nothing was started.",
                next_step="Have a second person say yes, or remove it yourself.",
            )

    async def _read(self, host: Host, argv: tuple[str, ...], max_bytes: int = MAX_BYTES) -> Ran:
        """A command without effect: tried again once when the connection was lost."""
        try:
            return await self._shell.run(host, argv, timeout_s=READ_S, max_bytes=max_bytes)
        except RetryLater:
            return await self._shell.run(host, argv, timeout_s=READ_S, max_bytes=max_bytes)

    async def _change(self, host: Host, argv: tuple[str, ...], doing: str, timeout_s: float) -> None:
        """A command with effect: sent once."""
        self._expect(await self._shell.run(host, argv, timeout_s=timeout_s), doing, host)

    def _expect(self, ran: Ran, doing: str, host: Host) -> None:
        if not ran.ok:
            raise docker.refused(doing, host.name, ran)
