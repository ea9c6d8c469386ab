"""A cloud that opens at the first question, once."""

import asyncio

import pytest

from bot.cloud.connection import CloudOnFirstUse, NoCloud
from bot.cloud.tpu import TpuCloud
from bot.errors import NotConnectedError, PersonMovesNext
from sandbox.clock import Clock


class Opener:
    """Counts how often a cloud is opened; fails as often as it is told."""

    def __init__(self, failures: int = 0) -> None:
        self.opened, self.failures = 0, failures

    async def __call__(self) -> TpuCloud:
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise PersonMovesNext("not yet")
        self.opened += 1
        return await TpuCloud.open("p", clock=Clock(), address="127.0.0.1:1", zones=())


async def test_nothing_is_opened_before_the_first_question_nor_closed_if_nobody_asked() -> None:
    opener = Opener()
    await CloudOnFirstUse(opener).aclose()
    assert opener.opened == 0


async def test_several_who_ask_at_the_same_moment_share_one_channel() -> None:
    opener = Opener()
    cloud = CloudOnFirstUse(opener)
    await asyncio.gather(cloud.zones(), cloud.zones(), cloud.fleet())
    assert opener.opened == 1
    await cloud.aclose()


async def test_an_opening_that_failed_is_tried_again_at_the_next_question() -> None:
    cloud = CloudOnFirstUse(Opener(failures=1))
    with pytest.raises(PersonMovesNext):
        await cloud.zones()
    assert await cloud.zones() == ()
    await cloud.aclose()


async def test_without_a_project_every_question_says_what_to_set() -> None:
    for question in (NoCloud().zones(), NoCloud().fleet()):
        with pytest.raises(NotConnectedError, match="Machine: not connected, set GOOGLE_CLOUD_PROJECT"):
            await question
