"""The Shell port over asyncssh: one connection for each machine, kept while it lives; every wait has an end."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import asyncssh

from bot.errors import RetryLater, WeMoveNext
from bot.machine.connecting import Patience, Pause, connect
from bot.machine.streams import Beginning, both_streams, read_both
from bot.ports import Forward, Host, Line, Ran
from bot.ports.machine import MAX_BYTES
from bot.serving.quoting import shell_text

LONGEST_COMMAND = 100 * 1024
"""Bytes. The remote shell gets the command as one argument, and Linux allows 128 KiB for one (MAX_ARG_STRLEN)."""
OPEN_S = 15.0
"""For a channel on a connection that stands."""
CLOSE_S = 2.0
_LOST = (asyncssh.Error, OSError)


@dataclass(frozen=True)
class _Forward:
    """A listening port and the connection that it lives on."""

    port: int
    connection: asyncssh.SSHClientConnection

    async def lost(self) -> None:
        """See `bot.ports.Forward`."""
        await self.connection.wait_closed()


class SshShell:
    """Implements `bot.ports.Shell` in one event loop; close it with `aclose`. `pause` is how it waits between tries."""

    def __init__(self, *, patience: Patience | None = None, pause: Pause = asyncio.sleep) -> None:
        """Nothing is opened. The library's own log tells commands at INFO, so it is kept at WARNING."""
        logging.getLogger("asyncssh").setLevel(logging.WARNING)
        self._patience = patience or Patience()
        self._pause = pause
        self._connections: dict[Host, asyncssh.SSHClientConnection] = {}
        self._doors: dict[Host, asyncio.Lock] = {}

    async def aclose(self) -> None:
        """Close all connections; what still runs on them is cut."""
        connections, self._connections = list(self._connections.values()), {}
        for connection in connections:
            connection.abort()
        await asyncio.gather(*(connection.wait_closed() for connection in connections), return_exceptions=True)

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close all connections."""
        await self.aclose()

    async def run(
        self, host: Host, argv: Sequence[str], *, timeout_s: float, max_bytes: int = MAX_BYTES, stdin: bytes = b""
    ) -> Ran:
        """See `bot.ports.Shell.run`. The time begins when the command does, not with the tries to connect."""
        command = _command(argv)
        process = await self._opened(host, command)
        try:
            async with asyncio.timeout(timeout_s):
                return await _ran(process, max_bytes, stdin)
        except TimeoutError:
            raise RetryLater(
                f"A command on {host.name} did not end within {timeout_s:g} s.",
                arrived=None,
                next_step="Look before trying again.",
            ) from None
        except _LOST:
            raise _connection_lost(host) from None
        finally:
            _end(process)

    async def lines(
        self, host: Host, argv: Sequence[str], *, timeout_s: float, max_bytes: int = MAX_BYTES
    ) -> AsyncGenerator[Line, None]:
        """See `bot.ports.Shell.lines`. The end of the time ends the lines, as the end of the command does."""
        process = await self._opened(host, _command(argv))
        process.stdin.write_eof()
        stream = both_streams(process, max_bytes, asyncio.get_running_loop().time() + timeout_s)
        try:
            while (line := await _next(stream, host)) is not None:
                yield line
        finally:
            await stream.aclose()
            _end(process)

    @asynccontextmanager
    async def forward_local(
        self, host: Host, to_port: int, *, to_host: str = "127.0.0.1", port: int = 0
    ) -> AsyncIterator[Forward]:
        """See `bot.ports.Shell.forward_local`. Raises RetryLater when the local port is taken."""
        connection = await self._connection(host)
        try:
            listener = await connection.forward_local_port("127.0.0.1", port, to_host, to_port)
        except OSError:
            raise RetryLater(f"Port {port} of this machine is taken.", arrived=False, next_step="Choose another port.") from None
        try:
            yield _Forward(listener.get_port(), connection)
        finally:
            listener.close()
            await listener.wait_closed()

    async def _opened(self, host: Host, command: str) -> "asyncssh.SSHClientProcess[bytes]":
        """Start a command. When that fails on a connection that stood, the command may have begun: SSH does not say."""
        connection = await self._connection(host)
        try:
            async with asyncio.timeout(OPEN_S):
                return await connection.create_process(command, encoding=None)
        except (*_LOST, TimeoutError):
            self._forget(host, connection)
            raise _connection_lost(host) from None

    async def _connection(self, host: Host) -> asyncssh.SSHClientConnection:
        """The machine's connection, opened by the first that needs it."""
        async with self._doors.setdefault(host, asyncio.Lock()):
            standing = self._connections.get(host)
            if standing is not None and not standing.is_closed():
                return standing
            fresh = self._connections[host] = await connect(host, self._patience, self._pause)
            return fresh

    def _forget(self, host: Host, connection: asyncssh.SSHClientConnection) -> None:
        connection.abort()
        if self._connections.get(host) is connection:
            del self._connections[host]


async def _next(stream: AsyncGenerator[Line, None], host: Host) -> Line | None:
    """The next line; None at the end of the command or of its time."""
    try:
        return await anext(stream, None)
    except TimeoutError:
        return None
    except _LOST:
        raise _connection_lost(host) from None


def _command(argv: Sequence[str]) -> str:
    """The one string that SSH carries."""
    command = shell_text(argv)
    if not argv or len(command.encode()) > LONGEST_COMMAND:
        raise WeMoveNext(f"A command for a machine would be empty or longer than {LONGEST_COMMAND} bytes.")
    return command


async def _ran(process: "asyncssh.SSHClientProcess[bytes]", limit: int, stdin: bytes) -> Ran:
    """Give it its input, read both streams, wait for its end; when a stream is too long, do not wait."""
    if stdin:
        process.stdin.write(stdin)
    process.stdin.write_eof()
    out, err = Beginning(process.stdout, limit), Beginning(process.stderr, limit)
    await read_both(out, err)
    truncated = out.more or err.more
    if not truncated:
        await process.wait_closed()
    signal = process.exit_signal
    code = process.exit_status if signal is None else None
    if code is None and signal is None and not truncated:
        raise asyncssh.ConnectionLost("no exit status came")
    return Ran(
        exit_code=None if truncated else code,
        stdout=out.text,
        stderr=err.text,
        truncated=truncated,
        signal=signal[0] if signal else None,
    )


def _end(process: "asyncssh.SSHClientProcess[bytes]") -> None:
    """Let go of a command: it is told to end if it still runs."""
    if process.exit_status is None and process.exit_signal is None and not process.is_closing():
        try:
            process.kill()
        except _LOST:
            return
    process.close()


def _connection_lost(host: Host) -> RetryLater:
    return RetryLater(
        f"The connection to {host.name} was lost while a command ran.", arrived=None, next_step="Look before trying again."
    )
