"""The adapter in forked children, as RQ's workers run it: the parent imports and nothing more."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bot.cloud.tpu import TpuCloud
from sandbox.clock import Clock

pytestmark = pytest.mark.wire
CHILDREN = 8
LONGEST_S = 20
SERVE = """
import asyncio
from sandbox.clock import Clock
from sandbox.google.seed import default_project
from sandbox.google.standin import GoogleStandIn

async def serve():
    clock = Clock()
    standin = GoogleStandIn(default_project(clock), clock)
    print((await standin.start()).grpc, flush=True)
    await asyncio.Event().wait()

asyncio.run(serve())
"""
LOOK = f"""
import asyncio, os, signal, sys
from bot.cloud.tpu import TpuCloud
from sandbox.clock import Clock

async def look():
    async with await TpuCloud.open("sandbox-project", clock=Clock(), address=sys.argv[1]) as cloud:
        return len((await cloud.fleet()).machines)

codes = []
for _ in range({CHILDREN}):
    child = os.fork()
    if child == 0:
        signal.alarm({LONGEST_S})
        os._exit(asyncio.run(look()))
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(codes)
"""


@pytest.fixture
def address() -> Iterator[str]:
    """A stand-in in a process of its own."""
    with subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGKILL)


def test_every_forked_child_lists_the_fleet(address: str) -> None:
    seen = subprocess.run([sys.executable, "-c", LOOK, address], capture_output=True, check=True, text=True, timeout=60)
    assert seen.stdout.strip() == str([2] * CHILDREN)


def test_the_second_loop_of_one_process_can_open_it_again(address: str) -> None:
    async def look() -> int:
        async with await TpuCloud.open("sandbox-project", clock=Clock(), address=address) as cloud:
            return len((await cloud.fleet()).machines)

    assert [asyncio.run(look()) for _ in range(3)] == [2, 2, 2]
