"""`machine end NAME idle 40m`: one yes, then it waits for idle time that was really seen."""

from datetime import timedelta

import pytest

from bot.errors import UsageError
from bot.nouns import Delta, RequestState
from bot.nouns.window import Span
from bot.operations.machine_end import MACHINE_END
from bot.view import plain
from tests.doubles.ports import NOW
from tests.doubles.sights import PROD, asked_for, machine, scrape
from tests.doubles.works import Works


def minutes(*running: float | None) -> tuple[Delta, ...]:
    """The last minutes, the newest last; None: nobody saw it."""
    found = []
    for number, value in enumerate(reversed(running), 1):
        since = NOW - timedelta(minutes=number)
        span = None if value is None else Span(low=value, high=value, last=value, at=since, area=0, seconds=60)
        gauges = {} if span is None else {"running": span}
        found.append(Delta(since=since, until=since + timedelta(minutes=1), seconds=60, gauges=gauges))
    return tuple(reversed(found))


def works(*running: float | None) -> Works:
    made = Works((MACHINE_END,))
    made.yard.put(machine(), asked_for(RequestState.ACTIVE))
    made.house.names.known = [PROD]
    made.house.engine.health = True
    made.house.engine.scrape = scrape(running=0, waiting=0)
    made.house.past.minutes = minutes(*running)
    return made


async def test_the_question_says_what_it_saves_and_nothing_goes_before_it_was_idle() -> None:
    made = works(*[0] * 39, 1)
    asked = await made.say("machine end prod-1 idle 40m")
    assert plain(asked.view.verdict) == "End prod-1 once no request ran for 40 min"
    assert asked.view.buttons[0].label == "End prod-1 when idle 40 min"
    name = await made.agree(asked)
    move = await made.take(name)
    assert getattr(move, "to", None) == "holding"
    assert not [one for one in made.yard.asked if one.startswith("delete")]


async def test_time_that_nobody_saw_is_not_idle_and_a_request_just_now_keeps_it() -> None:
    made = works(*[None] * 40)
    name = await made.begins("machine end prod-1 idle 40m")
    assert getattr(await made.take(name), "to", None) == "holding"
    made.house.past.minutes = minutes(*[0] * 40)
    made.house.engine.scrape = scrape(running=1, waiting=0)
    assert getattr(await made.take(name), "to", None) == "holding"


async def test_idle_for_long_enough_it_goes_is_looked_for_and_told_with_its_cost() -> None:
    made = works(*[0] * 40)
    name = await made.begins("machine end prod-1 idle 40m")
    made.house.engine.scrape = scrape(running=0, waiting=0)
    made.house.engine.health = False
    made.yard.soon = [made.yard.vanish("us-east5-a", "prod-1-request", "prod-1")]
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict).startswith("prod-1 is gone · billing stopped at")


async def test_stopped_it_stays() -> None:
    made = works(*[1] * 40)
    name = await made.begins("machine end prod-1 idle 40m")
    view = await made.end(name, stop=True)
    assert view is not None
    assert plain(view.verdict) == "prod-1 stays, and bills $5.40/h: it was stopped"


async def test_a_machine_of_no_deployment_cannot_be_called_idle() -> None:
    made = works()
    made.house.names.known = []
    with pytest.raises(UsageError, match="serves no deployment"):
        await made.say("machine end prod-1 idle 40m")
