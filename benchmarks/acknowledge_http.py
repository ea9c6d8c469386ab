"""How soon a slash command over HTTP is verified, stored and acknowledged: ours, plain Bolt with Flask, and a bare floor.

Each server is one process on this machine beside the same Valkey, measured one after the other: one connection; an open loop of
100 requests a second, timed from the intended moment; and as many as 32 connections get answered.

    python benchmarks/acknowledge_http.py [--requests N] [--json]
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from http_load import Slack, one_at_a_time, open_loop, saturated
from measure import finish, summary

from sandbox.whole import Sandbox, free_port

HERE = Path(__file__).parent
SERVERS = {
    "ours": ["-m", "handlers.terminal", "web"],
    "plain": [
        "-m",
        "gunicorn",
        "-w",
        "1",
        "-k",
        "gthread",
        "--threads",
        "16",
        "--keep-alive",
        "60",
        "--log-level",
        "error",
        "http_peers:plain()",
    ],
    "bare": ["-m", "uvicorn", "--factory", "http_peers:bare", "--log-level", "error", "--no-access-log"],
}


@asynccontextmanager
async def serving(name: str, sandbox: Sandbox) -> AsyncIterator[int]:
    """One server; its port."""
    port = free_port()
    listen = {"ours": [], "plain": ["-b", f"127.0.0.1:{port}"], "bare": ["--port", str(port)]}[name]
    environment = {
        **os.environ,
        **sandbox.environment(),
        "PYTHONPATH": str(HERE),
        "HEALTH_PORT": str(port),
        "SLACK_MODE": "http",
        "LOG_LEVEL": "warning",
        "SLACK_SIGNING_SECRET": sandbox.slack.workspace.app.signing_secret,
    }
    process = await asyncio.create_subprocess_exec(sys.executable, *SERVERS[name], *listen, env=environment, cwd=HERE)
    try:
        await _answers(port)
        yield port
    finally:
        process.terminate()
        await process.wait()


async def _answers(port: int) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


async def measure(requests: int) -> dict[str, dict[str, float]]:
    """A row for each server and way."""
    rows: dict[str, dict[str, float]] = {}
    async with Sandbox(processes=False, past=False) as sandbox:
        secret = sandbox.slack.workspace.app.signing_secret
        for name in SERVERS:
            async with serving(name, sandbox) as port:
                slack = Slack(port, secret, name)
                rows[f"{name}: one connection"] = summary(await one_at_a_time(slack, requests))
                rows[f"{name}: 100/s open loop"] = summary(await open_loop(slack, 100, 5))
                rows[f"{name}: saturated, 32 connections"] = {"per_s": round(await saturated(slack, 32, 3))}
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = asyncio.run(measure(options.requests))
    ours, plain, bare = (rows[f"{name}: one connection"]["p50_ms"] for name in ("ours", "plain", "bare"))
    finish(
        rows,
        {"ratio_to_plain_one_connection_p50": plain / ours, "ratio_to_bare_one_connection_p50": ours / bare},
        as_json=options.json,
    )


if __name__ == "__main__":
    main()
