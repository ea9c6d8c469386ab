"""`gemma sandbox`: the page in the browser, or lines typed as a person would and everything that people then see."""

import asyncio
import signal
import sys
from dataclasses import dataclass

from sandbox.slack import render_text
from sandbox.whole import Sandbox


@dataclass(frozen=True)
class Typing:
    """Who types which lines where."""

    lines: tuple[str, ...]
    user: str = "anna"
    channel: str = "#ops"


async def serve(port: int) -> int:
    """Run until Ctrl-C or SIGTERM; the page's address is the first line printed."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with Sandbox(port=port) as sandbox:
        print(f"Open {sandbox.page}  and type /gemma status  (Ctrl-C ends it and leaves nothing behind)", flush=True)
        await ended.wait()
    return 0


async def say(typing: Typing) -> int:
    """Type each line, wait until all is answered, print what this person sees. 0, or 1 when something did not end."""
    async with Sandbox() as sandbox:
        ended = True
        for line in typing.lines:
            await sandbox.slack.people.type(typing.user, typing.channel, line)
            ended = await sandbox.settled() and ended
        print(render_text(sandbox.slack.transcript(typing.user, typing.channel)))
        if not ended:
            print(sandbox.logs(), file=sys.stderr)
            print("Something did not end within a minute; its log stands above.", file=sys.stderr)
    return 0 if ended else 1
