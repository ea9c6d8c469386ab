"""What may happen after somebody was acknowledged: it is started a moment later and held until it is done."""

import asyncio
from collections.abc import Coroutine
from typing import Any

PAUSE_S = 0.001
"""Long enough for the acknowledgement to leave first, too short for anybody to notice."""


class Later:
    """Coroutines under way; the loop itself would let them be collected."""

    def __init__(self) -> None:
        """Nothing is under way."""
        self._under_way: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin it in a millisecond. It deals with its own errors."""

        async def soon() -> None:
            await asyncio.sleep(PAUSE_S)
            await work

        self._under_way.add(task := asyncio.create_task(soon()))
        task.add_done_callback(self._under_way.discard)
