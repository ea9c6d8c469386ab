"""`machine extend`: a later end where it is ours; and the work that ends the machine keeps to it."""

from datetime import timedelta

import pytest

from bot.errors import RefusedError, UsageError
from bot.nouns import ProvisioningModel
from bot.operations.execute import Outcome, execute
from bot.operations.machine_expire import MACHINE_EXPIRE, wait
from bot.operations.machine_extend import MACHINE_EXTEND
from bot.operations.machine_tidy import reaped
from bot.ports import Lease
from bot.view import plain
from tests.doubles.ports import BEN, NOW
from tests.doubles.sights import machine
from tests.doubles.works import Begun, Works

ZONE = "us-east5-a"


def lease(hours: float = 2) -> Lease:
    ends = NOW + timedelta(hours=hours)
    return Lease(machine="prod-2", zone=ZONE, request="prod-2-request", ends_at=ends, owner=BEN.user_id, work="machine-1")


def works(bought: ProvisioningModel = ProvisioningModel.SPOT, hours: float = 2) -> Works:
    made = Works((MACHINE_EXTEND, MACHINE_EXPIRE))
    made.yard.put(machine("prod-2", provisioning=bought))
    made.ends[ZONE, "prod-2"] = lease(hours)
    return made


async def agreed(made: Works, asked: Outcome) -> Outcome:
    await made.say(asked.view.buttons[0].words)
    return await execute(made.table, made.services, made.house.questions.works[-1])


async def test_a_later_end_says_its_price_first_and_moves_once_however_often_it_is_carried_out() -> None:
    made = works()
    asked = await made.say("machine extend prod-2 2h")
    assert plain(asked.view.verdict).startswith("Let prod-2 run 2 h longer, at most $")
    assert made.ends[ZONE, "prod-2"].ends_at == NOW + timedelta(hours=2)
    first = await agreed(made, asked)
    again = await execute(made.table, made.services, made.house.questions.works[-1])
    assert made.ends[ZONE, "prod-2"].ends_at == NOW + timedelta(hours=4)
    assert plain(first.view.verdict) == plain(again.view.verdict)
    assert plain(first.view.verdict).startswith("prod-2 ends 2026-11-30 07:00 UTC now · at most $")


async def test_a_flex_start_machine_cannot_be_extended_and_neither_can_one_without_an_end_of_ours() -> None:
    with pytest.raises(UsageError, match="flex-start"):
        await works(ProvisioningModel.FLEX_START).say("machine extend prod-2 2h")
    made = works()
    made.ends.clear()
    with pytest.raises(UsageError, match="no end of prod-2"):
        await made.say("machine extend prod-2 2h")


async def test_seven_days_in_all_are_the_most_and_a_minute_before_the_end_is_too_late() -> None:
    with pytest.raises(UsageError, match="more than 7 d"):
        await works().say("machine extend prod-2 7d")
    with pytest.raises(RefusedError, match="just now"):
        await works(hours=0.01).say("machine extend prod-2 2h")


async def test_the_work_that_ends_it_waits_for_the_later_end_and_one_begun_anew_does_too() -> None:
    made = works()
    work = reaped(lease(), machine("prod-2"), NOW, None)
    made.works["machine-1"] = Begun(made.house.request("machine create prod-2"), work.path, work.arguments, work.notes, "holding")
    made.ends[ZONE, "prod-2"] = lease(hours=4)
    made.house.clock.move(hours=3)
    move = await wait(await made.course("machine-1", MACHINE_EXPIRE))
    assert getattr(move, "to", None) == "holding"
    made.house.clock.move(hours=2)
    move = await wait(await made.course("machine-1", MACHINE_EXPIRE))
    assert getattr(move, "to", None) == "ending"
