"""Faults that are ordered in advance: the k-th call to a path hangs, fails, is slow, or loses its connection."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

When = Literal["before", "after"]


@dataclass
class Call:
    """One call as the log keeps it: its number from 1, without headers and body (they may hold secrets)."""

    number: int
    at: datetime
    method: str
    path: str
    status: int | None = None


class Hook(Protocol):
    """Something that a test does around every call, such as killing who asks at the k-th."""

    async def __call__(self, when: When, call: Call) -> None:
        """`when` is "before" or "after" handling; after, the answer is not sent yet."""


class Fault(BaseModel):
    """What goes wrong. `path` None means every path; `at_call` the k-th such call from now (from 1), None every one.

    `when` is "before" handling or "after" it: then the work is done and the answer lost. `delay_s` is for slow, `status`
    for error.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["hang", "error", "slow", "drop"]
    path: str | None = None
    at_call: int | None = Field(default=None, ge=1)
    when: When = "before"
    delay_s: float = Field(default=0.0, ge=0.0, le=3600.0)
    status: int = Field(default=500, ge=400, le=599)


class Sleeper(Protocol):
    """The part of a clock that waits."""

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""


class Faults:
    """The ordered faults and how often each was met."""

    def __init__(self, clock: Sleeper) -> None:
        """Nothing is ordered yet."""
        self._clock = clock
        self._ordered: list[tuple[Fault, list[int]]] = []
        self._release = asyncio.Event()

    def order(self, fault: Fault) -> None:
        """From now on this goes wrong."""
        self._ordered.append((fault, []))

    def clear(self) -> None:
        """Nothing goes wrong any more, and what hangs is let go without an answer."""
        self._ordered.clear()
        self.let_go()

    def let_go(self) -> None:
        """What hangs now loses its connection; what is ordered stays ordered."""
        self._release.set()
        self._release = asyncio.Event()

    async def meet(self, when: When, call: Call, request: web.Request) -> web.Response | None:
        """Do what is ordered for this call; a Response replaces the answer."""
        for fault, met in self._ordered:
            if fault.when == when and fault.path in (None, call.path):
                met.append(call.number)
                if fault.at_call in (None, len(met)):
                    return await self._happen(fault, request)
        return None

    async def hang(self, request: web.Request) -> web.Response:
        """Never answer, until faults are cleared; then the connection is lost."""
        await self._release.wait()
        return lost(request)

    async def _happen(self, fault: Fault, request: web.Request) -> web.Response | None:
        """One fault."""
        if fault.kind == "hang":
            return await self.hang(request)
        if fault.kind == "drop":
            return lost(request)
        if fault.kind == "error":
            return web.Response(status=fault.status, text="Internal Server Error", content_type="text/plain")
        await self._clock.sleep(fault.delay_s)
        return None


def lost(request: web.Request) -> web.Response:
    """Cut the connection as a dying process does. The response that is returned reaches nobody."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=503)
