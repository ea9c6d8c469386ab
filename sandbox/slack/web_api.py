"""The HTTP doors the app calls: /api/<method>, response URLs, uploads; with faults, limits and the log around each."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from sandbox.slack.access import check_token, token_of
from sandbox.slack.backend import Backend
from sandbox.slack.faults import Fault, Faults, WireCall, run_hooks
from sandbox.slack.interaction import Interactions
from sandbox.slack.method import Call, check_required, facts
from sandbox.slack.methods import METHODS
from sandbox.slack.rates import Rates
from sandbox.slack.refusal import Json, RateLimited, Refused
from sandbox.slack.responses import respond
from sandbox.slack.socket_mode import SocketMode

OPEN = "apps.connections.open"
Work = Callable[[], web.Response]


class WebApi:
    """Everything that the app may ask of Slack."""

    def __init__(self, backend: Backend, interactions: Interactions, rates: Rates, faults: Faults, sockets: SocketMode) -> None:
        self._backend = backend
        self._interactions = interactions
        self._rates = rates
        self._faults = faults
        self._sockets = sockets

    def routes(self) -> list[web.RouteDef]:
        """The routes to add to the server."""
        return [
            web.route("*", "/api/{method}", self.serve_method),
            web.post("/commands/{team}/{key}", self.serve_response_url),
            web.post("/actions/{team}/{key}", self.serve_response_url),
            web.post("/upload/v1/{file}", self.serve_upload),
            web.get("/files-pri/{file}", self.serve_file),
        ]

    async def serve_method(self, request: web.Request) -> web.StreamResponse:
        """One Web API call."""
        method = request.match_info["method"]
        try:
            args = await arguments(request)
        except Refused as refused:
            return web.json_response(refused.answer())
        token = token_of(request.headers.get("Authorization"), args)
        known = facts()[method].args | {"team_id"} if method in facts() else frozenset(args)
        call = self._faults.record(method, args, tuple(sorted(set(args) - known)))
        return await self._answer(request, call, lambda: self._json(method, args, token))

    def _json(self, method: str, args: Json, token: str | None) -> web.Response:
        scopes = {"X-OAuth-Scopes": ",".join(sorted(self._backend.app.scopes))} if token == self._backend.app.bot_token else {}
        return web.json_response(self.answer(method, args, token), headers=scopes)

    def answer(self, method: str, args: Json, token: str | None) -> Json:
        """The body of the answer. RateLimited passes through."""
        try:
            if method not in METHODS and method != OPEN:
                raise Refused("unknown_method", req_method=method)
            check_token(method, token, self._backend.workspace)
            self._rates.take(method)
            check_required(method, args)
            if method == OPEN:
                return {"ok": True, "url": self._sockets.open_url()}
            if method in {"chat.postMessage", "chat.startStream"}:
                self._rates.take_post(str(args["channel"]))
            return METHODS[method](Call(method, args, self._backend, self._interactions))
        except Refused as refused:
            return refused.answer()

    async def serve_response_url(self, request: web.Request) -> web.StreamResponse:
        """A post to a response_url."""
        raw = await request.read()
        args = _json_object(raw)
        call = self._faults.record("response_url", args if args is not None else {"raw": raw.decode(errors="replace")})
        key = request.match_info["key"]
        return await self._answer(request, call, lambda: respond(self._backend, self._interactions, key, args))

    async def serve_upload(self, request: web.Request) -> web.StreamResponse:
        """The bytes of a file, raw or as the first part of a multipart form."""
        content = await _content(request)
        call = self._faults.record("upload", {"file": request.match_info["file"], "bytes": len(content)})
        return await self._answer(request, call, lambda: self._keep(request.match_info["file"], content))

    def _keep(self, file_id: str, content: bytes) -> web.Response:
        file = self._backend.files.get(file_id)
        if file is None or file.content is not None:
            return web.Response(status=404, text="file_not_found")
        if len(content) != file.length:
            return web.Response(status=400, text="length_mismatch")
        file.content = content
        return web.Response(text=f"OK - {len(content)}")

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        """The content of a file. Slack asks for the bot's token; the sandbox page, on loopback, may look without."""
        file = self._backend.files.get(request.match_info["file"])
        if file is None or file.content is None:
            raise web.HTTPNotFound
        png = file.content.startswith(b"\x89PNG")
        return web.Response(body=file.content, content_type="image/png" if png else "application/octet-stream")

    async def _answer(self, request: web.Request, call: WireCall, work: Work) -> web.StreamResponse:
        """Handles one call with its fault around it."""
        faults = self._faults.take(call)
        spoiled = next((fault for fault in faults if fault.answer), None)
        await run_hooks((fault.before for fault in faults), call)
        if delay := sum(fault.delay for fault in faults):
            await self._backend.clock.sleep(delay)
        if spoiled and not spoiled.handled:
            return await self._broken(request, call, spoiled)
        response = self._work(call, work)
        await run_hooks((fault.after for fault in faults), call)
        return await self._broken(request, call, spoiled) if spoiled else response

    def _work(self, call: WireCall, work: Work) -> web.Response:
        try:
            response = work()
        except RateLimited as limited:
            return _noted(call, _ratelimited(limited.retry_after))
        return _noted(call, response)

    async def _broken(self, request: web.Request, call: WireCall, fault: Fault) -> web.StreamResponse:
        call.answer = call.answer or fault.answer
        if fault.answer == "429":
            return _noted(call, _ratelimited(fault.retry_after))
        if fault.answer == "hang":
            await asyncio.Event().wait()
        if fault.answer == "drop" and request.transport is not None:
            request.transport.abort()
            return web.Response()
        return _noted(call, web.Response(status=int(fault.answer or 500), text="upstream error"))


def _ratelimited(seconds: int) -> web.Response:
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": str(seconds)})


def _noted(call: WireCall, response: web.Response) -> web.Response:
    call.status = response.status
    body = response.text or ""
    call.answer = json.loads(body) if response.content_type == "application/json" else body
    return response


async def arguments(request: web.Request) -> Json:
    """The arguments from query, JSON body and form body. Refused: invalid_json, json_not_object."""
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        raw = await request.read()
        if raw.strip():
            try:
                body = json.loads(raw)
            except ValueError:
                raise Refused("invalid_json") from None
            if not isinstance(body, dict):
                raise Refused("json_not_object")
            args |= body
    elif request.content_type in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    return args


def _json_object(raw: bytes) -> Json | None:
    try:
        body: Any = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


async def _content(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    for value in (await request.post()).values():
        if isinstance(value, web.FileField):
            return value.file.read()
    return b""
