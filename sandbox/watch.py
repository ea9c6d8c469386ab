"""All wire calls of the product, over every stand-in, numbered in one order; and something that happens at the k-th."""

import asyncio
from collections.abc import Awaitable, Callable

from sandbox.google import faults as google
from sandbox.slack import Fault, WireCall
from sandbox.vllm import Call
from sandbox.whole import Sandbox

FOR_EVER = 10**9


class WireWatch:
    """Counts points: each call has one before it is handled and one after it took effect, before its answer leaves.

    A scrape by the clock is no call of a request: paths and methods in `ignored` are not counted.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        """Hooks into the running stand-ins."""
        self.points: list[str] = []
        self._at: int | None = None
        self._act: Callable[[], Awaitable[None] | None] | None = None
        sandbox.slack.faults.add(Fault(times=FOR_EVER, before=self._slack("before"), after=self._slack("after")))
        sandbox.vllm.hooks.append(self._vllm)
        sandbox.park.hooks.append(self._machine)
        for when in google.When:
            hook = google.Fault(google.FaultKind.HOOK, when=when, hook=self._google(when))
            sandbox.google.faults.plan(hook)

    def begin(self, at: int | None = None, act: Callable[[], Awaitable[None] | None] | None = None) -> None:
        """Count from zero; at the `at`-th point (from 1) `act` happens once."""
        self.points, self._at, self._act = [], at, act

    async def _point(self, name: str) -> None:
        self.points.append(name)
        act = self._act
        if act is None or len(self.points) != self._at:
            return
        self._act = None
        done = act()
        if done is not None:
            await done
        await asyncio.sleep(0)

    def _slack(self, when: str) -> Callable[[WireCall], Awaitable[None]]:
        async def hook(call: WireCall) -> None:
            await self._point(f"slack {call.method} {when}")

        return hook

    async def _vllm(self, when: str, call: Call) -> None:
        await self._point(f"vllm {call.path} {when}")

    async def _machine(self, when: str, command: str) -> None:
        await self._point(f"machine {' '.join(command.split()[2:5])} {when}")

    def _google(self, when: google.When) -> Callable[[google.Call], Awaitable[None]]:
        async def hook(call: google.Call) -> None:
            await self._point(f"google {call.method} {when}")

        return hook
