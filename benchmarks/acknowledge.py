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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from measure import finish, summary

from sandbox.slack import Fault, SlackStandIn, WireCall
from sandbox.whole import Sandbox

WARM_UP = 8


class Stopwatch:
    """Times commands from the moment they leave Slack to the acknowledgement and to the last answer."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._answered = asyncio.Event()
        self._last = 0.0
        slack.faults.add(Fault(method="response_url", times=10**9, after=self._note))

    def _note(self, _call: WireCall) -> None:
        self._last = time.perf_counter()
        self._answered.set()

    async def one(self) -> tuple[float, float]:
        """Type one command; seconds to acknowledged, seconds to the final message."""
        self._answered.clear()
        began = time.perf_counter()
        await self._slack.people.type("anna", "#ops", "/gemma status")
        acknowledged = time.perf_counter()
        async with asyncio.timeout(20):
            await self._answered.wait()
        return acknowledged - began, self._last - began

    async def many(self, n: int) -> tuple[list[float], list[float]]:
        """Warm up, then `n` commands, one after the other with a breath between."""
        for _ in range(WARM_UP):
            await self.one()
        pairs = []
        for _ in range(n):
            pairs.append(await self.one())
            await asyncio.sleep(0.05)
        return [a for a, _ in pairs], [b for _, b in pairs]


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


async def measure(commands: int) -> dict[str, tuple[list[float], list[float]]]:
    """Ours, then the peer's."""
    async with Sandbox() as sandbox:
        sandbox.slack.rates.enforced = False
        ours = await Stopwatch(sandbox.slack).many(commands)
    async with Sandbox(processes=False, past=False) as sandbox:
        sandbox.slack.rates.enforced = False
        async with plain(sandbox):
            theirs = await Stopwatch(sandbox.slack).many(commands)
    return {"ours": ours, "plain": theirs}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = asyncio.run(measure(options.commands))
    rows = {}
    for name, (acknowledged, final) in found.items():
        rows[f"{name}: acknowledged and stored"] = summary(acknowledged)
        rows[f"{name}: final message"] = summary(final)
    ratios = {
        "ratio_to_plain_acknowledged_p50": rows["plain: acknowledged and stored"]["p50_ms"]
        / rows["ours: acknowledged and stored"]["p50_ms"],
        "ratio_to_plain_final_p50": rows["plain: final message"]["p50_ms"] / rows["ours: final message"]["p50_ms"],
    }
    finish(rows, ratios, as_json=options.json)


if __name__ == "__main__":
    main()
