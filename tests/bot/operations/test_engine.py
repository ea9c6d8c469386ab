"""`engine start|stop|restart|remove|status`: who is cut off is said first, what is done is done once, what is seen is told."""

from datetime import timedelta

import pytest

from bot.errors import PersonMovesNext, RefusedError, RetryLater, UsageError
from bot.nouns import Deployment
from bot.operations import engine_up
from bot.operations.course import STOP, Ended
from bot.operations.engine_end import ENGINE_REMOVE, ENGINE_STOP
from bot.operations.engine_restart import ENGINE_RESTART, ENGINE_START
from bot.operations.engine_status import ENGINE_STATUS, EngineStatus
from bot.operations.execute import Outcome
from bot.ports import OpenWork
from bot.view import Shape, View, plain
from sandbox.machine.docker import FakeContainer
from sandbox.machine.starts import Ending, Facts, script
from tests.doubles.engines import PLACE, SPECIFICATION, Killed, Rig, runs, wanted
from tests.doubles.ports import ANNA, BEN, DANA
from tests.doubles.sights import machine, scrape
from tests.doubles.works import Works

TABLE = (ENGINE_START, ENGINE_RESTART, ENGINE_STOP, ENGINE_REMOVE, ENGINE_STATUS)


class Bench(Works):
    """prod on prod-1, served by us for three hours, with the last starts of 14, 11 and 9 minutes."""

    def __init__(self, *, serves: bool = True, pace: float = 1.0) -> None:
        super().__init__(TABLE)
        self.rig = Rig(self.house.clock, pace=pace)
        self.house.engines, self.house.engine = self.rig.engines, self.rig.engine
        self.house.names.known = [PLACE]
        self.yard.put(machine())
        self.rig.engine.health = True
        self.rig.engine.scrape = scrape(running=4, waiting=0)
        if serves:
            self.rig.serves()
        self.rig.started(14, 11, 9)

    async def survive(self, name: str) -> View:
        """To the end, although the process is killed once on the way: what was cut off is taken again."""
        for _ in range(500):
            try:
                came = await self.take(name)
            except Killed:
                continue
            if isinstance(came, Ended):
                return came.view
            if came.wait_s is not None:
                self.house.clock.move(seconds=came.wait_s)
        raise AssertionError("no end")


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


def lines(view: View | None) -> list[str]:
    assert view is not None
    return [plain(view.verdict), *map(plain, view.lines)]


def strange(made: Bench) -> None:
    """Somebody else made the container that has our name."""
    at = made.house.clock.now()
    facts = Facts("prod-1", "google/gemma-4-31B-it", "v6e-4", 4, 65_536, 1)
    made.rig.docker.containers["gemma-engine"] = FakeContainer(
        "gemma-engine", "abc", "vllm/vllm-tpu:v0.20.0", ("vllm", "serve"), ("m",), (), {}, 0, at, script(Ending.READY, facts), at
    )


# What is asked first


async def test_a_restart_says_how_many_requests_it_cuts_off_and_for_how_long() -> None:
    made = Bench()
    assert told(await made.say("engine restart prod"))[:3] == [
        "Restart prod's engine on prod-1: 4 running requests",
        "It serves now (4 running, 0 waiting): running requests get 30 s to end, then they are cut off.",
        "It answers again in about 11 min (last 3 starts: 9, 11, 14 min).",
    ]
    assert made.rig.docker.acted == []


async def test_an_idle_engine_says_that_nobody_is_cut_off() -> None:
    made = Bench()
    made.rig.engine.scrape = scrape(running=0, waiting=0)
    said = told(await made.say("engine stop prod"))
    assert said[0] == "Stop prod's engine on prod-1: no request runs"
    assert "prod-1 bills $5.40/h, whether the engine runs or not." in said


async def test_other_values_are_told_and_held_against_the_catalogue_before_anybody_is_asked() -> None:
    made = Bench()
    said = told(await made.say("engine restart prod utilization=0.95 context=32K"))
    assert "It starts with context 65,536 → 32,768, utilization 0.92 → 0.95." in said
    with pytest.raises(UsageError, match="would not start") as no:
        await made.say("engine restart prod context=256K")
    assert no.value.near == ("memory 31B v6e-4",)


async def test_an_engine_that_we_did_not_start_cannot_be_restarted_and_says_what_can_be_done() -> None:
    made = Bench()
    made.rig.wished.clear()
    with pytest.raises(PersonMovesNext, match="was not started by me") as no:
        await made.say("engine restart prod")
    assert "engine status prod" in no.value.telling.next_step


async def test_a_machine_that_cannot_be_reached_is_said_before_a_yes_is_asked_for() -> None:
    made = Bench()
    made.rig.errors = [RetryLater("prod-1 cannot be reached over SSH.")]
    with pytest.raises(RetryLater):
        await made.say("engine stop prod")


async def test_viewers_may_look_and_nothing_else() -> None:
    made = Bench()
    assert told(await made.say("engine status prod", DANA))[0].startswith("prod's engine runs as wanted")
    for word in ("start", "stop", "restart", "remove"):
        with pytest.raises(RefusedError):
            await made.say(f"engine {word} prod", DANA)


async def test_a_container_of_somebody_else_needs_a_second_person() -> None:
    made = Bench(serves=False)
    strange(made)
    asked = await made.say("engine remove prod")
    assert plain(asked.view.verdict).endswith("asks to remove prod's engine on prod-1: 4 running requests")
    with pytest.raises(RefusedError, match="second person"):
        await made.agree(asked, BEN)
    name = await made.agree(asked, ANNA)
    assert lines(await made.end(name))[0].startswith("prod's engine is removed since ")
    assert made.rig.docker.containers == {}


async def test_what_became_somebody_elses_between_question_and_yes_is_not_touched() -> None:
    made = Bench()
    asked = await made.say("engine stop prod")
    strange(made)
    with pytest.raises(RefusedError, match="was not made by me"):
        await made.agree(asked)
    assert made.rig.docker.acted == []


def under_way(made: Bench, words: str, kind: str = "engine.restart") -> None:
    since = made.house.clock.now() - timedelta(minutes=4)
    made.house.desk.open = [
        OpenWork(id="engine-7", kind=kind, state="engine-watching", words=words, asked_by="U1", channel="C1", since=since)
    ]


@pytest.mark.parametrize("words", ["engine restart prod utilization=0.9", "engine restart"])
async def test_one_work_at_a_time_is_at_an_engine(words: str) -> None:
    made = Bench()
    asked = await made.say("engine stop prod")
    under_way(made, words)
    with pytest.raises(PersonMovesNext, match="engine-7 is at prod's engine already, for 4 min") as no:
        await made.say("engine restart prod")
    assert "cancel engine-7" in no.value.telling.next_step
    with pytest.raises(PersonMovesNext, match="engine-7"):
        await made.agree(asked)
    assert made.rig.docker.acted == []


@pytest.mark.parametrize(
    ("words", "kind"), [("engine restart bench", "engine.restart"), ("machine destroy prod-0", "machine.destroy")]
)
async def test_work_on_other_things_is_in_nobodys_way(words: str, kind: str) -> None:
    made = Bench()
    made.house.names.known = [PLACE, PLACE.model_copy(update={"name": "bench"})]
    under_way(made, words, kind)
    assert (await made.say("engine stop prod")).asked is not None


# What is done


async def test_a_stop_ends_it_with_grace_and_says_that_the_machine_still_bills() -> None:
    made = Bench()
    view = await made.end(await made.begins("engine stop prod"))
    assert lines(view) == [
        "prod's engine is stopped since 03:00 UTC",
        "prod-1 bills $5.40/h, whether the engine runs or not.",
    ]
    assert made.rig.docker.acted == ["stop"]


async def test_a_removed_engine_is_gone_and_a_start_makes_it_again_as_it_was_wanted() -> None:
    made = Bench()
    await made.end(await made.begins("engine remove prod"))
    assert made.rig.docker.containers == {}
    view = await made.end(await made.begins("engine start prod"))
    assert lines(view)[0].startswith("prod answers since ")
    assert runs(made.rig, SPECIFICATION)


async def test_a_start_of_what_runs_as_wanted_leaves_it_alone_and_says_so() -> None:
    made = Bench()
    view = await made.end(await made.begins("engine start prod"))
    assert lines(view)[0].endswith("it ran as wanted already, so I left it alone")
    assert made.rig.docker.acted == []


async def test_a_restart_with_another_value_runs_with_it_and_is_what_is_wanted_from_then_on() -> None:
    made = Bench()
    view = await made.end(await made.begins("engine restart prod utilization=0.91"))
    assert lines(view)[0].startswith("prod answers since ")
    assert runs(made.rig, wanted(utilization=0.91))
    assert made.rig.wished[0].why == "engine restart prod utilization=0.91"
    assert told(await made.say("engine status prod"))[0].startswith("prod's engine runs as wanted")


async def test_work_that_is_stopped_says_how_it_left_the_engine() -> None:
    made = Bench()
    name = await made.begins("engine restart prod")
    while made.works[name].state != engine_up.WATCHING:
        await made.take(name)
    came = await made.take(name, STOP)
    assert isinstance(came, Ended)
    assert plain(came.view.verdict) == "I stopped watching prod: its container runs, and goes on by itself"


@pytest.mark.parametrize("word", ["stop", "remove"])
@pytest.mark.parametrize("after", [False, True])
async def test_killed_at_every_call_an_engine_ends_once(word: str, after: bool) -> None:
    made = Bench()
    name = await made.begins(f"engine {word} prod")
    before = made.rig.calls
    await made.end(name)
    for number in range(1, made.rig.calls - before + 1):
        made = Bench()
        name = await made.begins(f"engine {word} prod")
        made.rig.kill_at, made.rig.after = made.rig.calls + number, after
        view = await made.survive(name)
        assert view.shape is Shape.CONCERN, number
        assert made.rig.docker.acted == (["stop"] if word == "stop" else ["stop", "rm"]), number


# What does not start


async def test_a_program_that_does_not_fit_is_told_with_a_calculated_way_out_whose_button_holds_the_value() -> None:
    made = Bench()
    name = await made.begins("engine restart prod utilization=0.95")
    made.rig.docker.ending = Ending.HBM
    view = await made.end(name)
    assert lines(view) == [
        "prod did not start: a compiled program did not fit in TPU memory · machine is up, $5.40/h",
        "jit_structured_decode_fn wanted 384.11M per chip, 346.77M was free: 37M short. Utilization 0.95 left no room.",
        "Fix, arithmetic checked: 0.92 frees 0.94 GiB per chip and still holds one 64K request (13.75 of 14.18 GiB). "
        "0.90 would not.",
        "The next try takes about 11 min (last 3 starts: 9, 11, 14 min). I changed nothing since.",
    ]
    assert view is not None
    assert [(one.label, one.words) for one in view.buttons] == [
        ("Restart with 0.92", "engine restart prod utilization=0.92"),
        ("Log, 12 lines", "logs engine prod lines=12"),
        ("Delete prod-1, $5.40/h", "machine destroy prod-1"),
    ]
    assert 0 < len(view.details) <= 12


async def test_the_offered_restart_starts_what_failed_with_that_one_value_changed() -> None:
    made = Bench()
    name = await made.begins("engine restart prod utilization=0.95 context=32K")
    made.rig.docker.ending = Ending.HBM
    view = await made.end(name)
    assert view is not None
    await made.end(await made.begins(view.buttons[0].words))
    assert runs(made.rig, wanted(utilization=0.92, context=32_768))


async def test_a_refused_model_is_told_with_what_to_do_and_what_bills() -> None:
    made = Bench()
    name = await made.begins("engine restart prod")
    made.rig.docker.ending = Ending.HF_403
    said = lines(await made.end(name))
    assert said[0].startswith("prod did not start: Hugging Face refused the model")
    assert len(said[0]) <= 110
    assert "prod-1 is up, $5.40/h." in said[-1]


# What is seen


async def test_status_names_each_difference_from_what_was_wanted() -> None:
    made = Bench()
    made.rig.wished.insert(0, made.rig.wished[0].model_copy(update={"specification": wanted(context=32_768).model_dump_json()}))
    outcome = await made.say("engine status prod")
    said = told(outcome)
    assert said[0].startswith("prod's engine runs, but not as wanted: 1 difference")
    assert "--max-model-len is 65536, wanted 32768" in said
    assert outcome.view.shape is Shape.CONCERN


async def test_status_while_it_starts_tells_phase_time_and_what_is_usual() -> None:
    made = Bench()
    name = await made.begins("engine restart prod")
    while made.works[name].state != engine_up.WATCHING:
        await made.take(name)
    made.house.clock.move(seconds=300)
    made.rig.engine.health = RetryLater("prod does not answer.")
    said = told(await made.say("engine status prod"))
    assert said[0].startswith("prod's engine starts on prod-1: compiling since ")
    assert any(one.startswith("So far: process ") for one in said)
    assert "Usually about 11 min here (last 3 starts: 9, 11, 14 min)." in said


async def test_status_of_an_engine_that_we_did_not_start_says_so_and_what_can_be_done() -> None:
    made = Bench()
    made.rig.wished.clear()
    outcome = await made.say("engine status prod")
    assert told(outcome)[0].startswith("prod's engine runs on prod-1 since ")
    assert any("I did not start this engine" in one for one in told(outcome))
    assert all("restart" not in one.words for one in outcome.view.buttons)


async def test_without_a_machine_what_the_server_says_is_still_told() -> None:
    made = Bench()
    made.rig.wished.clear()
    made.rig.errors = [PersonMovesNext("I do not know on which machine prod runs.")]
    outcome = await made.say("engine status prod")
    assert told(outcome)[0] == "prod answers; its container cannot be looked at"
    assert "I do not know on which machine prod runs." in told(outcome)


async def test_an_ended_and_an_absent_engine_are_told_as_what_they_are() -> None:
    made = Bench()
    await made.end(await made.begins("engine stop prod"))
    made.rig.engine.health = False
    assert told(await made.say("engine status prod"))[0].startswith("prod's engine is stopped on prod-1")
    await made.end(await made.begins("engine remove prod"))
    assert told(await made.say("engine status prod"))[0] == "prod has no engine container on prod-1"


async def test_the_result_for_models_and_scripts_holds_no_secret_and_all_that_was_seen() -> None:
    made = Bench()
    outcome = await made.say("engine status prod")
    assert outcome.result is not None
    found = EngineStatus.model_validate(outcome.result)
    assert found.state == "ready"
    assert found.container is not None
    assert found.container.drift == ()


async def test_a_deployment_without_machine_is_reached_by_nobody() -> None:
    made = Bench()
    made.house.names.known = [Deployment(name="prod", base_url="http://127.0.0.1:8000")]
    made.rig.errors = [PersonMovesNext("I do not know on which machine prod runs.")]
    with pytest.raises(PersonMovesNext, match="on which machine"):
        await made.say("engine stop prod")
