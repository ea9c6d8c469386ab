"""The control API below /sandbox/: another process types, clicks, looks and breaks things. Loopback only."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from sandbox.slack.faults import DeliveryFault, Fault, call_shape
from sandbox.slack.parts import SlackParts
from sandbox.slack.person import CannotDo
from sandbox.slack.refusal import Json
from sandbox.slack.transcript import render_text

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
FAULT_KEYS = frozenset({"at", "method", "times", "answer", "handled", "retry_after", "delay"})
DELIVERY_KEYS = frozenset({"kind", "times", "copies", "lose_ack", "delay_ack"})


class Control:
    """The people's hands and the faults, over HTTP. A bad request gets 400 with a sentence."""

    def __init__(self, slack: SlackParts) -> None:
        self._slack = slack

    def routes(self) -> list[web.RouteDef]:
        """The routes to add to the server."""
        posts: dict[str, Handler] = {
            "type": self.type,
            "click": self.click,
            "submit": self.submit,
            "close": self.close,
            "react": self.react,
            "home": self.home,
            "shortcut": self.shortcut,
            "faults": self.faults,
            "reset": self.reset,
            "disconnect": self.disconnect,
        }
        gets: dict[str, Handler] = {
            "transcript": self.transcript,
            "calls": self.calls,
            "pings": self.pings,
            "deliveries": self.deliveries,
            "state": self.state,
            "view": self.view,
        }
        made = [web.post(f"/sandbox/{name}", careful(handler)) for name, handler in posts.items()]
        return made + [web.get(f"/sandbox/{name}", careful(handler)) for name, handler in gets.items()]

    async def type(self, request: web.Request) -> web.Response:
        """{user, channel, text, thread?} -> {ts}."""
        body = await _body(request)
        typed = await self._slack.people.type(body["user"], body["channel"], body["text"], body.get("thread"))
        return web.json_response({"ok": True, "ts": typed.ts, "channel": typed.channel})

    async def click(self, request: web.Request) -> web.Response:
        """{user, message (ts), button, value?} or {view, button, value?} -> {error}."""
        body = await _body(request)
        people = self._slack.people
        if body.get("view"):
            ack = await people.click_in_view(body["view"], body["button"], body.get("value"))
        else:
            ack = await people.click(body["user"], body["message"], body["button"], body.get("value"))
        return web.json_response({"ok": ack.error is None, "error": ack.error})

    async def submit(self, request: web.Request) -> web.Response:
        """{view, values} -> {errors, open}."""
        body = await _body(request)
        return web.json_response({"ok": True, **asdict(await self._slack.people.submit(body["view"], body.get("values") or {}))})

    async def close(self, request: web.Request) -> web.Response:
        """{view}."""
        await self._slack.people.close((await _body(request))["view"])
        return web.json_response({"ok": True})

    async def react(self, request: web.Request) -> web.Response:
        """{user, message, name}."""
        body = await _body(request)
        people = self._slack.people
        people.react(body["user"], people.message(body["user"], body["message"]), body["name"])
        return web.json_response({"ok": True})

    async def home(self, request: web.Request) -> web.Response:
        """{user, tab?}."""
        body = await _body(request)
        self._slack.people.open_home(body["user"], body.get("tab", "home"))
        return web.json_response({"ok": True})

    async def shortcut(self, request: web.Request) -> web.Response:
        """{user, message, callback_id}."""
        body = await _body(request)
        ack = await self._slack.people.shortcut(body["user"], body["message"], body["callback_id"])
        return web.json_response({"ok": ack.error is None, "error": ack.error})

    async def faults(self, request: web.Request) -> web.Response:
        """The fields of Fault (without hooks), or those of DeliveryFault below "delivery"; {} clears all."""
        body = await _body(request)
        if not body:
            self._slack.faults.clear()
        elif "delivery" in body:
            self._slack.faults.add(DeliveryFault(**_only(body["delivery"], DELIVERY_KEYS)))
        else:
            self._slack.faults.add(Fault(**_only(body, FAULT_KEYS)))
        return web.json_response({"ok": True})

    async def reset(self, request: web.Request) -> web.Response:
        """Forgets messages, pings, calls, deliveries and faults; connections stay."""
        del request
        self._slack.reset()
        return web.json_response({"ok": True})

    async def disconnect(self, request: web.Request) -> web.Response:
        """{reason?}: asks all connections to come back, or {drop: true} cuts them."""
        body = await _body(request)
        if body.get("drop"):
            self._slack.sockets.drop()
        else:
            await self._slack.sockets.disconnect(body.get("reason", "refresh_requested"))
        return web.json_response({"ok": True})

    async def transcript(self, request: web.Request) -> web.Response:
        """?user=&channel=&format=text|json."""
        user = request.query.get("user", "")
        entries = self._slack.transcripts.of(user, request.query.get("channel"))
        if request.query.get("format", "json") == "text":
            return web.Response(text=render_text(entries))
        return web.json_response({"ok": True, "entries": [entry.as_json() for entry in entries]})

    async def calls(self, request: web.Request) -> web.Response:
        """?method=: the wire calls so far."""
        calls = self._slack.faults.calls(request.query.get("method"))
        return web.json_response({"ok": True, "calls": [call_shape(call) for call in calls]})

    async def pings(self, request: web.Request) -> web.Response:
        """Who would have been notified."""
        del request
        return web.json_response({"ok": True, "pings": [asdict(ping) for ping in self._slack.backend.pings]})

    async def deliveries(self, request: web.Request) -> web.Response:
        """Every attempt to hand a payload to the app."""
        del request
        return web.json_response({"ok": True, "deliveries": [asdict(one) for one in self._slack.deliveries.log]})

    async def state(self, request: web.Request) -> web.Response:
        """Connections, deliveries under way, and a number that grows with every change."""
        del request
        return web.json_response(
            {
                "ok": True,
                "connections": len(self._slack.sockets.connections),
                "http": self._slack.http is not None,
                "under_way": self._slack.deliveries.under_way,
                "changes": self._slack.backend.changes,
            }
        )

    async def view(self, request: web.Request) -> web.Response:
        """?user=: the modal in front and the home tab, as data and text."""
        user = request.query.get("user", "")
        top, texts = self._slack.people.top_view(user), self._slack.transcripts
        modal = {"id": top.id, "view": top.view, "text": texts.modal_text(user)} if top else None
        return web.json_response({"ok": True, "modal": modal, "home": texts.home_text(user)})


def careful(handler: Handler) -> Handler:
    """A bad request or something that people cannot do becomes 400 with a sentence; other web sites get 403."""

    async def serve(request: web.Request) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if origin and origin != f"http://{request.host}":
            return web.json_response({"ok": False, "error": "other web sites may not use the sandbox"}, status=403)
        try:
            return await handler(request)
        except CannotDo as error:
            return web.json_response({"ok": False, "error": str(error)}, status=400)
        except (KeyError, TypeError, ValueError) as error:
            return web.json_response({"ok": False, "error": f"bad request: {error}"}, status=400)

    return serve


async def _body(request: web.Request) -> Json:
    raw = await request.read()
    body: Any = json.loads(raw) if raw.strip() else {}
    if not isinstance(body, dict):
        raise TypeError("the body must be a JSON object")
    return body


def _only(body: Json, allowed: frozenset[str]) -> Json:
    if unknown := set(body) - allowed:
        raise ValueError(f"unknown keys: {', '.join(sorted(unknown))}")
    return body
