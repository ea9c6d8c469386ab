"""[Not needed]: who asked a question takes it back, and touches nothing else."""

from typing import Any

import pytest

from bot.errors import RefusedError, UsageError
from bot.operations.execute import execute
from bot.operations.unneeded import UNNEEDED
from bot.view import plain
from tests.bot.operations.test_work import open_work
from tests.doubles.ports import ANNA, BEN, DANA, House


async def said(house: House, work: str, by: Any) -> str:
    outcome = await execute((UNNEEDED,), house.services, house.request(f"unneeded {work}", by))
    return plain(outcome.view.verdict)


def asked_by_dana(*works: str) -> House:
    house = House()
    house.desk.open = [open_work(one, DANA) for one in works or ("ask-3",)]
    return house


@pytest.mark.parametrize("by", [DANA, BEN, ANNA])
async def test_who_asked_takes_it_back_though_a_viewer_and_operators_may_too(by: Any) -> None:
    house = asked_by_dana()
    assert await said(house, "ask-3", by) == "ask-3 was asked to stop"
    assert house.desk.stopped == ["ask-3"]


async def test_another_viewer_does_not() -> None:
    house = asked_by_dana()
    house.desk.open = [open_work("ask-3", BEN)]
    with pytest.raises(RefusedError, match="Only who asked it"):
        await said(house, "ask-3", DANA)
    assert house.desk.stopped == []


@pytest.mark.parametrize("work", ["bench-12", "ask-4"])
async def test_only_questions_that_are_there_can_be_taken_back(work: str) -> None:
    house = asked_by_dana("ask-3", "bench-12")
    with pytest.raises(UsageError):
        await said(house, work, DANA)
    assert house.desk.stopped == []
