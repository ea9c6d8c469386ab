"""One workspace with all its parts, before anything listens: people, messages, deliveries, faults."""

from typing import Any

from sandbox.slack.backend import Backend
from sandbox.slack.clock import Clock, WallClock
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
from sandbox.slack.workspace import Workspace, default_workspace


class SlackParts:
    """One workspace of Slack. All parts are attributes; the commonest verbs are methods here."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        clock: Clock | None = None,
        *,
        rate_limits: bool = True,
        request_url: str | None = None,
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
