"""`deploy`: what it costs is said first, a machine that stands is used, one machine remains, its end is announced."""

import pytest

from bot.errors import RefusedError, UsageError
from bot.nouns import Refusal, RefusalKind, RequestState, Zone
from bot.operations import engine_up
from bot.operations.execute import Outcome
from bot.view import View, plain
from sandbox.machine.starts import Ending
from tests.doubles.deploying import Bench
from tests.doubles.engines import SPECIFICATION, runs
from tests.doubles.ports import DANA
from tests.doubles.sights import OURS, asked_for, machine

DEPLOY = "deploy prod for 8h"


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


def lines(view: View | None) -> list[str]:
    assert view is not None
    return [plain(view.verdict), *map(plain, view.lines)]


def labels(view: View | None) -> list[str]:
    assert view is not None
    return [button.label for button in view.buttons]


# What is asked first


async def test_the_question_says_price_most_engine_memory_end_and_how_long_it_takes() -> None:
    said = told(await Bench().say(DEPLOY))
    assert said[0] == "Deploy prod: v6e-4 in us-east5-a, $5.40/h, at most $43.20"
    assert "65,536 tokens of context" in said[1]
    assert said[2].startswith("Memory: ")
    assert any("runs 8 h from when it is ready" in one for one in said)
    assert any("Usually about 11 min here" in one for one in said)


async def test_until_a_time_of_day_is_worked_out_and_not_given_together_with_a_span() -> None:
    said = told(await Bench().say("deploy prod until 20:00"))
    assert "at most" in said[0]
    with pytest.raises(UsageError, match="not both"):
        await Bench().say("deploy prod for 8h until 20:00")


async def test_more_than_seven_days_and_what_does_not_fit_are_refused() -> None:
    with pytest.raises(UsageError):
        await Bench().say("deploy prod for 8d")
    with pytest.raises(UsageError, match="would not start"):
        await Bench().say("deploy prod context=256K")


async def test_viewers_may_not() -> None:
    with pytest.raises(RefusedError):
        await Bench().say(DEPLOY, DANA)


async def test_a_request_that_is_on_its_way_is_not_doubled() -> None:
    made = Bench()
    made.yard.put(asked_for(RequestState.WAITING))
    with pytest.raises(RefusedError, match="on its way: prod-1-request"):
        await made.say(DEPLOY)


# What is done


async def test_a_new_machine_is_made_with_key_and_script_and_announced_with_its_end_and_price() -> None:
    made = Bench(pace=0.01)
    view = await made.end(await made.begins(DEPLOY))
    said = lines(view)
    assert said[0].startswith("prod answers since ")
    assert " on prod-1, us-east5-a" in said[0]
    assert said[1].startswith("prod-1 bills $5.40/h until ")
    assert "at most $43.20" in said[1]
    assert said[2] == "Address: http://10.0.0.2:8000."
    assert labels(view) == ["Endpoint", "End prod-1 now, $5.40/h"]
    (order,) = made.lively.orders
    assert order.ssh_keys == ("gemma:ssh-ed25519 AAAA prod",)
    assert SPECIFICATION.fingerprint in order.startup_script
    assert (order.deployment, order.run_s) == ("prod", 8 * 3600)
    assert made.ends["us-east5-a", "prod-1"].owner
    assert runs(made.rig, SPECIFICATION)


async def test_where_it_stands_is_recorded() -> None:
    made = Bench(pace=0.01)
    await made.end(await made.begins(DEPLOY))
    (known,) = made.house.names.known
    assert (known.machine, known.zone, known.base_url) == ("prod-1", "us-east5-a", "http://10.0.0.2:8000")
    assert (known.model_id, known.context, known.ends_at) == (
        "google/gemma-4-31B-it",
        65_536,
        made.ends["us-east5-a", "prod-1"].ends_at,
    )


async def test_an_own_machine_that_fits_is_used_without_a_new_bill_and_told_the_script() -> None:
    made = Bench(stands=True, pace=0.01)
    asked = await made.say(DEPLOY)
    assert told(asked)[0] == "Deploy prod on prod-1, which stands already: no new bill"
    said = lines(await made.end(await made.agree(asked)))
    assert "It stood already: no new bill." in said[1]
    assert made.lively.orders == []
    assert SPECIFICATION.fingerprint in (made.yard.metadata["us-east5-a", "prod-1"]["startup-script"] or "")


async def test_a_machine_that_find_found_elsewhere_is_used_when_its_button_names_it() -> None:
    made = Bench(stands=True)
    made.yard.put(machine("prod-find-1", labels=OURS, zone=Zone(name="us-east5-b")))
    asked = await made.say("deploy prod zone us-east5-b slice v6e-4")
    assert told(asked)[0] == "Deploy prod on prod-find-1, which stands already: no new bill"


async def test_another_of_ours_is_offered_for_removal_and_nobody_elses_is_touched_or_named() -> None:
    made = Bench(stands=True, pace=0.01)
    made.yard.put(
        machine("prod-7", labels=OURS), machine("theirs", labels={}), machine("other-1", labels={**OURS, "deployment": "x"})
    )
    view = await made.end(await made.begins(DEPLOY))
    assert labels(view)[-1] == "Destroy prod-7, $5.40/h"
    assert "theirs" not in " ".join(lines(view))
    assert len(made.machines) == 4
    assert not [one for one in made.yard.asked if one.startswith("delete")]


async def test_a_yes_to_no_new_bill_buys_no_machine_when_the_one_that_stood_went() -> None:
    made = Bench(stands=True)
    asked = await made.say(DEPLOY)
    made.yard.standing.clear()
    with pytest.raises(RefusedError, match="cost more now"):
        await made.agree(asked)
    assert made.lively.orders == []


async def test_no_capacity_ends_without_a_machine_and_without_a_bill() -> None:
    made = Bench()
    made.yard.refusals = [Refusal(kind=RefusalKind.STOCKOUT, text="There is no more capacity in the zone")]
    said = lines(await made.end(await made.begins(DEPLOY)))
    assert said[0] == "No prod-1 in us-east5-a: no capacity there now"
    assert (made.machines, made.ends, made.settling.settled) == ([], {}, [])


async def test_a_stop_while_it_waits_takes_back_what_was_asked_for() -> None:
    made = Bench()
    name = await made.begins(DEPLOY)
    for _ in range(3):
        await made.take(name)
    said = lines(await made.survive(name, stop=True))
    assert said[0] == "No prod-1 in us-east5-a: it was stopped"
    assert (made.yard.requests, made.machines) == ({}, [])


async def test_an_engine_that_does_not_start_says_that_the_machine_bills_and_can_be_started_again() -> None:
    made = Bench(pace=0.01)
    made.rig.docker.ending = Ending.KILLED
    view = await made.end(await made.begins(DEPLOY))
    assert view is not None
    assert lines(view)[0].startswith("prod did not start: ")
    assert any(one.words == "machine destroy prod-1" for one in view.buttons)
    assert made.house.names.known[0].machine == "prod-1"


async def count_of_calls(*, stands: bool) -> int:
    made = Bench(stands=stands, pace=0.01)
    name = await made.begins(DEPLOY)
    made.rig.calls = 0
    await made.survive(name)
    return made.rig.calls


@pytest.mark.parametrize("after", [False, True], ids=["before it acts", "after it acted"])
@pytest.mark.parametrize("stands", [False, True], ids=["a new machine", "one that stands"])
async def test_killed_at_every_call_one_machine_remains_and_it_is_announced_once(after: bool, stands: bool) -> None:
    calls = await count_of_calls(stands=stands)
    assert calls > 20
    for number in range(1, calls + 1):
        made = Bench(stands=stands, pace=0.01)
        name = await made.begins(DEPLOY)
        made.rig.calls, made.rig.kill_at, made.rig.after = 0, number, after
        view = await made.survive(name)
        assert plain(view.verdict).startswith("prod answers since"), number
        assert [one.name for one in made.machines] == ["prod-1"], number
        assert runs(made.rig, SPECIFICATION), number
        assert len(made.rig.begun) == 4, number
        assert made.house.names.known[0].machine == "prod-1", number
        assert made.works[name].notes[engine_up.WANTED]
