"""Signed slash commands over HTTP, from plain asyncio streams: a client that costs next to nothing beside the servers."""

import asyncio
import itertools
import time
from collections.abc import Callable
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

_numbers = itertools.count(1)


class Slack:
    """Signs and sends commands to one server; each has a trigger id of its own."""

    def __init__(self, port: int, signing_secret: str, tag: str) -> None:
        self._port = port
        self._signer = SignatureVerifier(signing_secret)
        self._tag = tag

    def request(self) -> bytes:
        """One whole HTTP request."""
        fields = {
            "command": "/gemma",
            "text": "status",
            "team_id": "T0SANDBOX",
            "user_id": "U0ANNA",
            "channel_id": "C0OPS",
            "channel_name": "ops",
            "trigger_id": f"{self._tag}.{next(_numbers)}",
            "api_app_id": "A0GEMMA",
            "response_url": "http://127.0.0.1:9/none",
            "token": "t",
        }
        body = urlencode(fields)
        stamp = str(int(time.time()))
        signature = self._signer.generate_signature(timestamp=stamp, body=body)
        head = (
            f"POST /slack/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\nX-Slack-Request-Timestamp: {stamp}\r\nX-Slack-Signature: {signature}\r\n\r\n"
        )
        return (head + body).encode()

    async def connect(self) -> "Connection":
        """A connection that is kept."""
        return Connection(*await asyncio.open_connection("127.0.0.1", self._port))


class Connection:
    """One kept connection, one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, request: bytes) -> int:
        """The status of the answer, after its whole body has arrived."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        length = next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), None)
        if length is None:
            while (await self._reader.readuntil(b"\r\n")) != b"0\r\n":
                await self._reader.readuntil(b"\r\n")
            await self._reader.readuntil(b"\r\n")
        elif length:
            await self._reader.readexactly(length)
        return int(lines[0].split()[1])

    def close(self) -> None:
        """End it."""
        self._writer.close()


async def _timed(connection: Connection, slack: Slack) -> float:
    request = slack.request()
    began = time.perf_counter()
    status = await connection.send(request)
    took = time.perf_counter() - began
    if status != 200:
        raise RuntimeError(f"answered {status}")
    return took


async def one_at_a_time(slack: Slack, n: int) -> list[float]:
    """Seconds of each of `n` requests on one connection."""
    connection = await slack.connect()
    for _ in range(20):
        await _timed(connection, slack)
    found = [await _timed(connection, slack) for _ in range(n)]
    connection.close()
    return found


async def open_loop(slack: Slack, per_second: float, seconds: float) -> list[float]:
    """Seconds from the intended time of each request to its answer, whatever the server is still busy with."""
    free = [await slack.connect() for _ in range(16)]
    began = time.perf_counter()
    found: list[float] = []

    async def one(at: float) -> None:
        connection = free.pop() if free else await slack.connect()
        await _timed(connection, slack)
        found.append(time.perf_counter() - at)
        free.append(connection)

    async with asyncio.TaskGroup() as group:
        for number in range(int(per_second * seconds)):
            at = began + number / per_second
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            group.create_task(one(at))
    for connection in free:
        connection.close()
    return found


async def saturated(slack: Slack, connections: int, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Answered requests per second when every connection asks again at once."""
    kept = [await slack.connect() for _ in range(connections)]
    ends = clock() + seconds
    counts = [0] * connections

    async def ask(index: int) -> None:
        while clock() < ends:
            await _timed(kept[index], slack)
            counts[index] += 1

    await asyncio.gather(*(ask(index) for index in range(connections)))
    for connection in kept:
        connection.close()
    return sum(counts) / seconds
