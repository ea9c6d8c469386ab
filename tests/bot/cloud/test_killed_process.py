"""A process that is killed with SIGKILL while a call is on its way; what it sent may still arrive, and another one goes on."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from bot.nouns import Placement
from bot.ports import Authorised
from sandbox.google.faults import Fault, FaultKind, When
from tests.bot.cloud.wired import Google, an_order

pytestmark = [pytest.mark.wire, pytest.mark.faults]
ROOT = Path(__file__).parents[3]
LEAVE = Authorised("ask-0123456789ab")
CREATE = """
import asyncio, sys
from bot.cloud.machines import TpuMachines
from bot.cloud.provisioning import TpuProvisioner
from bot.cloud.rest import GoogleRest
from bot.ports import Authorised
from sandbox.google.seed import PROJECT
from tests.bot.cloud.wired import an_order

async def create():
    async with GoogleRest(PROJECT, root=sys.argv[1]) as rest:
        await TpuProvisioner(rest, TpuMachines(rest)).create(Authorised("ask-0123456789ab"), an_order())

asyncio.run(create())
"""


async def killed_at_a_held_call(google: Google) -> None:
    """Run a create in a process of its own and kill it as soon as a call of it is held."""
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", CREATE, google.address, cwd=ROOT)
    async with asyncio.timeout(30):
        while not google.standin.faults.held:
            await asyncio.sleep(0.01)
            assert child.returncode is None
        child.send_signal(signal.SIGKILL)
        await child.wait()


@pytest.mark.parametrize(("nth", "when"), [(1, When.BEFORE), (2, When.BEFORE), (1, When.AFTER)])
@pytest.mark.parametrize("late", [True, False])
async def test_another_process_goes_on_with_the_same_machine(wired: Google, nth: int, when: When, late: bool) -> None:
    """`late`: what the killed one sent is carried out only after the other one has asked."""
    wired.standin.faults.plan(Fault(FaultKind.HOLD, nth=nth, when=when))
    await killed_at_a_held_call(wired)
    if not late:
        wired.standin.faults.clear()
    async with wired.rest() as rest:
        answer = await wired.provisioner(rest).create(LEAVE, an_order())
    wired.standin.faults.clear()
    assert isinstance(answer, Placement)
    for _ in range(3):
        await wired.clock.advance(3)
        assert wired.requests() == {"prod-1-request", "prod-2-request"}
    assert wired.nodes() == {"prod-1", "prod-2"}
