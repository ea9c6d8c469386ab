"""Faults on purpose: before or after the k-th call, an outage, a refusal, silence, delay, or a stop in which a test may act."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from google.rpc import code_pb2

from sandbox.clock import Clock
from sandbox.google import refusals
from sandbox.google.refusals import Refusal


class FaultKind(StrEnum):
    """What goes wrong. HOLD keeps the call until `release`; HOOK calls a function of the test."""

    UNAVAILABLE = "unavailable"
    PERMISSION_DENIED = "permission-denied"
    API_DISABLED = "api-disabled"
    RATE_LIMIT = "rate-limit"
    HANG = "hang"
    LATENCY = "latency"
    HOLD = "hold"
    HOOK = "hook"


class When(StrEnum):
    """Before the call acts, or after it acted and before its answer leaves."""

    BEFORE = "before"
    AFTER = "after"


@dataclass
class Call:
    """One call that arrived, numbered from 1 over both transports.

    `outcome` is a code's name, OK, None while it waits, or CANCELLED when the caller went away.
    """

    number: int
    at: datetime
    transport: str
    method: str
    resource: str
    outcome: str | None = None


Hook = Callable[[Call], Awaitable[None]]


@dataclass
class Fault:
    """A planned fault. It meets calls whose method is `method` and whose resource holds `zone` (empty: all of them).

    Of those the `nth` counted from when it was planned, or every one when None. `seconds` is for LATENCY.
    """

    kind: FaultKind
    method: str = ""
    zone: str = ""
    nth: int | None = None
    when: When = When.BEFORE
    seconds: float = 0.0
    hook: Hook | None = None
    seen: int = field(default=0, init=False)
    spent: bool = field(default=False, init=False)

    def meets(self, call: Call, when: When) -> bool:
        """Whether it strikes now; counts the call when it matches."""
        if self.spent or when is not self.when or (self.method and self.method != call.method):
            return False
        if self.zone and f"/locations/{self.zone}" not in call.resource + "/":
            return False
        self.seen += 1
        self.spent = self.nth is not None and self.seen == self.nth
        return self.nth is None or self.spent


class Faults:
    """All planned faults and the log of calls."""

    def __init__(self, project: str, clock: Clock) -> None:
        """Start without faults and with an empty log."""
        self._project = project
        self._clock = clock
        self._planned: list[Fault] = []
        self._released = asyncio.Event()
        self.calls: list[Call] = []
        self.held: list[Call] = []

    def plan(self, fault: Fault) -> None:
        """Add a fault."""
        self._planned.append(fault)

    def clear(self) -> None:
        """Forget all faults and let held calls go on."""
        self._planned.clear()
        self.release()

    def release(self) -> None:
        """Let held calls go on; later ones are held anew."""
        self._released.set()
        self._released = asyncio.Event()

    def begin(self, transport: str, method: str, resource: str) -> Call:
        """Write a call down as it arrives."""
        call = Call(len(self.calls) + 1, self._clock.now(), transport, method, resource)
        self.calls.append(call)
        return call

    async def meet(self, call: Call, when: When) -> None:
        """Let every fault that strikes here strike. Raises Refusal for those that answer with an error."""
        for fault in [fault for fault in self._planned if fault.meets(call, when)]:
            await self._strike(fault, call)

    async def _strike(self, fault: Fault, call: Call) -> None:
        match fault.kind:
            case FaultKind.LATENCY:
                await self._clock.sleep(fault.seconds)
            case FaultKind.HANG:
                await hang()
            case FaultKind.HOLD:
                await self._hold(call)
            case FaultKind.HOOK if fault.hook is not None:
                await fault.hook(call)
            case _:
                raise self._refusal(fault.kind, call)

    async def _hold(self, call: Call) -> None:
        self.held.append(call)
        try:
            await self._released.wait()
        finally:
            self.held.remove(call)

    def _refusal(self, kind: FaultKind, call: Call) -> Refusal:
        match kind:
            case FaultKind.PERMISSION_DENIED:
                return refusals.permission_denied(f"tpu.{call.method}", call.resource)
            case FaultKind.API_DISABLED:
                return refusals.api_disabled(self._project)
            case FaultKind.RATE_LIMIT:
                said = (
                    "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of service 'tpu.googleapis.com'."
                )
                return Refusal(code_pb2.RESOURCE_EXHAUSTED, said)
        return Refusal(code_pb2.UNAVAILABLE, "The service is currently unavailable.")


async def hang() -> None:
    """Never answer; ends when the connection or the stand-in is closed."""
    await asyncio.Event().wait()
