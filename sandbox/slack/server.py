"""The server that puts it all behind one loopback port."""

import asyncio
import ipaddress
from typing import Any

from aiohttp import web

from sandbox.slack.backend import Backend
from sandbox.slack.clock import Clock, WallClock
from sandbox.slack.control import Control
from sandbox.slack.deliveries import Deliveries
from sandbox.slack.faults import Faults
from sandbox.slack.http_mode import HttpMode
from sandbox.slack.interaction import Interactions
from sandbox.slack.message import Message
from sandbox.slack.person import People
from sandbox.slack.pings import Ping
from sandbox.slack.rates import Rates
from sandbox.slack.socket_mode import SocketMode
from sandbox.slack.transcript import Entry, Transcripts
from sandbox.slack.web_api import WebApi
from sandbox.slack.workspace import Workspace, default_workspace

UPLOAD_LIMIT = 64 * 1024 * 1024


class SlackStandIn:
    """One workspace of Slack on loopback. All parts are attributes; the commonest verbs are methods here."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        clock: Clock | None = None,
        *,
        rate_limits: bool = True,
        request_url: str | None = None,
        refresh_every: float | None = None,
        own_posts_replaceable: bool = True,
    ) -> None:
        self.workspace = workspace or default_workspace()
        self.clock: Clock = clock or WallClock()
        self.faults = Faults()
        self.backend = Backend(self.workspace, self.clock)
        self.interactions = Interactions(self.backend, own_posts_replaceable)
        self.rates = Rates(self.clock, rate_limits)
        self.deliveries = Deliveries(self.backend, self.faults)
        self.backend.on_event = self.deliveries.event
        self.sockets = SocketMode(self.backend, self.faults)
        self.http = HttpMode(self.backend, self.faults, request_url) if request_url else None
        self.deliveries.carrier = self.http or self.sockets
        self.people = People(self.backend, self.interactions, self.deliveries)
        self.transcripts = Transcripts(self.backend)
        self._refresh_every = refresh_every
        self._refreshing: asyncio.Future[None] | None = None
        self._runner: web.AppRunner | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listens and returns the base URL, "http://127.0.0.1:PORT". ValueError for an address that is not loopback."""
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise ValueError("the stand-in listens on loopback only")
        from sandbox.page.routes import Page  # here, because the page is built from this package's parts

        app = web.Application(client_max_size=UPLOAD_LIMIT)
        api = WebApi(self.backend, self.interactions, self.rates, self.faults, self.sockets)
        app.add_routes([*api.routes(), *Control(self).routes(), *Page(self).routes(), web.get("/link/", self.sockets.serve)])
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

    @property
    def base_url(self) -> str:
        """As `start` returned it; empty before."""
        return self.backend.base_url

    @property
    def api_url(self) -> str:
        """What slack_sdk calls base_url."""
        return f"{self.base_url}/api/"

    @property
    def pings(self) -> list[Ping]:
        """Who would have been notified so far, by anybody."""
        return self.backend.pings

    def pings_by_app(self) -> list[Ping]:
        """Whom the app would have notified."""
        return [ping for ping in self.backend.pings if ping.by_app]

    def transcript(self, viewer: str, channel: str | None = None) -> list[Entry]:
        """What that person sees, oldest first."""
        return self.transcripts.of(viewer, channel)

    def status(self, channel: str, thread_ts: str) -> str:
        """What an assistant thread shows under the box now ("reads logs"); empty when nothing."""
        status = self.backend.statuses.get((channel, thread_ts))
        return status.text if status and status.until > self.clock.now() else ""

    async def type(self, user: str, channel: str, text: str, thread: str | None = None) -> Message:
        """See People.type."""
        return await self.people.type(user, channel, text, thread)

    def reset(self) -> None:
        """Forgets messages, views, pings, calls, deliveries and faults. Connections, people and rate buckets stay."""
        backend = self.backend
        everything: tuple[Any, ...] = (
            backend.messages,
            backend.views,
            backend.stacks,
            backend.homes,
            backend.streams,
            backend.statuses,
            backend.files,
            backend.pings,
            self.deliveries.log,
            self.people.confirmed,
        )
        for one in everything:
            one.clear()
        self.faults.clear()
        self.faults.forget_calls()
        backend.touched()
