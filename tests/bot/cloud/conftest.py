"""Fixtures for the REST side of the adapter."""

from collections.abc import AsyncIterator

import pytest

from bot.cloud.machines import TpuMachines
from bot.cloud.provisioning import TpuProvisioner
from bot.nouns import CapacityOrder
from bot.ports import Authorised
from sandbox.clock import HeldClock
from sandbox.google.seed import default_project
from sandbox.google.standin import GoogleStandIn
from tests.bot.cloud.wired import NOW, Google, an_order


@pytest.fixture
async def wired() -> AsyncIterator[Google]:
    clock = HeldClock(NOW)
    standin = GoogleStandIn(default_project(clock), clock)
    yield Google(standin, clock, (await standin.start()).rest)
    await standin.stop()


@pytest.fixture
async def provisioner(wired: Google) -> AsyncIterator[TpuProvisioner]:
    async with wired.rest() as rest:
        yield wired.provisioner(rest)


@pytest.fixture
async def machines(wired: Google) -> AsyncIterator[TpuMachines]:
    async with wired.rest() as rest:
        yield TpuMachines(rest, pauses_s=(0, 0))


@pytest.fixture
def leave() -> Authorised:
    """Leave for one piece of work; a second person was not asked."""
    return Authorised("ask-0123456789ab")


@pytest.fixture
def order() -> CapacityOrder:
    """A flex-start machine for three hours."""
    return an_order()
