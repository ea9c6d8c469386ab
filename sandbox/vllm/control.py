"""How the stand-in is told over HTTP what shall happen: /sandbox/scenario, /sandbox/faults, /sandbox/answers, /sandbox/calls.

It has its own port, so that it can be reached while the engine is down.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from aiohttp import web
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from sandbox.vllm.answers import Answer
from sandbox.vllm.faults import Call, Fault, Faults

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Controlled(Protocol):
    """What of the stand-in can be told."""

    calls: deque[Call]
    faults: Faults

    def script(self, *answers: Answer) -> None:
        """Say these next."""

    async def scenario(self, name: str) -> None:
        """Change what is going on."""


class _Name(BaseModel):
    """The body of /sandbox/scenario."""

    model_config = ConfigDict(extra="forbid")
    name: str


def control_app(stand_in: Controlled) -> web.Application:
    """The application behind the second port. Wrong bodies get 400 and change nothing."""

    async def scenario(request: web.Request) -> web.Response:
        name = _Name.model_validate_json(await request.read()).name
        try:
            await stand_in.scenario(name)
        except KeyError:
            return web.json_response({"ok": False, "error": f"no scenario {name!r}"}, status=400)
        return web.json_response({"ok": True, "scenario": name})

    async def order(request: web.Request) -> web.Response:
        stand_in.faults.order(Fault.model_validate_json(await request.read()))
        return web.json_response({"ok": True})

    async def clear(_: web.Request) -> web.Response:
        stand_in.faults.clear()
        return web.json_response({"ok": True})

    async def answers(request: web.Request) -> web.Response:
        stand_in.script(*TypeAdapter(list[Answer]).validate_json(await request.read()))
        return web.json_response({"ok": True})

    async def calls(_: web.Request) -> web.Response:
        return web.json_response(
            [{"number": c.number, "method": c.method, "path": c.path, "status": c.status} for c in stand_in.calls]
        )

    app = web.Application(middlewares=[_refuse_wrong_bodies])
    app.router.add_post("/sandbox/scenario", scenario)
    app.router.add_post("/sandbox/faults", order)
    app.router.add_delete("/sandbox/faults", clear)
    app.router.add_post("/sandbox/answers", answers)
    app.router.add_get("/sandbox/calls", calls)
    return app


@web.middleware
async def _refuse_wrong_bodies(request: web.Request, handler: Handler) -> web.StreamResponse:
    """400 that says what was wrong."""
    try:
        return await handler(request)
    except ValidationError as error:
        return web.json_response({"ok": False, "error": str(error)}, status=400)
