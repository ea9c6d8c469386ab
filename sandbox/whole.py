"""The whole sandbox: stand-ins for Slack, Google Cloud and vLLM, a real Valkey, and the product's own three processes."""

import asyncio
import os
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import aiohttp
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.nouns import Deployment
from bot.store import keys
from handlers.slack.manifest import manifest
from sandbox.clock import Clock
from sandbox.google.seed import HOME, default_project, write_logs
from sandbox.google.standin import GoogleStandIn
from sandbox.machine import MachinePark
from sandbox.machine.first import bring_up, let_in, wish
from sandbox.memory import Memory, free_port
from sandbox.page.routes import page
from sandbox.past import ShiftedClock, live_through
from sandbox.processes import ManagedProcess
from sandbox.slack import SlackStandIn, default_workspace, installed
from sandbox.vllm import VllmStandIn

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "TMPDIR")
"""All that the product sees of the real environment: nobody's real tokens get into the sandbox."""

DEPLOYMENTS = """[prod]
base_url = "{url}"
accelerator = "v6e-4"
zone = "{zone}"
machine = "prod-1"
"""

SETTLE_PAUSE_S = 0.02
WAITS_S = 20.0
"""Longer than a lease, and than the pauses of work that gets on."""

THINKS_S = 0.2
"""Seconds to the first token of the bot's own questions: the median of the quiet hour (`sandbox.vllm.scenarios`)."""

PACE, PULL_S = 0.01, 1.0
"""Starts take a hundredth of the time that they were recorded with (11 min), pulling an image a second."""

START_WITHIN_S = 60
"""The processes start in two or three seconds; on a machine that is busy with other things, in ten times that."""


class SandboxError(RuntimeError):
    """The product did not come up; the message holds its logs."""


class Sandbox:
    """Use it as an asynchronous context manager: entering starts everything, leaving ends all of it and removes its folder."""

    def __init__(
        self,
        *,
        past: bool = True,
        processes: bool = True,
        port: int = 0,
        mode: Literal["socket", "http"] = "socket",
        pace: float = PACE,
        **settings: str,
    ) -> None:
        """`past` gives the deployment a history; `processes` False starts the stand-ins alone; `settings` go to the product.

        `mode` is how the stand-in for Slack reaches the product; `pace` how long starts of engines take, against real ones.
        """
        self._past = past
        self._with_processes = processes
        self._port = port
        self._settings = settings
        self._mode = mode
        self._pace = pace
        self._stack = AsyncExitStack()
        self._health_port = free_port()
        self.web = f"http://127.0.0.1:{self._health_port}"
        workspace = default_workspace(installed(manifest(None)))
        url = f"{self.web}/slack/events" if mode == "http" else None
        self.slack = SlackStandIn(workspace, request_url=url, doors=(page,))
        self._shifted = ShiftedClock()
        self.vllm = VllmStandIn(self._shifted if past else Clock(), thinks_s=THINKS_S)
        self.google = GoogleStandIn(default_project(Clock()), Clock())
        self.processes: dict[str, ManagedProcess] = {}

    async def __aenter__(self) -> Self:
        """Start the stand-ins, Valkey and the processes; return when Slack is connected."""
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End everything."""
        await self._stack.aclose()

    async def _start(self) -> None:
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="gemma-sandbox-")))
        self.memory = Memory(self.folder / "valkey")
        await self.memory.start()
        self._stack.push_async_callback(self.memory.stop)
        self.page = await self.slack.start(port=self._port)
        self._stack.push_async_callback(self.slack.stop)
        url = self.vllm_url = await self.vllm.start()
        self._stack.push_async_callback(self.vllm.stop)
        self.addresses = await self.google.start()
        write_logs(self.google.logs)
        self._stack.push_async_callback(self.google.stop)
        self._start_machines()
        self.redis = Redis.from_url(self.memory.url)
        self._stack.push_async_callback(self.redis.aclose)
        await wish(self.redis, self.slack.workspace.team_id, self.google.project.clock.now())
        (self.folder / "deployments.toml").write_text(DEPLOYMENTS.format(url=url, zone=HOME))
        if self._past:
            deployment = Deployment(name="prod", base_url=url)
            await live_through(self._shifted, deployment, self.slack.workspace.team_id, self.redis)
        if self._with_processes:
            await self._start_processes()
        if self._with_processes:
            await self._connected()

    def _start_machines(self) -> None:
        """Machines behind the nodes; prod's runs the engine that everybody reaches."""
        let_in(self.google.project, self.google.secrets)
        self.park = MachinePark(self.google.project, self.google.project.clock, pace=self._pace, pull_s=PULL_S)
        self._stack.push_async_callback(self.park.aclose)
        bring_up(self.park.machines["prod-1"], self.vllm, self.google.project.clock.now())

    async def _connected(self) -> None:
        """Wait until Slack can reach the product. Raises SandboxError with what the processes printed when it never can."""
        try:
            async with asyncio.timeout(START_WITHIN_S):
                while not await self._reachable():
                    await asyncio.sleep(SETTLE_PAUSE_S)
        except TimeoutError:
            raise SandboxError(f"The product did not connect within {START_WITHIN_S} s.\n{self.logs()}") from None

    async def _reachable(self) -> bool:
        """Whether Slack can bring something to the product by now."""
        if self._mode == "socket":
            return bool(self.slack.sockets.connections)
        try:
            async with aiohttp.ClientSession(trust_env=False) as session, session.get(f"{self.web}/healthz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    def _reached_by(self) -> dict[str, str]:
        app = self.slack.workspace.app
        if self._mode == "http":
            return {"SLACK_SIGNING_SECRET": app.signing_secret}
        return {"SLACK_APP_TOKEN": app.app_token}

    def environment(self) -> dict[str, str]:
        """What the product is given: addresses and credentials of the stand-ins, and nothing else."""
        app = self.slack.workspace.app
        return {
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
            "PYTHONUNBUFFERED": "1",
            "SLACK_BOT_TOKEN": app.bot_token,
            **self._reached_by(),
            "SLACK_API_URL": self.slack.api_url,
            "REDIS_URL": self.memory.url,
            "GOOGLE_CLOUD_PROJECT": self.google.project.name,
            "TPU_API_ADDRESS": self.addresses.grpc,
            "GCP_API_ROOT": self.addresses.rest,
            "OPERATORS": "S0TPUOPS",
            "ADMINS": "U0ANNA",
            "DEPLOYMENTS_FILE": str(self.folder / "deployments.toml"),
            "HEALTH_PORT": str(self._health_port),
            "METRICS_PORT": str(free_port()),
            **self._settings,
        }

    async def _start_processes(self) -> None:
        environment = self.environment()
        for name in ("web", "worker", "clock", "tunnel"):
            process = self.processes[name] = ManagedProcess(name, [name], environment, self.folder)
            await process.start()
            self._stack.push_async_callback(process.stop)

    async def settled(self, within_s: float = 60.0) -> bool:
        """Wait until nothing is due, leased or on its way, twice in a row. False when that takes too long."""
        try:
            async with asyncio.timeout(within_s):
                quiet = 0
                while quiet < 2:
                    quiet = 0 if await self._busy() else quiet + 1
                    await asyncio.sleep(SETTLE_PAUSE_S)
        except TimeoutError:
            return False
        return True

    async def _busy(self) -> bool:
        """Whether anything is due soon, leased or on its way; a memory that is away may hold anything.

        What waits for longer than a lease only waits for time to pass: a machine's end, the next look at an incident.
        """
        try:
            soon = (time.time() + WAITS_S) * 1000
            return bool(await self.redis.zcount(keys.DUE, "-inf", soon) or self.slack.deliveries.under_way)
        except RedisError:
            return True

    def logs(self) -> str:
        """What the processes printed."""
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')}" for path in sorted(self.folder.glob("*.log")))
