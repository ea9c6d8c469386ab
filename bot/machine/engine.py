"""The EngineControl port over a Shell: docker on the machine does what the specification says, and is looked at afterwards."""

from datetime import datetime

from bot.errors import PersonMovesNext, RetryLater
from bot.machine import docker
from bot.machine.logs import READ_BYTES, log_command, piece_of
from bot.machine.pulling import PullProgress
from bot.nouns import Container, ContainerState, ContainerStatus
from bot.ports import Authorised, Clock, Host, LogPiece, LogSource, Progress, Ran, Shell
from bot.ports.machine import MAX_BYTES

READ_S = 20.0
CHANGE_S = 60.0
STOP_S = docker.STOP_GRACE_S + 30.0
SECRETS_S = 420.0
"""The script tries for five minutes."""
PULL_S = 1_800.0
"""The TPU image is about 10 GB; half an hour is 6 MB/s."""
_RUNNING = frozenset({ContainerState.RUNNING, ContainerState.RESTARTING})
_BEYOND_START = frozenset({ContainerState.DEAD, ContainerState.PAUSED, ContainerState.UNKNOWN})
"""States out of which `docker start` does not lead."""


async def _untold(_: str) -> None:
    """Tell nobody."""


class DockerEngine:
    """Implements `bot.ports.EngineControl`. Reads are tried again once; what changes something is sent once, then looked at."""

    def __init__(self, shell: Shell, clock: Clock) -> None:
        """Keep what was passed."""
        self._shell = shell
        self._clock = clock

    async def status(self, host: Host, wanted: Container | None = None) -> ContainerStatus:
        """See `bot.ports.EngineControl.status`."""
        told = await self._read(host, docker.inspect())
        if not told.ok and not docker.is_absent(told):
            raise docker.refused("Asking docker", host.name, told)
        running = await self._read(host, docker.others())
        return docker.status_of(told, self._clock.now(), wanted, docker.in_the_way(running))

    async def start(
        self, host: Host, wanted: Container, leave: Authorised, *, progress: Progress | None = None
    ) -> ContainerStatus:
        """See `bot.ports.EngineControl.start`."""
        tell = progress or _untold
        found = await self.status(host, wanted)
        self._refuse_strangers(host, found, leave)
        if found.state in _RUNNING and not found.drift:
            return found
        await self._prepare(host, wanted, tell)
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

    async def _prepare(self, host: Host, wanted: Container, tell: Progress) -> None:
        """Secrets and image first, so that the old engine serves on while they come."""
        if wanted.secrets_script:
            await tell("fetching secrets into the machine's memory")
            ran = await self._shell.run(
                host, docker.root_shell(), timeout_s=SECRETS_S, max_bytes=64 * 1024, stdin=wanted.secrets_script.encode()
            )
            self._expect(ran, "Fetching the secrets", host)
        there = await self._read(host, docker.image_is_there(wanted.image))
        if not there.ok:
            await self._pull(host, wanted.image, tell)

    async def _pull(self, host: Host, image: str, tell: Progress) -> None:
        """Pull with progress, then look whether it is there: the stream tells no exit code."""
        await tell("pulling the image")
        layers, last = PullProgress(), ""
        async for line in self._shell.lines(host, docker.pull(image), timeout_s=PULL_S):
            last = line.text.strip() or last
            news = layers.take(line.text)
            if news is not None:
                await tell(news)
        if not (await self._read(host, docker.image_is_there(image))).ok:
            raise docker.refused("Pulling the image", host.name, Ran(1, "", last))

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
