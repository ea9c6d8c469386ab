"""A machine reached over SSH, and the engine's container on it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.nouns import Container, ContainerStatus, Preparation
from bot.ports.authority import Authorised

MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Host:
    """How one machine is reached. `name` is what people call it; `host_keys` are its public keys ("ssh-ed25519 AAAA...") as its
    guest attributes tell them; `private_key` is ours in OpenSSH's text form, one pair for each deployment.
    """

    name: str
    address: str
    port: int
    user: str
    host_keys: tuple[str, ...]
    private_key: SecretStr = field(repr=False)


@dataclass(frozen=True)
class Ran:
    """What a command came to. `exit_code` is None when a signal ended it (`signal`, such as "KILL") or we stopped reading.

    Each stream holds its beginning when it was longer than what was asked for; then `truncated` is True.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    truncated: bool = False
    signal: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with 0."""
        return self.exit_code == 0


@dataclass(frozen=True)
class Line:
    """One line of a running command, without its end. `cut` when it was longer than we keep."""

    stream: Literal["stdout", "stderr"]
    text: str
    cut: bool = False


class Forward(Protocol):
    """A local port that leads to the machine."""

    @property
    def port(self) -> int:
        """On 127.0.0.1."""

    async def lost(self) -> None:
        """Return when the connection below it is gone; the port is closed then."""


class KeyRefusedError(PersonMovesNext):
    """The machine does not let us in with our key: on one that was just made, the key may still be on its way."""


class Shell(Protocol):
    """Commands on machines. Every method raises RetryLater when the machine cannot be reached or falls silent (`arrived` False:
    the command surely did not start; None: it may have), PersonMovesNext when its host key is refused, KeyRefusedError our key.
    """

    async def run(
        self, host: Host, argv: Sequence[str], *, timeout_s: float, max_bytes: int = MAX_BYTES, stdin: bytes = b""
    ) -> Ran:
        """Run a command to its end and return what it said, at most `max_bytes` of each stream."""

    def lines(
        self, host: Host, argv: Sequence[str], *, timeout_s: float, max_bytes: int = MAX_BYTES
    ) -> AsyncGenerator[Line, None]:
        """The lines of both streams as they come, until it ends, `max_bytes` were read or the time is over. Closing it ends the
        command. A non-zero end raises nothing here.
        """

    def forward_local(
        self, host: Host, to_port: int, *, to_host: str = "127.0.0.1", port: int = 0
    ) -> AbstractAsyncContextManager[Forward]:
        """Listen on 127.0.0.1 (`port` 0: a free one) and lead each connection to `to_host`:`to_port` as the machine sees it."""


class LogSource(StrEnum):
    """Logs of a machine. ENGINE: the container; SYSTEM: the journal; KERNEL: the kernel's own messages."""

    ENGINE = "engine"
    SYSTEM = "system"
    KERNEL = "kernel"


@dataclass(frozen=True)
class LogPiece:
    """A bounded piece of a log, oldest line first, with secrets hidden. `truncated`: there was more in the time asked for."""

    source: LogSource
    lines: tuple[str, ...]
    truncated: bool


Progress = Callable[[str], Awaitable[None]]
"""Told what is being done, in a few plain words ("pulling the image: 7 of 12 layers"); may be called often."""


class EngineControl(Protocol):
    """The engine's container on one machine. Errors as `Shell`, and PersonMovesNext with docker's own words when it refuses."""

    async def status(self, host: Host, wanted: Container | None = None) -> ContainerStatus:
        """What docker says, with the drift from what is wanted. Absent is a status, not an error."""

    async def prepare(self, host: Host, wanted: Container, leave: Authorised) -> Preparation:
        """Have the machine fetch what a start needs (secrets, image), and say how far it is. Returns at once: the machine goes on
        by itself, for up to 45 min. Ask again until it is done or failed; asking again starts nothing twice, and after a failure
        it starts anew. Raises PersonMovesNext when another container may hold the TPU.
        """

    async def start(
        self, host: Host, wanted: Container, leave: Authorised, *, progress: Progress | None = None
    ) -> ContainerStatus:
        """Bring up exactly what is wanted and return once the container runs (ready is later). What runs as wanted is left alone;
        one of ours with other flags is removed first. Raises PersonMovesNext when another container may hold the TPU. What was
        not prepared for this very work before is waited for here.
        """

    async def stop(self, host: Host, leave: Authorised) -> ContainerStatus:
        """Let the engine end, 30 s for its requests. Already ended or absent: nothing is done."""

    async def restart(
        self, host: Host, wanted: Container, leave: Authorised, *, progress: Progress | None = None
    ) -> ContainerStatus:
        """Stop it and start it as wanted."""

    async def remove(self, host: Host, leave: Authorised) -> ContainerStatus:
        """Remove our container, running or not. Absent: nothing is done."""

    async def logs(
        self, host: Host, source: LogSource, *, tail: int = 200, since: datetime | None = None, max_bytes: int = MAX_BYTES
    ) -> LogPiece:
        """The last `tail` lines (of the engine: both streams, by time), no older than `since`.

        When they are more than `max_bytes`, the newest of them.
        """
