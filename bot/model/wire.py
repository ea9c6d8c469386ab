"""One call over HTTP with deadlines, a bound on the body, and our own errors instead of the library's."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import httpx

from bot.errors import BotError, PersonMovesNext, RetryLater
from bot.model.address import WHAT, ServerAddress

MAX_BODY_BYTES = 8 * 1024 * 1024
"""A scrape of vLLM 0.32.0 is 55 to 65 kB for one engine [recorded]; this leaves room for a hundred engines."""

LIMITS = httpx.Limits(max_connections=20, max_keepalive_connections=10, keepalive_expiry=4.0)
"""Connections for all deployments together: each is asked by a few calls at a time.

Idle ones are closed before the server does it: uvicorn, which vLLM runs on, keeps them for 5 s, and a call sent into a
connection that is just being closed would look like a server that does not answer.
"""

UNDERSTOOD = {"Accept": "text/plain, application/json", "Accept-Encoding": "identity", "User-Agent": "gemma-chatops"}
"""Uncompressed, so that the bound on the body is one on memory."""


@dataclass(frozen=True)
class TimeOuts:
    """Seconds: to connect, between two pieces of an answer, and for a call as a whole."""

    connect_s: float = 2.0
    read_s: float = 5.0
    total_s: float = 10.0


@dataclass(frozen=True)
class Reply:
    """What was answered. `place` is host:port for messages; `after_s` what Retry-After asks for, in seconds."""

    place: str
    status: int
    body: bytes
    after_s: float | None = None

    def expect_ok(self) -> "Reply":
        """Itself when the status is 200, else the error that it means."""
        if self.status == 200:
            return self
        if self.status in (401, 403):
            raise PersonMovesNext(
                f"The API key is not accepted by {WHAT} at {self.place} (HTTP {self.status})",
                next_step="Set the key that the server was started with (--api-key).",
            )
        if self.status in (408, 425, 429) or self.status >= 500:
            raise RetryLater(f"{WHAT} at {self.place} answers {self.status} instead of what was asked", after_s=self.after_s)
        raise not_vllm(self.place)

    def text(self) -> str:
        """The body as UTF-8; RetryLater when it is none."""
        try:
            return self.body.decode()
        except UnicodeDecodeError as error:
            raise unreadable(self.place, "text") from error


def not_vllm(place: str) -> PersonMovesNext:
    """Something answers there, but it is no vLLM."""
    return PersonMovesNext(
        f"What answers at {place} is not a vLLM server",
        next_step="Check host, port and path of its address.",
    )


def unreadable(place: str, what: str) -> RetryLater:
    """Half an answer or a broken one."""
    return RetryLater(f"The {what} that {WHAT} at {place} sent cannot be read; nothing was recorded from it")


class Wire:
    """Two pools, opened on first use: one for plain http, one for https (its certificates take 15 ms to load)."""

    def __init__(
        self,
        time_outs: TimeOuts,
        *,
        tls: ssl.SSLContext | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`tls` holds the certificates to trust (None: those that httpx ships); `transport` stands in for the network."""
        self._time_outs = time_outs
        self._tls = tls
        self._max_body_bytes = max_body_bytes
        self._transport = transport
        self._clients: dict[bool, httpx.AsyncClient] = {}

    async def aclose(self) -> None:
        """Close both pools."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()

    async def get(self, address: ServerAddress, path: str, headers: Mapping[str, str]) -> Reply:
        """One GET; redirects are not followed and proxies of the environment not used.

        RetryLater when nothing or half an answer comes in time, PersonMovesNext when no secure connection can be made or the
        answer is larger than any vLLM's.
        """
        try:
            async with asyncio.timeout(self._time_outs.total_s):
                return await self._read(address, path, headers)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise _translated(error, address.place) from error

    async def _read(self, address: ServerAddress, path: str, headers: Mapping[str, str]) -> Reply:
        """Status and bounded body."""
        async with self._client(address.tls).stream("GET", address.root + path, headers=dict(headers)) as response:
            return await self._whole(response, address.place)

    async def _whole(self, response: httpx.Response, place: str) -> Reply:
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self._max_body_bytes:
                raise not_vllm(place)
        return Reply(place, response.status_code, bytes(body), _seconds(response.headers.get("retry-after")))

    async def post(
        self, address: ServerAddress, path: str, headers: Mapping[str, str], body: Mapping[str, Any], deadline_s: float
    ) -> Reply:
        """One POST of JSON whose whole answer must be there within `deadline_s` seconds. Errors as for `get`."""
        try:
            async with asyncio.timeout(deadline_s), self._posting(address, path, headers, body, deadline_s) as response:
                return await self._whole(response, address.place)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise _translated(error, address.place) from error

    async def post_lines(
        self, address: ServerAddress, path: str, headers: Mapping[str, str], body: Mapping[str, Any], deadline_s: float
    ) -> AsyncIterator[str | Reply]:
        """The same for an answer that comes line by line. When the status is not 200, one Reply comes instead of lines."""
        ends_at = asyncio.get_running_loop().time() + deadline_s
        size = 0
        try:
            async with self._posting(address, path, headers, body, deadline_s) as response:
                if response.status_code != 200:
                    yield await self._whole(response, address.place)
                    return
                lines = response.aiter_lines()
                while True:
                    async with asyncio.timeout_at(ends_at):
                        line = await anext(lines, None)
                    if line is None:
                        return
                    size += len(line)
                    if size > self._max_body_bytes:
                        raise not_vllm(address.place)
                    yield line
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise _translated(error, address.place) from error

    def _posting(
        self, address: ServerAddress, path: str, headers: Mapping[str, str], body: Mapping[str, Any], deadline_s: float
    ) -> AbstractAsyncContextManager[httpx.Response]:
        waits = httpx.Timeout(deadline_s, connect=self._time_outs.connect_s, pool=self._time_outs.connect_s)
        return self._client(address.tls).stream(
            "POST", address.root + path, headers=dict(headers), json=dict(body), timeout=waits
        )

    def _client(self, tls: bool) -> httpx.AsyncClient:
        """The pool for this scheme. Plain http gets an empty TLS context, which trusts nobody, for speed."""
        if tls not in self._clients:
            trusted = (self._tls or httpx.create_ssl_context(trust_env=False)) if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            seconds = httpx.Timeout(self._time_outs.read_s, connect=self._time_outs.connect_s, pool=self._time_outs.connect_s)
            self._clients[tls] = httpx.AsyncClient(
                verify=trusted,
                timeout=seconds,
                limits=LIMITS,
                headers=UNDERSTOOD,
                follow_redirects=False,
                trust_env=False,
                transport=self._transport,
            )
        return self._clients[tls]


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After in seconds, when it is a plain number of them (dates are not used by vLLM or its proxies)."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else None


def _translated(error: Exception, place: str) -> BotError:
    """Our error for the library's. Its text is not repeated: it may hold what was sent."""
    if any(isinstance(cause, ssl.SSLError) for cause in _causes(error)):
        return PersonMovesNext(
            f"No secure connection to {WHAT} at {place}: its certificate or protocol is not accepted",
            next_step="Check that https is right there and that its certificate names this host.",
        )
    arrived = False if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout) else None
    return RetryLater(
        f"{WHAT} does not answer at {place}",
        arrived=arrived,
        next_step="Is the engine up, and is this its address?",
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it."""
    step: BaseException | None = error
    while step is not None:
        yield step
        step = step.__cause__ or step.__context__
