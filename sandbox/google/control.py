"""The stand-in's own doors, for tests in other processes: plan faults, release held calls, read the log, change zones."""

import dataclasses
from collections.abc import Callable
from typing import Any

from aiohttp import web

from sandbox.google.desk import Desk
from sandbox.google.faults import Fault, FaultKind, When
from sandbox.google.project import Reach

_FAULT_FIELDS = frozenset({"kind", "method", "zone", "nth", "when", "seconds"})
_ZONE_FIELDS = frozenset({"zone", "reach", "capacity"})
_SECRET_FIELDS = frozenset({"lag_s"})


def add_control(app: web.Application, desk: Desk) -> None:
    """Add POST and DELETE /sandbox/faults, POST /sandbox/release, /sandbox/zones, /sandbox/secrets and GET /sandbox/calls."""
    control = Control(desk)
    app.router.add_post("/sandbox/faults", control.plan)
    app.router.add_delete("/sandbox/faults", control.clear)
    app.router.add_post("/sandbox/release", control.release)
    app.router.add_get("/sandbox/calls", control.calls)
    app.router.add_post("/sandbox/zones", control.change_zone)
    app.router.add_post("/sandbox/secrets", control.change_secrets)


class Control:
    """Handlers over one desk. A wrong body is answered 400 with what is wrong."""

    def __init__(self, desk: Desk) -> None:
        """Act on this desk's project and faults."""
        self._desk = desk

    async def plan(self, request: web.Request) -> web.Response:
        """Plan one fault: {"kind": "unavailable", "method": "ListNodes", "nth": 3, "when": "before"}; also zone, seconds."""
        return await _change(request, _FAULT_FIELDS, lambda body: self._desk.faults.plan(_fault(body)))

    async def clear(self, _: web.Request) -> web.Response:
        """Forget all faults."""
        self._desk.faults.clear()
        return web.json_response({"ok": True})

    async def release(self, _: web.Request) -> web.Response:
        """Let held calls go on."""
        self._desk.faults.release()
        return web.json_response({"ok": True})

    async def calls(self, _: web.Request) -> web.Response:
        """The log, and the numbers of the calls that are held now."""
        calls = [dataclasses.asdict(call) | {"at": call.at.isoformat()} for call in self._desk.faults.calls]
        return web.json_response({"calls": calls, "held": [call.number for call in self._desk.faults.held]})

    async def change_zone(self, request: web.Request) -> web.Response:
        """Change a zone: {"zone": "us-east5-b", "reach": "hangs", "capacity": {"v6e": 8}}."""
        return await _change(request, _ZONE_FIELDS, self._apply_zone)

    async def change_secrets(self, request: web.Request) -> web.Response:
        """Let permissions take time to be known: {"lag_s": 20}, for secrets that are made from now on."""
        return await _change(request, _SECRET_FIELDS, lambda body: setattr(self._desk.secrets, "lag_s", float(body["lag_s"])))

    def _apply_zone(self, body: dict[str, Any]) -> None:
        zone = body["zone"]
        if zone not in self._desk.project.zones:
            raise ValueError(f"no such zone: {zone}")
        if "reach" in body:
            self._desk.project.set_reach(zone, Reach(body["reach"]))
        for generation, units in body.get("capacity", {}).items():
            self._desk.project.set_capacity(zone, str(generation), int(units))


async def _change(request: web.Request, known: frozenset[str], act: Callable[[dict[str, Any]], None]) -> web.Response:
    try:
        body = await request.json()
        if not isinstance(body, dict) or set(body) - known:
            raise ValueError(f"an object with some of {', '.join(sorted(known))} is needed")
        act(body)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return web.json_response({"ok": False, "error": str(error)}, status=400)
    return web.json_response({"ok": True})


def _fault(body: dict[str, Any]) -> Fault:
    """A fault from JSON; a hook cannot come over the wire, hold does its work."""
    kind = FaultKind(body["kind"])
    if kind is FaultKind.HOOK:
        raise ValueError("a hook works only inside the process; use hold and release")
    nth = body.get("nth")
    return Fault(
        kind,
        method=str(body.get("method", "")),
        zone=str(body.get("zone", "")),
        nth=int(nth) if nth is not None else None,
        when=When(body.get("when", "before")),
        seconds=float(body.get("seconds", 0)),
    )
