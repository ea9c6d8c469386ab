"""`change` and `rollback`: what differs and whom it cuts off is said first; what comes up otherwise can be taken back."""

import pytest

from bot.errors import UsageError
from bot.nouns import MachineState
from bot.operations.execute import Outcome
from bot.view import View, plain
from sandbox.machine.starts import Ending
from tests.doubles.deploying import Bench
from tests.doubles.engines import SPECIFICATION, runs, wanted
from tests.doubles.sights import machine, scrape

CHANGE = "change prod context=32K utilization=0.9"
CHANGED = wanted(context=32_768, utilization=0.9)


def bench() -> Bench:
    made = Bench(stands=True, serves=True, pace=0.01)
    made.rig.engine.health = True
    made.rig.engine.scrape = scrape(running=4, waiting=0)
    return made


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


def lines(view: View | None) -> list[str]:
    assert view is not None
    return [plain(view.verdict), *map(plain, view.lines)]


def labels(view: View | None) -> list[str]:
    assert view is not None
    return [button.label for button in view.buttons]


async def test_the_question_tells_each_difference_memory_who_is_cut_off_and_for_how_long() -> None:
    said = told(await bench().say(CHANGE))
    assert said[:3] == ["Change prod on prod-1: 4 running requests", "context 65,536 → 32,768", "utilization 0.92 → 0.9"]
    assert said[3].startswith("Memory: ")
    assert "running requests get 30 s to end" in said[4]
    assert said[5] == "It answers again in about 11 min (last 3 starts: 9, 11, 14 min)."


async def test_image_and_flags_can_be_changed_and_a_moving_image_cannot() -> None:
    said = told(await bench().say("change prod image=vllm/vllm-tpu:v0.27.0 flags=--max-num-seqs 32"))
    assert "image vllm/vllm-tpu:v0.26.0 → vllm/vllm-tpu:v0.27.0" in said
    assert "flags none → --max-num-seqs 32" in said
    for words in ("image=vllm/vllm-tpu:latest", "context=256K", "flags=--host 0.0.0.0", "flags='--x", "context=64K"):
        with pytest.raises(UsageError):
            await bench().say(f"change prod {words}")


async def test_it_comes_up_changed_and_offers_keep_and_the_way_back() -> None:
    made = bench()
    view = await made.end(await made.begins(CHANGE))
    assert lines(view)[0].startswith("prod answers, changed, since ")
    assert lines(view)[1:3] == ["context 65,536 → 32,768", "utilization 0.92 → 0.9"]
    assert labels(view)[0] == "Keep: look at it"
    assert labels(view)[1].startswith("Roll back, ")
    assert runs(made.rig, CHANGED)
    assert made.house.names.known[0].context == 32_768
    assert CHANGED.fingerprint in (made.yard.metadata["us-east5-a", "prod-1"]["startup-script"] or "")


async def test_a_rollback_goes_to_the_wish_before_by_the_same_way() -> None:
    made = bench()
    await made.end(await made.begins(CHANGE))
    asked = await made.say("rollback prod")
    assert told(asked)[1:3] == ["context 32,768 → 65,536", "utilization 0.9 → 0.92"]
    await made.end(await made.agree(asked))
    assert runs(made.rig, SPECIFICATION)
    assert SPECIFICATION.fingerprint in (made.yard.metadata["us-east5-a", "prod-1"]["startup-script"] or "")


async def test_where_nothing_was_wanted_before_there_is_no_way_back() -> None:
    with pytest.raises(UsageError, match="nothing to go back to"):
        await bench().say("rollback prod")


async def test_what_does_not_come_up_is_told_with_its_cause_and_a_way_back_that_works() -> None:
    made = bench()
    made.rig.docker.ending = Ending.HBM
    view = await made.end(await made.begins(CHANGE))
    assert "prod did not start: " in lines(view)[0]
    assert [one for one in labels(view) if one.startswith("Roll back")]
    assert made.yard.metadata == {}
    await made.end(await made.begins("rollback prod"))
    assert runs(made.rig, SPECIFICATION)


async def test_what_failed_before_the_engine_was_touched_offers_no_way_back_from_it() -> None:
    made = bench()
    made.rig.docker.pull_error = "manifest unknown"
    view = await made.end(await made.begins("change prod image=vllm/vllm-tpu:v0.27.0"))
    assert "What ran on prod-1 before was not touched." in lines(view)
    assert not [one for one in labels(view) if one.startswith("Roll back")]
    assert runs(made.rig, SPECIFICATION)


async def test_a_script_that_cannot_be_written_is_told() -> None:
    made = bench()
    made.yard.put(machine(labels={}))
    view = await made.end(await made.begins(CHANGE))
    assert lines(view)[0].startswith("prod answers, changed, since ")
    assert any(one.startswith("A reboot would bring up what was wanted before: ") for one in lines(view))


async def count_of_calls() -> int:
    made = bench()
    name = await made.begins(CHANGE)
    made.rig.calls = 0
    await made.survive(name)
    return made.rig.calls


@pytest.mark.parametrize("after", [False, True], ids=["before it acts", "after it acted"])
async def test_killed_at_every_call_it_ends_once_with_the_changed_engine(after: bool) -> None:
    calls = await count_of_calls()
    assert calls > 20
    for number in range(1, calls + 1):
        made = bench()
        name = await made.begins(CHANGE)
        made.rig.calls, made.rig.kill_at, made.rig.after = 0, number, after
        view = await made.survive(name)
        assert plain(view.verdict).startswith("prod answers, changed, since"), number
        assert runs(made.rig, CHANGED), number
        assert [one.fingerprint for one in made.rig.wished] == [CHANGED.fingerprint, SPECIFICATION.fingerprint], number
        assert [(one.name, one.state) for one in made.machines] == [("prod-1", MachineState.READY)], number
