"""How soon `/gemma status` is acknowledged and stored, and how soon its final message stands, over Socket Mode.

Both sides talk to the same stand-in and the same Valkey on this machine, one after the other, one command at a time. The peer
(`plain_bolt.py`) is Bolt with RQ as their documentation shows, the job stored before the acknowledgement as here.

    python benchmarks/acknowledge.py [--commands N] [--json]
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from measure import finish, summary

from bot.store import keys
from sandbox.slack import Fault, SlackStandIn, WireCall
from sandbox.whole import Sandbox

WARM_UP = 8


@dataclass
class Times:
    """Seconds from leaving Slack: to the acknowledgement, to the first answer, to the last one."""

    acknowledged: float
    first: float
    final: float


class Stopwatch:
    """Times commands. `done` says whether nothing more will be answered."""

    def __init__(self, slack: SlackStandIn, done: Callable[[], Awaitable[bool]]) -> None:
        self._slack = slack
        self._done = done
        self._answered = asyncio.Event()
        self._answers: list[float] = []
        slack.faults.add(Fault(method="response_url", times=10**9, after=self._note))

    def _note(self, _call: WireCall) -> None:
        self._answers.append(time.perf_counter())
        self._answered.set()

    async def one(self) -> Times:
        """Type one command and wait until its last answer stands."""
        self._answered.clear()
        self._answers.clear()
        began = time.perf_counter()
        await self._slack.people.type("anna", "#ops", "/gemma status")
        acknowledged = time.perf_counter()
        async with asyncio.timeout(20):
            await self._answered.wait()
            while not await self._done():
                await asyncio.sleep(0.005)
        return Times(acknowledged - began, self._answers[0] - began, self._answers[-1] - began)

    async def many(self, n: int) -> list[Times]:
        """Warm up, then `n` commands, one after the other with a breath between."""
        for _ in range(WARM_UP):
            await self.one()
        found = []
        for _ in range(n):
            found.append(await self.one())
            await asyncio.sleep(0.05)
        return found


@asynccontextmanager
async def plain(sandbox: Sandbox) -> AsyncIterator[None]:
    """The peer's two processes against the sandbox."""
    here = Path(__file__).parent
    environment = {**os.environ, **sandbox.environment(), "MODEL_BASE_URL": sandbox.vllm.url, "PYTHONPATH": str(here)}
    started = [
        await asyncio.create_subprocess_exec(sys.executable, str(here / "plain_bolt.py"), part, env=environment, cwd=here)
        for part in ("app", "worker")
    ]
    try:
        while not sandbox.slack.sockets.connections:
            await asyncio.sleep(0.05)
        yield
    finally:
        for process in started:
            process.kill()
            await process.wait()


async def nothing_due(sandbox: Sandbox) -> bool:
    """Whether our work is done."""
    return not await sandbox.redis.zcard(keys.DUE)


async def answered(_sandbox: Sandbox) -> bool:
    """The peer answers once."""
    return True


async def measure(commands: int) -> dict[str, list[Times]]:
    """Ours, ours with an engine that takes every call and never answers, and the peer's."""
    found = {}
    async with Sandbox() as sandbox:
        sandbox.slack.rates.enforced = False
        watch = Stopwatch(sandbox.slack, partial(nothing_due, sandbox))
        found["ours"] = await watch.many(commands)
        await sandbox.vllm.scenario("hanging")
        found["ours, engine hanging"] = await watch.many(max(5, commands // 10))
    async with Sandbox(processes=False, past=False) as sandbox:
        sandbox.slack.rates.enforced = False
        async with plain(sandbox):
            found["plain"] = await Stopwatch(sandbox.slack, partial(answered, sandbox)).many(commands)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = asyncio.run(measure(options.commands))
    rows = {}
    for name, times in found.items():
        rows[f"{name}: acknowledged and stored"] = summary([one.acknowledged for one in times])
        rows[f"{name}: first message"] = summary([one.first for one in times])
        rows[f"{name}: final message"] = summary([one.final for one in times])

    def ratio(what: str) -> float:
        return rows[f"plain: {what}"]["p50_ms"] / rows[f"ours: {what}"]["p50_ms"]

    ratios = {
        "ratio_to_plain_acknowledged_p50": ratio("acknowledged and stored"),
        "ratio_to_plain_final_p50": ratio("final message"),
    }
    finish(rows, ratios, as_json=options.json)


if __name__ == "__main__":
    main()
