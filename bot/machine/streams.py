"""Reading what a command says, with an end to everything: bytes, lines, time."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Literal

import asyncssh

from bot.ports import Line

PIECE = 32 * 1024
LONGEST_LINE = 64 * 1024
"""Bytes kept of one line; vLLM's longest line is about 5,000."""


class Beginning:
    """The first `limit` bytes of a stream; `more` says that there were others, and reading stopped there."""

    def __init__(self, reader: "asyncssh.SSHReader[bytes]", limit: int) -> None:
        """Nothing is read yet."""
        self._reader = reader
        self._limit = limit
        self._kept = bytearray()
        self.more = False

    @property
    def text(self) -> str:
        """What was read; bytes that are no UTF-8 become replacement characters."""
        return bytes(self._kept).decode("utf-8", "replace")

    async def read(self) -> None:
        """Read to the end or the limit."""
        while not self.more and (piece := await self._reader.read(PIECE)):
            self._kept += piece
            self.more = len(self._kept) > self._limit
            del self._kept[self._limit :]


async def read_both(first: Beginning, second: Beginning) -> None:
    """Read both at once. When one is too long the other is not waited for: its end may never come."""
    tasks = {asyncio.create_task(one.read()) for one in (first, second)}
    try:
        waiting = tasks
        while waiting and not (first.more or second.more):
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class LineSplitter:
    """Turns pieces of one stream into lines; a line that never ends is cut and its rest thrown away."""

    def __init__(self, stream: Literal["stdout", "stderr"]) -> None:
        """Begin with nothing."""
        self._stream = stream
        self._open = bytearray()
        self._too_long = False

    def take(self, piece: bytes) -> list[Line]:
        """The lines that this piece completes."""
        *whole, rest = piece.split(b"\n")
        lines = []
        for part in whole:
            self._add(part)
            lines.append(self._close())
        self._add(rest)
        return lines

    def end(self) -> list[Line]:
        """What was left without an end of line."""
        return [self._close()] if self._open or self._too_long else []

    def _add(self, part: bytes) -> None:
        room = LONGEST_LINE - len(self._open)
        self._too_long = self._too_long or len(part) > room
        self._open += part[: max(0, room)]

    def _close(self) -> Line:
        text = bytes(self._open).decode("utf-8", "replace").rstrip("\r")
        line = Line(self._stream, text, cut=self._too_long)
        self._open.clear()
        self._too_long = False
        return line


async def both_streams(process: "asyncssh.SSHClientProcess[bytes]", limit: int, until: float) -> AsyncGenerator[Line, None]:
    """Lines of both streams as they come, until both end, `limit` bytes were read, or the loop's time is `until` (TimeoutError).

    What nobody takes is not read on. Time that the taker spends between two lines is never cut short: only waiting here is.
    """
    queue: asyncio.Queue[Line | None] = asyncio.Queue(maxsize=256)
    left = [limit]
    readers: list[tuple[Any, Literal["stdout", "stderr"]]] = [(process.stdout, "stdout"), (process.stderr, "stderr")]
    tasks = [asyncio.create_task(_pump(reader, LineSplitter(name), queue, left)) for reader, name in readers]
    open_streams = len(tasks)
    try:
        while open_streams:
            async with asyncio.timeout_at(until):
                line = await queue.get()
            if line is None:
                open_streams -= 1
            else:
                yield line
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pump(reader: Any, splitter: LineSplitter, queue: "asyncio.Queue[Line | None]", left: list[int]) -> None:
    """Read one stream into the queue; None marks its end, whatever the end was."""
    try:
        while left[0] > 0 and (piece := await reader.read(PIECE)):
            kept = piece[: left[0]]
            left[0] -= len(piece)
            for line in splitter.take(kept):
                await queue.put(line)
        for line in splitter.end():
            await queue.put(line)
    finally:
        await queue.put(None)
