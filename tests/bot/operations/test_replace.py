"""`replace`: the old one serves until the new one answers, then it is ended; if the new one fails, nothing of it is left."""

import pytest

from bot.errors import PersonMovesNext, RefusedError
from bot.nouns import Refusal, RefusalKind
from bot.operations.execute import Outcome
from bot.view import View, plain
from sandbox.machine.docker import FakeDocker
from sandbox.machine.starts import Ending
from tests.doubles.deploying import Bench
from tests.doubles.engines import SPECIFICATION, runs
from tests.doubles.sights import machine, scrape

REPLACE = "replace prod for 8h"


def bench(running: int = 0) -> Bench:
    made = Bench(stands=True, serves=True, pace=0.01)
    made.rig.engine.health = True
    made.rig.engine.scrape = scrape(running=running, waiting=0)
    return made


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


def lines(view: View | None) -> list[str]:
    assert view is not None
    return [plain(view.verdict), *map(plain, view.lines)]


def second(made: Bench) -> FakeDocker:
    """The docker of the new machine."""
    made.rig.reach("prod-2")
    return made.rig.others["prod-2"][0]


async def test_the_question_says_what_the_new_one_costs_and_what_both_cost_meanwhile() -> None:
    said = told(await bench().say(REPLACE))
    assert said[0] == "Replace prod-1 by prod-2 in us-east5-a: $5.40/h, at most $43.20"
    assert said[1].startswith("prod-1 serves on until prod-2 answers")
    assert said[2] == "Both bill meanwhile: about $1.89 for prod-1, a start taking about 11 min (last 3 starts: 9, 11, 14 min)."


async def test_the_new_one_answers_and_the_old_one_is_verified_gone() -> None:
    made = bench()
    said = lines(await made.end(await made.begins(REPLACE)))
    assert said[0].startswith("prod answers on prod-2 since ")
    assert said[1] == "Address: http://10.0.0.3:8000."
    assert any(one.startswith("prod-1 is gone · billing stopped at ") for one in said)
    assert [one.name for one in made.machines] == ["prod-2"]
    assert (made.house.names.known[0].machine, made.house.names.known[0].base_url) == ("prod-2", "http://10.0.0.3:8000")


async def test_open_requests_are_waited_for_and_not_for_ever() -> None:
    made = bench(running=4)
    began = made.house.clock.now()
    said = lines(await made.end(await made.begins(REPLACE)))
    assert any(one.startswith("Cut off on the old one after 10 min: 4 running") for one in said)
    assert any("ends its open requests" in one for one in made.progress)
    assert 600 < (made.house.clock.now() - began).total_seconds() < 1_800


async def test_an_old_engine_that_says_nothing_is_not_taken_for_an_idle_one_at_once() -> None:
    made = bench()
    made.rig.engine.health = False
    began = made.house.clock.now()
    said = lines(await made.end(await made.begins(REPLACE)))
    assert any("ends its open requests" in one for one in made.progress)
    assert said[0].startswith("prod answers on prod-2 since ")
    assert (made.house.clock.now() - began).total_seconds() > 120


async def test_a_new_engine_that_fails_is_given_back_and_the_old_one_serves_on() -> None:
    made = bench()
    second(made).ending = Ending.KILLED
    said = lines(await made.end(await made.begins(REPLACE)))
    assert said[0] == "prod-1 is not replaced and serves on, untouched"
    assert "its engine did not come up: " in said[1]
    assert [one.name for one in made.machines] == ["prod-1"]
    assert runs(made.rig, SPECIFICATION)
    assert (made.rig.docker.acted, made.settling.settled, made.ends) == ([], [], {})


async def test_no_capacity_leaves_everything_as_it_was() -> None:
    made = bench()
    made.yard.refusals = [Refusal(kind=RefusalKind.STOCKOUT, text="There is no more capacity in the zone")]
    said = lines(await made.end(await made.begins(REPLACE)))
    assert said[:2] == ["prod-1 is not replaced and serves on, untouched", "No prod-2 in us-east5-a: no capacity there now"]
    assert [one.name for one in made.machines] == ["prod-1"]


async def test_a_stop_before_the_switch_gives_the_new_one_back() -> None:
    made = bench()
    name = await made.begins(REPLACE)
    for _ in range(6):
        await made.take(name)
        made.yard.pass_time()
    said = lines(await made.survive(name, stop=True))
    assert said[0] == "prod-1 is not replaced and serves on, untouched"
    assert [one.name for one in made.machines] == ["prod-1"]


async def test_what_is_not_ours_or_not_there_is_not_replaced() -> None:
    made = bench()
    made.yard.put(machine(labels={}))
    with pytest.raises(RefusedError, match="was not made by me"):
        await made.say(REPLACE)
    with pytest.raises(PersonMovesNext):
        await Bench().say(REPLACE)


async def count_of_calls(*, fails: bool) -> int:
    made = bench()
    second(made).ending = Ending.KILLED if fails else Ending.READY
    name = await made.begins(REPLACE)
    made.rig.calls = 0
    await made.survive(name)
    return made.rig.calls


@pytest.mark.parametrize("after", [False, True], ids=["before it acts", "after it acted"])
@pytest.mark.parametrize("fails", [False, True], ids=["comes up", "does not come up"])
async def test_killed_at_every_call_exactly_one_machine_is_left(after: bool, fails: bool) -> None:
    calls = await count_of_calls(fails=fails)
    assert calls > 20
    left, says = ("prod-1", "prod-1 is not replaced") if fails else ("prod-2", "prod answers on prod-2")
    for number in range(1, calls + 1):
        made = bench()
        second(made).ending = Ending.KILLED if fails else Ending.READY
        name = await made.begins(REPLACE)
        made.rig.calls, made.rig.kill_at, made.rig.after = 0, number, after
        view = await made.survive(name)
        assert plain(view.verdict).startswith(says), number
        assert [one.name for one in made.machines] == [left], number
        assert made.house.names.known[0].machine == left, number
