"""The product's own processes, kept running the way a process manager would: what dies is started anew."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

RESTART_PAUSE_S = 0.2
STOP_S = 12.0
"""Longer than the workers' own grace."""


class ManagedProcess:
    """One process of the product. `log` receives what it prints."""

    def __init__(self, name: str, arguments: list[str], environment: Mapping[str, str], folder: Path) -> None:
        """Nothing runs before `start`."""
        self.name = name
        self._command = [sys.executable, "-m", "sandbox.leash", *arguments]
        self._environment = dict(environment)
        self._folder = folder
        self._wanted = False
        self._keeper: asyncio.Task[None] | None = None
        self.process: asyncio.subprocess.Process | None = None
        self.starts = 0

    async def start(self) -> None:
        """Start it and keep it."""
        self._wanted = True
        await self._spawn()
        self._keeper = asyncio.create_task(self._keep())

    async def _spawn(self) -> None:
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self._command,
                env=self._environment,
                cwd=self._folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.starts += 1

    async def _keep(self) -> None:
        while self._wanted and self.process is not None:
            await self.process.wait()
            if self._wanted:
                await asyncio.sleep(RESTART_PAUSE_S)
                await self._spawn()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill it and all that it forked, as a machine that is switched off does."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL when it takes too long."""
        self._wanted = False
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self.process.wait()
        self.kill()
        await self.process.wait()
        if self._keeper is not None:
            await self._keeper
