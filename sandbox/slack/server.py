"""The server that puts it all behind one loopback port."""

import asyncio
import ipaddress
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from sandbox.slack.clock import Clock
from sandbox.slack.control import Control
from sandbox.slack.parts import SlackParts
from sandbox.slack.web_api import WebApi
from sandbox.slack.workspace import Workspace

UPLOAD_LIMIT = 64 * 1024 * 1024

Door = Callable[[SlackParts], Sequence[web.RouteDef]]
"""What else is served beside Slack's own addresses, such as the page for the browser."""


class SlackStandIn(SlackParts):
    """One workspace of Slack on loopback."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        clock: Clock | None = None,
        *,
        rate_limits: bool = True,
        request_url: str | None = None,
        refresh_every: float | None = None,
        own_posts_replaceable: bool = True,
        doors: Sequence[Door] = (),
    ) -> None:
        super().__init__(
            workspace, clock, rate_limits=rate_limits, request_url=request_url, own_posts_replaceable=own_posts_replaceable
        )
        self._doors = doors
        self._refresh_every = refresh_every
        self._refreshing: asyncio.Future[None] | None = None
        self._runner: web.AppRunner | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listens and returns the base URL, "http://127.0.0.1:PORT". ValueError for an address that is not loopback."""
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise ValueError("the stand-in listens on loopback only")
        app = web.Application(client_max_size=UPLOAD_LIMIT)
        api = WebApi(self.backend, self.interactions, self.rates, self.faults, self.sockets)
        more = [route for door in self._doors for route in door(self)]
        app.add_routes([*api.routes(), *Control(self).routes(), *more, web.get("/link/", self.sockets.serve)])
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        bound: Any = self._runner.addresses[0]
        self.backend.base_url = f"http://{host}:{bound[1]}"
        if self._refresh_every:
            self._refreshing = asyncio.ensure_future(self.sockets.refresh(self._refresh_every))
        return self.backend.base_url

    async def stop(self) -> None:
        """Ends connections, deliveries and the server."""
        if self._refreshing:
            self._refreshing.cancel()
        await self.deliveries.close()
        await self.sockets.close()
        if self.http:
            await self.http.close()
        if self._runner:
            await self._runner.cleanup()
