"""The cloud as Core is handed it: opened at the first question, or not set up at all."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from bot.cloud.tpu import TpuCloud
from bot.errors import NotConnectedError
from bot.nouns import Fleet


class CloudOnFirstUse:
    """Implements `bot.ports.Cloud`; credentials are looked up and a channel is opened only when somebody asks."""

    def __init__(self, open_it: Callable[[], Awaitable[TpuCloud]]) -> None:
        """`open_it` opens the real one inside the running loop."""
        self._open = open_it
        self._cloud: TpuCloud | None = None
        self._opening = asyncio.Lock()

    async def _opened(self) -> TpuCloud:
        """Opened once, also when several ask at the same moment: a second channel would never be closed."""
        async with self._opening:
            if self._cloud is None:
                self._cloud = await self._open()
            return self._cloud

    async def zones(self) -> tuple[str, ...]:
        """See `bot.ports.Cloud`."""
        return await (await self._opened()).zones()

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        """See `bot.ports.Cloud`."""
        return await (await self._opened()).fleet(zones)

    async def aclose(self) -> None:
        """Close the channel if one was opened."""
        if self._cloud is not None:
            await self._cloud.aclose()


class NoCloud:
    """Implements `bot.ports.Cloud` where no project is set: every question says what to set."""

    async def zones(self) -> tuple[str, ...]:
        """Raises NotConnectedError."""
        raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        """Raises NotConnectedError."""
        del zones
        raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
