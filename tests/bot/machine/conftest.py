"""A machine for each test."""

import pytest

from tests.bot.machine.machine_bench import Bench


@pytest.fixture
async def bench():
    made = await Bench.open()
    yield made
    await made.close()
