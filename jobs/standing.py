"""What processes have in common that stand until somebody ends them: `clock` and `tunnel`."""

import asyncio
import signal
from collections.abc import Awaitable, Callable

import structlog
from redis.exceptions import RedisError

from bot.errors import BotError
from bot.services import Runtime, running
from bot.settings import Settings

log = structlog.get_logger()

TROUBLE = (RedisError, BotError, OSError)
"""What passes: Redis, Slack or a machine is away."""
PAUSE_S = 1.0

Serve = Callable[[Runtime, asyncio.Event], Awaitable[None]]
"""All that the process does, until the event is set."""


async def stand(settings: Settings, name: str, serve: Serve) -> None:
    """Serve until SIGTERM or SIGINT. Trouble only delays it: then everything is built anew."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    while not ended.is_set():
        try:
            async with running(settings) as runtime:
                await serve(runtime, ended)
        except TROUBLE as error:
            log.info(f"{name} waits", why=f"{type(error).__name__}: {error}"[:200])
            await wait(ended, PAUSE_S)


async def every(ended: asyncio.Event, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
    """Act, wait, act again. Passing trouble is logged and waited out."""
    while not ended.is_set():
        try:
            await act()
        except TROUBLE as error:
            log.info("tick failed", why=f"{type(error).__name__}: {error}"[:200])
        await wait(ended, seconds)


async def wait(ended: asyncio.Event, seconds: float) -> None:
    """So many seconds, or less when the process is to end."""
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        return
