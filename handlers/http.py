"""HTTP mode: Slack's requests by Bolt's ASGI adapter on uvicorn, and the health check on the same server."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, MutableMapping
from typing import Any

import uvicorn
from slack_bolt.adapter.asgi.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp

PATH = "/slack/events"
"""Where Slack sends events, commands and presses; the manifest names the same path."""

BODY_LIMIT = 1_000_000
"""Bytes of a request that are read. Slack's own payloads stay far below; a view may hold 250,000."""

GRACE_S = 5
"""After a stop, requests that are being answered have this long."""

Message = MutableMapping[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Health = Callable[[], Awaitable[str | None]]
"""None when all is well, else why not."""


class Application:
    """The ASGI application: `/healthz` answers by `health`, everything else is Bolt's, which checks the signature."""

    def __init__(self, app: AsyncApp, health: Health) -> None:
        """Nothing listens before it is served."""
        self._bolt = AsyncSlackRequestHandler(app, path=PATH)
        self._health = health

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. What has no length or too much of it is refused before it is read: nobody has signed it yet."""
        if scope["type"] == "http" and scope["path"] == "/healthz":
            why = await self._health()
            await _answer(send, 200 if why is None else 503, f"{why or 'ok'}\n")
        elif scope["type"] == "http" and scope["method"] == "POST" and not _short(scope):
            await _answer(send, 413, "too long\n")
        else:
            await self._bolt(scope, receive, send)


def _short(scope: Scope) -> bool:
    length = dict(scope["headers"]).get(b"content-length", b"")
    return bool(length.isdigit() and int(length) <= BODY_LIMIT)


async def _answer(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


class _Server(uvicorn.Server):
    """uvicorn without signal handlers of its own: the process ends by our own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals alone."""
        yield


@contextlib.asynccontextmanager
async def serving(application: Application, host: str, port: int) -> AsyncIterator[None]:
    """Serve until left. Neither requests nor their addresses are logged. Raises OSError when the port is taken.

    uvicorn would end the whole process then, so it is handed a socket that listens already."""
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.wait({task})
        listener.close()
