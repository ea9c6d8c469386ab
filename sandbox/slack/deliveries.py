"""Bringing payloads to the app: once for commands and interactions, with three retries for events."""

import asyncio
import contextlib
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from sandbox.slack.backend import Backend
from sandbox.slack.faults import CALLS_KEPT, Faults
from sandbox.slack.manifest import hears
from sandbox.slack.refusal import Json

Kind = Literal["events_api", "slash_commands", "interactive"]
T = TypeVar("T")
ACK_SECONDS = 3.0
RETRY_DELAYS = (0.0, 60.0, 300.0)
"""Seconds before the first, second and third retry of an event: nearly at once, after 1 and after 5 minutes."""


@dataclass(frozen=True, slots=True)
class Ack:
    """How one attempt ended. `error` is None when it was acknowledged; `payload` is what came with it.

    `no_retry` is set when the app forbids retries (X-Slack-No-Retry: 1).
    """

    error: str | None = None
    payload: Any = None
    no_retry: bool = False


class Carrier(Protocol):
    """One attempt to hand a payload to the app, by Socket Mode or HTTP."""

    async def carry(self, kind: Kind, payload: Json, attempt: int, reason: str) -> Ack: ...


@dataclass(slots=True)
class Delivery:
    """One attempt as it went, for tests."""

    kind: Kind
    payload: Json
    attempt: int
    reason: str
    error: str | None = None
    done: bool = field(default=False)


class Deliveries:
    """Sends everything through the carrier, keeps a log and knows what is still under way."""

    def __init__(self, backend: Backend, faults: Faults) -> None:
        self._backend = backend
        self._faults = faults
        self.carrier: Carrier | None = None
        self.log: list[Delivery] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def under_way(self) -> int:
        """Deliveries that are not finished, waiting retries included."""
        return len(self._tasks)

    def event(self, subscription: str, event: Json) -> None:
        """Sends an Events API payload in the background, if the app subscribed to it and holds the scope."""
        if not hears(self._backend.app, subscription):
            return
        payload = self._outer(event)
        for _ in range(self._faults.copies("events_api")):
            self.spawn(self._event(payload))

    async def once(self, kind: Kind, payload: Json) -> Ack:
        """A command or an interaction: one attempt and no second one. Copies are sent when a fault asks for them."""
        if kind == "interactive" and not self._backend.app.interactive:
            return Ack("interactivity_disabled")
        extra = self._faults.copies(kind) - 1
        for _ in range(extra):
            self.spawn(self._attempt(kind, payload, 0, ""))
        return await self.spawn(self._attempt(kind, payload, 0, ""))

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Runs something that `close` ends."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Gives up whatever is under way."""
        for task in list(self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _event(self, payload: Json) -> None:
        ack = await self._attempt("events_api", payload, 0, "")
        for number, delay in enumerate(RETRY_DELAYS, start=1):
            if ack.error is None or ack.no_retry:
                return
            if delay:
                await self._backend.clock.sleep(delay)
            ack = await self._attempt("events_api", payload, number, ack.error)

    async def _attempt(self, kind: Kind, payload: Json, attempt: int, reason: str) -> Ack:
        record = Delivery(kind, payload, attempt, reason)
        self.log.append(record)
        del self.log[:-CALLS_KEPT]
        if self.carrier is None:
            ack = Ack("connection_failed")
        else:
            ack = await self.carrier.carry(kind, payload, attempt, reason)
        record.error, record.done = ack.error, True
        return ack

    def _outer(self, event: Json) -> Json:
        space, app = self._backend.workspace, self._backend.app
        channel = space.channels.get(str(event.get("channel")))
        bot = {"enterprise_id": None, "team_id": space.team_id, "user_id": app.bot_user, "is_bot": True}
        return {
            "token": app.verification_token,
            "team_id": space.team_id,
            "context_team_id": space.team_id,
            "context_enterprise_id": None,
            "api_app_id": app.id,
            "event": event,
            "type": "event_callback",
            "event_id": self._backend.new_id("Ev"),
            "event_time": int(self._backend.clock.now()),
            "authorizations": [{**bot, "is_enterprise_install": False}],
            "is_ext_shared_channel": bool(channel and channel.shared),
            "event_context": self._backend.new_id("EC"),
        }
