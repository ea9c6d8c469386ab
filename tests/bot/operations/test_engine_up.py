"""Bringing an engine up: what it waits for and tells meanwhile, what ends it, and that a crash anywhere does nothing twice."""

from datetime import timedelta

import pytest

from bot.errors import PersonMovesNext
from bot.nouns import Effect, Role, SeenBy
from bot.operations import engine_up
from bot.operations.course import Course, Ended, Move, begin, never_shown
from bot.operations.engine_outcome import Failure, Up
from bot.operations.operation import Consent, Context, NoArguments, Operation, Preview, Queue, Started
from bot.ports import KeyRefusedError
from bot.serving.specification import EngineSpecification
from bot.view import View, line, plain
from sandbox.machine.starts import Ending
from tests.doubles.engines import PLACE, SPECIFICATION, Killed, Rig, runs, wanted
from tests.doubles.works import Works


class Bench(Works):
    """One operation that brings an engine up and does nothing else. `ups` and `failures` are what it was told at the end."""

    def __init__(self, specification: EngineSpecification = SPECIFICATION, pace: float = 1.0, **notes: str) -> None:
        self.ups: list[Up] = []
        self.failures: list[Failure] = []
        self.notes = {
            engine_up.WANTED: specification.model_dump_json(),
            engine_up.PLACE: PLACE.model_dump_json(),
            **notes,
        }
        super().__init__((self._operation(),))
        self.rig = Rig(self.house.clock, pace=pace)
        self.house.engines, self.house.engine = self.rig.engines, self.rig.engine

    def _operation(self) -> Operation[NoArguments, View]:
        async def preview(_context: Context, _arguments: NoArguments) -> Preview:
            return Preview(needs=Consent.CONFIRM, verdict=line("Bring it up"))

        async def run(context: Context, arguments: NoArguments) -> Started:
            return await begin(context, "bring", arguments, "coming", self.notes)

        async def first(_course: Course) -> Move:
            return Move(engine_up.FIRST)

        async def up(_course: Course, told: Up) -> Ended:
            self.ups.append(told)
            return Ended(View(verdict=line("it is up")))

        async def failed(_course: Course, told: Failure) -> Ended:
            self.failures.append(told)
            return Ended(View(verdict=line(told.what)))

        return Operation(
            path="bring",
            summary="brings it up",
            when_to_use="Here.",
            example="bring",
            arguments=NoArguments,
            effect=Effect.CHANGES,
            role=Role.OPERATOR,
            seen_by=SeenBy.CHANNEL,
            queue=Queue.STEPS,
            preview=preview,
            run=run,
            show=never_shown,
            steps={"new": first, **engine_up.steps(up, failed)},
        )

    async def through(self) -> str:
        """From the question to the end; the final words."""
        view = await self.end(await self.begins("bring"))
        assert view is not None
        return plain(view.verdict)

    async def until(self, name: str, state: str) -> None:
        """Step by step until the work stands there."""
        while self.works[name].state != state:
            came = await self.take(name)
            assert isinstance(came, Move)
            if came.wait_s is not None:
                self.house.clock.move(seconds=came.wait_s)

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
        raise AssertionError(f"no end: {self.works[name].state}")


async def test_on_an_empty_machine_it_prepares_starts_waits_asks_and_says_how_long_it_took() -> None:
    made = Bench()
    assert await made.through() == "it is up"
    (up,) = made.ups
    assert runs(made.rig, SPECIFICATION)
    assert made.rig.docker.acted == ["pull", "run"]
    assert made.rig.system.fetched == ["api-key"]
    assert 650 <= up.took_s <= 670
    assert [one.name for one in up.phases] == ["process", "weights", "kv-cache", "compile", "server", "ready"]
    assert up.base_url == "http://10.0.0.2:8000"


async def test_an_engine_on_loopback_is_reached_through_its_machine() -> None:
    made = Bench(wanted(exposure="loopback", api_key_secret=None))
    await made.through()
    assert made.ups[0].base_url == "ssh://prod-1:8000"


async def test_progress_names_the_phase_its_time_and_what_is_usual() -> None:
    made = Bench()
    await made.through()
    told = [one for one in made.progress if "start" in one]
    assert any("fetching secrets" in one or "pulling the image" in one for one in told)
    for phase in ("loading weights", "compiling for"):
        assert any(phase in one for one in told), told
    assert all(len(one) <= 110 for one in told)
    assert any(one.endswith("10 min in all") for one in told)


async def test_what_is_wanted_is_remembered_before_the_container_is_touched() -> None:
    made = Bench()
    name = await made.begins("bring")
    await made.until(name, engine_up.STARTING)
    assert made.rig.wished == []
    made.rig.kill_at = made.rig.calls + 2
    with pytest.raises(Killed):
        await made.take(name)
    assert [one.fingerprint for one in made.rig.wished] == [SPECIFICATION.fingerprint]
    assert made.rig.docker.containers == {}


async def test_the_same_again_is_no_new_wish_or_going_back_would_lead_nowhere() -> None:
    made = Bench(**{engine_up.AFRESH: "1"})
    made.rig.serves()
    assert await made.through() == "it is up"
    assert [one.work for one in made.rig.wished] == ["ask-first"]
    assert made.rig.docker.acted == ["stop", "start"]


async def test_what_runs_as_wanted_is_left_alone_and_says_nothing_about_how_long_starts_take() -> None:
    made = Bench()
    made.rig.serves()
    assert await made.through() == "it is up"
    assert not made.ups[0].fresh
    assert (made.rig.docker.acted, made.rig.begun) == ([], [])


async def test_what_runs_otherwise_serves_on_until_all_is_there_and_ends_with_grace() -> None:
    made = Bench(wanted(context=32_768))
    made.rig.serves()
    name = await made.begins("bring")
    await made.until(name, engine_up.STOPPING)
    assert made.rig.docker.acted == []
    view = await made.end(name)
    assert view is not None
    assert made.rig.docker.acted == ["stop", "rm", "run"]
    assert runs(made.rig, wanted(context=32_768))
    assert [one.work for one in made.rig.wished] == [name, "ask-first"]


async def test_a_start_that_came_to_an_answer_is_remembered_once() -> None:
    made = Bench()
    await made.through()
    (start,) = made.rig.begun
    assert (start.work, start.seconds) == ("bring-1", made.ups[0].took_s)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending.HBM, "compiled program did not fit"),
        (Ending.HF_403, "Hugging Face"),
        (Ending.KILLED, "killed"),
    ],
)
async def test_a_start_that_fails_ends_at_once_with_why_and_its_last_lines(ending: Ending, words: str) -> None:
    made = Bench(wanted(restarts=0 if ending is Ending.KILLED else 3))
    made.rig.docker.ending = ending
    assert words.lower() in (await made.through()).lower()
    (failure,) = made.failures
    assert failure.findings
    assert 0 < len(failure.log) <= 12


async def test_docker_starting_it_again_does_not_hide_why_it_ended() -> None:
    made = Bench(wanted(restarts=3))
    made.rig.docker.ending = Ending.HF_403
    began = made.house.clock.now()
    await made.through()
    assert made.failures[0].findings
    assert made.house.clock.now() - began < timedelta(minutes=3)


async def test_secrets_that_cannot_be_read_end_it_and_leave_the_old_engine_alone() -> None:
    made = Bench(wanted(context=32_768))
    made.rig.serves()
    made.rig.system.readable = set()
    told = await made.through()
    assert told.startswith("fetching the secrets on prod-1 failed: gemma-engine: cannot read projects/my-project/secrets/key")
    assert made.rig.docker.acted == []


async def test_it_is_not_waited_for_without_end() -> None:
    made = Bench()
    made.rig.engine.health = False
    made.rig.wrong = ["17"] * 2
    name = await made.begins("bring")
    await made.until(name, engine_up.WATCHING)
    made.house.clock.move(hours=2)
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict).startswith("it did not answer within 1 h; last seen: ")


async def test_an_engine_that_answers_wrongly_is_not_ready() -> None:
    made = Bench()
    made.rig.wrong = ["41", "41"]
    assert await made.through() == "it is up"
    made = Bench()
    made.rig.wrong = ["41"] * 3
    assert "answers, but wrongly" in await made.through()


async def test_a_key_that_is_still_on_its_way_is_waited_for_but_not_for_ever() -> None:
    made = Bench()
    made.rig.errors = [KeyRefusedError("prod-1 does not let us in.")] * 5
    assert await made.through() == "it is up"
    made = Bench()
    made.rig.errors = [KeyRefusedError("prod-1 does not let us in.")] * 100
    assert await made.through() == "prod-1 does not let us in."


async def test_a_machine_that_is_gone_is_an_end() -> None:
    made = Bench()
    made.rig.errors = [PersonMovesNext("There is no machine prod-1 in us-east5-a any more.")]
    assert await made.through() == "There is no machine prod-1 in us-east5-a any more."


async def test_a_start_up_script_that_is_at_work_is_waited_for() -> None:
    made = Bench()
    began = int(made.house.clock.now().timestamp())
    made.yard.told = {"gemma/phase": f"pulling {began}"}
    made.yard.soon = [lambda: None, lambda: None, lambda: made.yard.told.update({"gemma/phase": f"loading {began + 9}"})]
    assert await made.through() == "it is up"
    assert any("start-up script is at “pulling”" in one for one in made.progress)


@pytest.mark.parametrize("told", ["pulling", "pulling x", "pulling 1", "ready 1796000000", "$(reboot) 1796000000", ""])
async def test_what_a_machine_says_of_itself_never_holds_things_up_for_ever(told: str) -> None:
    made = Bench()
    made.yard.told = {"gemma/phase": told}
    assert await made.through() == "it is up"
    assert not any("start-up script" in one for one in made.progress)


async def count_of_calls(**notes: str) -> int:
    made = Bench(wanted(context=32_768), 0.01, **notes)
    made.rig.serves()
    await made.through()
    return made.rig.calls


@pytest.mark.parametrize("after", [False, True], ids=["before it acts", "after it acted"])
@pytest.mark.parametrize("afresh", [False, True], ids=["changed", "restarted"])
async def test_killed_at_every_call_it_ends_with_one_engine_as_wanted_and_one_record(after: bool, afresh: bool) -> None:
    notes = {engine_up.AFRESH: "1"} if afresh else {}
    calls = await count_of_calls(**notes)
    assert calls > 20
    for number in range(1, calls + 1):
        made = Bench(wanted(context=32_768), 0.01, **notes)
        made.rig.serves()
        name = await made.begins("bring")
        made.rig.kill_at, made.rig.after = number, after
        view = await made.survive(name)
        assert plain(view.verdict) == "it is up", number
        assert runs(made.rig, wanted(context=32_768)), number
        assert made.rig.docker.acted.count("run") == 1, number
        assert [one.work for one in made.rig.wished] == ["bring-1", "ask-first"], number
        assert len(made.rig.begun) == 1, number
