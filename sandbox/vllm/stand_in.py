"""The server: vLLM's paths on a loopback port, and a second port by which tests and the sandbox page change what it does."""

import asyncio
import itertools
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, get_args

from aiohttp import web

from sandbox.clock import Clock
from sandbox.vllm.answers import Answer
from sandbox.vllm.chat import Chat
from sandbox.vllm.control import control_app
from sandbox.vllm.engine_model import CacheShape, EngineModel
from sandbox.vllm.exposition import Exposition, bucket_edges, recorded_families
from sandbox.vllm.faults import Call, Faults, Hook, lost
from sandbox.vllm.recorded import RECORDED_MODEL, RECORDED_WINDOW, recorded, replayed
from sandbox.vllm.refusals import Refused, Served, as_json, inside
from sandbox.vllm.scenarios import QUIET, SCENARIOS

Reach = Literal["up", "down", "failing", "hanging"]
"""down: connections are refused and open ones cut; failing: 503 to everything; hanging: accepts and never answers."""
UNCOUNTED = ("/health", "/ping", "/version", "/load", "/metrics", "/server_info")
"""Paths that vLLM's http_requests_total leaves out [recorded]."""
KEPT_CALLS = 5_000
"""The log keeps the latest; a sandbox may run for days."""
TEXT = {"server": "uvicorn", "content-type": "text/plain; version=1.0.0; charset=utf-8", "vary": "Origin"}
EMPTY = {"server": "uvicorn", "vary": "Origin"}


class VllmStandIn:
    """One stand-in. `model` is the served name, `window` the context in tokens; with `api_key`, /v1 asks for it as vLLM does.

    Without `tool_calling` it is a vLLM that was started without --enable-auto-tool-choice. `thinks_s` is its time to first token
    for calls that were not scripted: they are in its own figures like everybody's.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        model: str = "google/gemma-4-31B-it",
        window: int = 65_536,
        api_key: str | None = None,
        tool_calling: bool = True,
        cache: CacheShape | None = None,
        thinks_s: float = 0.0,
        port: int = 0,
        control_port: int = 0,
    ) -> None:
        """Nothing listens before `start`. Port 0 takes a free one, which is kept when it goes down and up again."""
        families = recorded_families(recorded("metrics_idle.txt"))
        self._clock = clock
        self._served = Served(model, window, api_key, tool_calling)
        self._port = port
        self._control_port = control_port
        self._exposition = Exposition(families, model, window)
        self._answered: dict[tuple[str, str, str], int] = defaultdict(int)
        self._runner: web.AppRunner | None = None
        self._site: web.TCPSite | None = None
        self._control: web.AppRunner | None = None
        self.engine = EngineModel(clock.now(), bucket_edges(families, window), cache or CacheShape(), QUIET)
        self.chat = Chat(clock, self._served, self.engine, thinks_s)
        self.faults = Faults(clock)
        self.hooks: list[Hook] = []
        self.calls: deque[Call] = deque(maxlen=KEPT_CALLS)
        self._numbers = itertools.count(1)
        self.reach: Reach = "up"
        self.url = ""
        self.control_url = ""

    async def start(self) -> str:
        """Listen on 127.0.0.1 and return the base URL, such as http://127.0.0.1:41234."""
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        await self._listen()
        self._control = web.AppRunner(control_app(self), access_log=None, shutdown_timeout=0.1)
        await self._control.setup()
        site = web.TCPSite(self._control, "127.0.0.1", self._control_port)
        await site.start()
        self.url = f"http://127.0.0.1:{self._port}"
        self.control_url = f"http://127.0.0.1:{self._control.addresses[0][1]}"
        return self.url

    async def stop(self) -> None:
        """Let go of what hangs and close both ports."""
        self.faults.clear()
        for runner in (self._runner, self._control):
            if runner is not None:
                await runner.cleanup()
        self._runner = self._control = self._site = None

    def script(self, *answers: Answer) -> None:
        """Say these next, one a call; afterwards the standard sentence again."""
        self.chat.scripted.extend(answers)

    async def scenario(self, name: str) -> None:
        """Change what is going on. KeyError for a name that is none of these.

        quiet, busy, saturated, idle: traffic, and the server is up; down, failing, hanging, up: how it answers; restarted: up
        again with all counters at zero.
        """
        now = self._clock.now()
        if name in get_args(Reach):
            self.reach = next(reach for reach in get_args(Reach) if reach == name)
        elif name == "restarted":
            self.engine.restart(now)
            self._answered.clear()
            self.engine.switch(QUIET, now)
            self.reach = "up"
        else:
            self.engine.switch(SCENARIOS[name], now)
            self.reach = "up"
        if self.reach != "hanging":
            self.faults.let_go()
        await self._follow_reach()

    async def _follow_reach(self) -> None:
        """Listen or not, as the reach says."""
        if self.reach == "down" and self._site is not None:
            await self._site.stop()
            self._site = None
            await self._cut()
        elif self.reach != "down" and self._site is None and self._runner is not None:
            await self._listen()

    async def _cut(self) -> None:
        """Cut all open connections, as the kernel does for a process that is gone."""
        server = self._runner.server if self._runner else None
        for connection in server.connections if server else ():
            connection.force_close()
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)

    async def _listen(self) -> None:
        """Bind the port; the first time a free one."""
        if self._runner is None:
            raise RuntimeError("start the stand-in first")
        self._site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await self._site.start()
        self._port = self._runner.addresses[0][1]

    def _app(self) -> web.Application:
        """vLLM's paths."""
        app = web.Application(middlewares=[self._around], client_max_size=64 * 1024 * 1024)
        gets: Mapping[str, Callable[[], web.Response]] = {
            "/health": lambda: web.Response(headers=EMPTY),
            "/ping": lambda: web.Response(headers=EMPTY),
            "/version": lambda: as_json(200, replayed("version.json")),
            "/load": lambda: as_json(200, replayed("load.json")),
            "/v1/models": lambda: as_json(200, self._models()),
            "/metrics": self._metrics,
        }
        for path, answer in gets.items():
            app.router.add_get(path, _plain(answer), allow_head=False)
        app.router.add_post("/ping", _plain(gets["/ping"]))
        app.router.add_post("/tokenize", self.chat.tokenize)
        app.router.add_post("/v1/chat/completions", self.chat.complete)
        return app

    def _models(self) -> bytes:
        """The recorded body with this model, window and time."""
        created = str(int(self._clock.now().timestamp()))
        return replayed(
            "models.json",
            (RECORDED_MODEL, inside(self._served.model)),
            (f'"max_model_len":{RECORDED_WINDOW}', f'"max_model_len":{self._served.window}'),
            ("1796060789", created),
        )

    def _metrics(self) -> web.Response:
        """The scrape at this moment."""
        now = self._clock.now()
        self.engine.advance(now)
        return web.Response(body=self._exposition.render(self.engine, now, self._answered), headers=TEXT)

    @web.middleware
    async def _around(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Log, hooks and faults around each call."""
        call = Call(next(self._numbers), self._clock.now(), request.method, request.path)
        self.calls.append(call)
        for hook in self.hooks:
            await hook("before", call)
        instead = await self.faults.meet("before", call, request)
        response = await self._reached(request, handler) if instead is None else instead
        instead = await self.faults.meet("after", call, request)
        response = response if instead is None else instead
        for hook in self.hooks:
            await hook("after", call)
        call.status = response.status
        if request.path not in UNCOUNTED:
            known = request.match_info.route.resource
            self._answered[known.canonical if known else "none", request.method, f"{response.status // 100}xx"] += 1
        return response

    async def _reached(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """The answer, as far as the server can be reached and takes the call."""
        if self.reach == "down":
            return lost(request)
        if self.reach == "hanging":
            return await self.faults.hang(request)
        if self.reach == "failing":
            return web.Response(status=503, text="Service Unavailable", content_type="text/plain")
        try:
            self._check_key(request)
            return await handler(request)
        except Refused as refused:
            response = as_json(refused.status, refused.body)
            if refused.status == 401:  # the key is looked at before CORS
                del response.headers["vary"]
            return response
        except web.HTTPNotFound:
            return as_json(404, replayed("err_not_found_path.json"))
        except web.HTTPMethodNotAllowed as refused_method:
            response = as_json(405, replayed("err_method.json"))
            response.headers["allow"] = refused_method.headers["Allow"]
            return response

    def _check_key(self, request: web.Request) -> None:
        """vLLM guards the paths below /v1 only: /health, /metrics and /version answer without a key."""
        scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
        key = self._served.api_key
        if key and request.path.startswith("/v1") and (scheme.lower() != "bearer" or sent != key):
            raise Refused(401, replayed("err_unauthorized.json"))


def _plain(answer: Callable[[], web.Response]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A handler that does not look at the request."""

    async def handle(_: web.Request) -> web.StreamResponse:
        return answer()

    return handle
