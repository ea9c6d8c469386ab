"""Socket Mode: web sockets on which payloads go out, each to one connection, and acknowledgements come back."""

import asyncio
import contextlib
import json
import secrets
import uuid
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from sandbox.slack.backend import Backend
from sandbox.slack.deliveries import ACK_SECONDS, Ack, Kind
from sandbox.slack.faults import Faults
from sandbox.slack.refusal import Json

CONNECTIONS_LIMIT = 10
CONNECTION_SECONDS = 3600
"""What hello announces as the life of a connection; refreshing only happens on demand or with `refresh_every`."""
CLOSE_AFTER_DISCONNECT = 10.0


@dataclass(slots=True, eq=False)
class Connection:
    """One open web socket. `leaving` after a disconnect message: nothing new is sent on it."""

    socket: web.WebSocketResponse
    transport: asyncio.Transport | None = None
    waiting: dict[str, "asyncio.Future[Ack]"] = field(default_factory=dict)
    leaving: bool = False


class SocketMode:
    """All connections of the app; a Carrier."""

    def __init__(self, backend: Backend, faults: Faults) -> None:
        self._backend = backend
        self._faults = faults
        self._tickets: set[str] = set()
        self.connections: list[Connection] = []
        self._turn = 0
        self.waiting_for_late_acknowledgements = 0
        self._closing: set[asyncio.Task[None]] = set()

    def open_url(self) -> str:
        """The address for one new connection, for apps.connections.open."""
        ticket = secrets.token_hex(16)
        self._tickets.add(ticket)
        return f"{self._backend.base_url.replace('http', 'ws', 1)}/link/?ticket={ticket}&app_id={self._backend.app.id}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """A connection from its hello to its end. A used or unknown ticket gets 403."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="invalid ticket")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if len(self.connections) >= CONNECTIONS_LIMIT:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets", "debug_info": self._debug()})
            await socket.close()
            return socket
        connection = Connection(socket, request.transport)
        self.connections.append(connection)
        await socket.send_json(self._hello())
        try:
            await self._listen(connection)
        finally:
            self._gone(connection)
        return socket

    async def carry(self, kind: Kind, payload: Json, attempt: int, reason: str) -> Ack:
        """Sends one envelope to the next connection in turn and waits for its acknowledgement."""
        connection = self._next()
        if connection is None:
            return Ack("connection_failed")
        fault = self._faults.ack_fault(kind)
        envelope = self._envelope(kind, payload, attempt, reason)
        waiter: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        connection.waiting[envelope["envelope_id"]] = waiter
        with contextlib.suppress(ConnectionError, RuntimeError):
            await connection.socket.send_json(envelope)
        ack = await self._within_time(waiter)
        connection.waiting.pop(envelope["envelope_id"], None)
        if fault and fault.delay_ack and ack.error is None:
            self.waiting_for_late_acknowledgements += 1
            await self._backend.clock.sleep(fault.delay_ack)
            self.waiting_for_late_acknowledgements -= 1
            return ack if fault.delay_ack < ACK_SECONDS else Ack("http_timeout")
        return Ack("http_timeout") if fault and fault.lose_ack else ack

    async def disconnect(self, reason: str = "refresh_requested", connection: Connection | None = None) -> None:
        """Asks one connection (or all) to come back anew, and closes it 10 s later when it is still there."""
        for one in [connection] if connection else list(self.connections):
            one.leaving = True
            with contextlib.suppress(ConnectionError, RuntimeError):
                await one.socket.send_json({"type": "disconnect", "reason": reason, "debug_info": self._debug()})
            task = asyncio.ensure_future(self._end(one))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _end(self, one: Connection) -> None:
        await self._backend.clock.sleep(CLOSE_AFTER_DISCONNECT)
        await one.socket.close()

    async def close(self) -> None:
        """Ends all connections."""
        for task in list(self._closing):
            task.cancel()
        for one in list(self.connections):
            self._gone(one)
            with contextlib.suppress(ConnectionError, RuntimeError):
                await one.socket.close(code=1001)

    def drop(self) -> None:
        """Cuts all connections without a word, as a network failure does."""
        for one in list(self.connections):
            self._gone(one)
            if (transport := one.transport) is not None:
                transport.abort()

    async def refresh(self, every: float) -> None:
        """Keeps asking the connections to come back, every so many seconds; for ever."""
        while True:
            await self._backend.clock.sleep(every)
            await self.disconnect()

    async def _within_time(self, waiter: "asyncio.Future[Ack]") -> Ack:
        timer = asyncio.ensure_future(self._expire(waiter))
        try:
            return await waiter
        finally:
            timer.cancel()

    async def _expire(self, waiter: "asyncio.Future[Ack]") -> None:
        await self._backend.clock.sleep(ACK_SECONDS)
        if not waiter.done():
            waiter.set_result(Ack("http_timeout"))

    async def _listen(self, connection: Connection) -> None:
        async for frame in connection.socket:
            if frame.type != WSMsgType.TEXT:
                continue
            with contextlib.suppress(ValueError):
                answer = json.loads(frame.data)
                waiter = connection.waiting.get(str(answer.get("envelope_id"))) if isinstance(answer, dict) else None
                if waiter and not waiter.done():
                    waiter.set_result(Ack(payload=answer.get("payload")))

    def _next(self) -> Connection | None:
        ready = [c for c in self.connections if not c.leaving and not c.socket.closed]
        if not ready:
            return None
        self._turn += 1
        return ready[self._turn % len(ready)]

    def _gone(self, connection: Connection) -> None:
        if connection in self.connections:
            self.connections.remove(connection)
        for waiter in connection.waiting.values():
            if not waiter.done():
                waiter.set_result(Ack("connection_failed"))

    def _envelope(self, kind: Kind, payload: Json, attempt: int, reason: str) -> Json:
        envelope: Json = {"envelope_id": str(uuid.uuid4()), "payload": payload, "type": kind}
        takes_answer = kind == "slash_commands" or payload.get("type") in {"view_submission", "block_suggestion"}
        envelope["accepts_response_payload"] = takes_answer
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": "timeout" if reason == "http_timeout" else reason}
        return envelope

    def _hello(self) -> Json:
        about = {"type": "hello", "num_connections": len(self.connections), "debug_info": self._debug()}
        return {**about, "connection_info": {"app_id": self._backend.app.id}}

    def _debug(self) -> Json:
        return {"host": "applink-sandbox", "build_number": 1, "approximate_connection_time": CONNECTION_SECONDS}
