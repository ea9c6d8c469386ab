"""Long work: begun once, taken step by step, stopped at a boundary, put off, ended and told once, whatever happens between."""

from collections.abc import Awaitable, Callable, Mapping

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.nouns import Effect, Role, SeenBy
from bot.operations.course import BILLS, STOP, Course, Ended, Move, begin
from bot.operations.operation import AnyOperation, Context, NoArguments, Operation, Started
from bot.requests import Door, Place
from bot.store.long_work import LongWorkStore
from bot.view import Mention, View, bold, line, plain
from jobs.answer import answer
from jobs.long import long
from jobs.steps import CLAIMS_LIMIT, reference
from tests.doubles.ports import BEN
from tests.doubles.running import Workshop

pytestmark = pytest.mark.wire

NAME = "boil-1"
Act = Callable[[Course], Awaitable[Move | Ended]]


def to(*moves: Move | Ended | Exception) -> Act:
    """A step that says these one after the other, the last one for ever."""
    waiting = list(moves)

    async def act(_course: Course) -> Move | Ended:
        came = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(came, Exception):
            raise came
        return came

    return act


def view(words: str) -> View:
    return View(verdict=line(bold(words)))


BOILED = Ended(view("Boiled"))


async def run(context: Context, arguments: NoArguments) -> Started:
    return await begin(context, "boil", arguments, "the water is on", {"eggs": "2"})


def boil(steps: Mapping[str, Act]) -> AnyOperation:
    return Operation(
        path="boil",
        summary="boil an egg",
        when_to_use="In tests.",
        example="boil",
        arguments=NoArguments,
        effect=Effect.CHANGES,
        role=Role.VIEWER,
        seen_by=SeenBy.CHANNEL,
        run=run,
        show=lambda _result, _context: view("never shown"),
        steps=steps,
    )


class Kitchen(Workshop):
    """A workshop with one operation, whose steps a test writes; what waits there may be looked at again at once."""

    async def go(self, times: int = 6) -> None:
        """Everything that is open, again and again."""
        for _ in range(times):
            await self.again("r-1")
            await self.again(NAME)

    async def again(self, work_id: str = NAME) -> None:
        if await self.field_of("id", work_id) is not None:
            await self.hand_over(work_id)
        await self.look(work_id)

    def said(self) -> list[str]:
        """Every message as it stands, the oldest first."""
        return [plain(one.view.verdict) for one in self.slack.messages.values()]


async def kitchen(
    redis: Redis,
    *,
    door: Door = Door.COMMAND,
    place: Place | None = None,
    steps: Mapping[str, Act] | None = None,
    **by_state: Act,
) -> Kitchen:
    made = Kitchen(redis, registry=(boil({**(steps or {}), **by_state}),), kinds={"request": answer, "boil": long})
    made.house.long_work = LongWorkStore(redis, queue="steps", kick_s=0)
    more = {"place": place} if place is not None else {}
    await made.accept(made.house.request("boil", BEN, door, id="1", **more))
    return made


async def test_work_begins_with_a_message_and_ends_with_a_reply_that_names_who_asked(redis: Redis) -> None:
    made = await kitchen(redis, new=to(Move("hot")), hot=to(BOILED))
    await made.go()
    root, result = made.slack.messages.values()
    assert root.shown == ["boil-1: the water is on", "boil-1 has ended: Boiled"]
    assert (result.thread, result.view.mention, result.shown) == ("1.0", Mention(id=BEN.user_id), ["Boiled"])
    assert await made.field_of("state", NAME) == "done"


async def test_a_first_message_that_comes_while_the_steps_are_taken_is_still_answered_below(redis: Redis) -> None:
    kitchens: list[Kitchen] = []

    async def boil_while_it_comes(_course: Course) -> Ended:
        await kitchens[0].again("r-1")
        return BOILED

    made = await kitchen(redis, new=boil_while_it_comes)
    kitchens.append(made)
    made.slack.refuse("post", RetryLater("Slack's rate limit is used up for now.", arrived=False))
    await made.look("r-1")
    assert made.said() == []
    await made.again()
    await made.go()
    root, result = made.slack.messages.values()
    assert root.shown == ["boil-1: the water is on", "boil-1 has ended: Boiled"]
    assert result.thread == "1.0"


async def test_in_a_thread_the_result_stands_in_that_thread(redis: Redis) -> None:
    made = await kitchen(redis, door=Door.MENTION, place=Place(channel="C1", thread="0.5", message="0.6"), new=to(BOILED))
    await made.go()
    assert [one.thread for one in made.slack.messages.values()] == ["0.5", "0.5"]


async def test_a_request_that_is_carried_out_twice_begins_its_work_once(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    store = LongWorkStore(redis, queue="steps", kick_s=0)
    request = made.house.request("boil", BEN, id="1")
    assert [await store.begin(request, "boil", "{}", {}) for _ in range(2)] == [NAME, NAME]
    assert await store.begin(request.model_copy(update={"id": "2"}), "boil", "{}", {}) == "boil-2"


async def test_steps_find_what_earlier_ones_noted_and_the_arguments(redis: Redis) -> None:
    seen: list[Course] = []

    async def last(course: Course) -> Ended:
        seen.append(course)
        return BOILED

    made = await kitchen(redis, new=to(Move("hot", {"pot": "blue"})), hot=last)
    await made.go()
    assert dict(seen[0].notes) == {"eggs": "2", "pot": "blue"}
    assert (seen[0].work_id, seen[0].arguments, seen[0].context.actor) == (NAME, NoArguments(), BEN)


async def test_a_step_that_waits_lets_the_work_go_until_then(redis: Redis) -> None:
    made = await kitchen(redis, new=to(Move("new", wait_s=20)))
    await made.look()
    await made.look(NAME)
    assert await made.waits_s(NAME) == pytest.approx(20, abs=1)
    assert await made.work.claim(NAME) is None


async def test_progress_replaces_the_first_message_and_only_when_it_says_something_new(redis: Redis) -> None:
    wait = Move("new", wait_s=1, progress=view("waits"))
    made = await kitchen(redis, new=to(wait, wait, Move("new", wait_s=1, progress=view("still waits")), BOILED))
    await made.go(8)
    assert made.slack.messages["1.0"].shown[1:] == ["waits", "still waits", "boil-1 has ended: Boiled"]


async def test_progress_that_slack_does_not_take_is_dropped(redis: Redis) -> None:
    made = await kitchen(redis, new=to(Move("hot", progress=view("waits")), BOILED), hot=to(BOILED))
    await made.look()
    made.slack.refuse("update", RetryLater("Slack asks us to slow down.", after_s=42), RetryLater("again"))
    await made.go()
    assert made.said()[-1] == "Boiled"


async def test_passing_trouble_is_put_off_a_little_longer_each_time_and_the_work_goes_on(redis: Redis) -> None:
    made = await kitchen(redis, new=to(RetryLater("no gas"), RetryLater("no gas"), RetryLater("no gas", after_s=77), BOILED))
    await made.look()
    waits = []
    for _ in range(3):
        await made.again()
        waits.append(await made.waits_s(NAME))
    assert waits == [pytest.approx(0.5, abs=0.3), pytest.approx(1, abs=0.3), pytest.approx(77, abs=1)]
    await made.go()
    assert made.said()[-1] == "Boiled"


async def test_what_a_person_must_put_right_ends_the_work_and_says_what_bills(redis: Redis) -> None:
    made = await kitchen(
        redis, new=to(Move("hot", {BILLS: "The stove bills $1.00/h."})), hot=to(PersonMovesNext("The gas bill is unpaid."))
    )
    with capture_logs():
        await made.go()
    result = made.slack.messages["2.0"].view
    assert plain(result.verdict) == "The gas bill is unpaid."
    assert [plain(one) for one in result.lines] == ["The stove bills $1.00/h.", f"ref {reference(NAME)}"]
    assert await made.field_of("state", NAME) == "done"


async def test_before_anything_was_begun_a_failure_says_that_nothing_bills(redis: Redis) -> None:
    made = await kitchen(redis, new=to(PersonMovesNext("There is no pot.")))
    with capture_logs():
        await made.go()
    assert "nothing bills" in plain(made.slack.messages["2.0"].view.lines[0])


async def test_our_own_fault_ends_the_work_with_a_reference_and_what_bills(redis: Redis) -> None:
    made = await kitchen(redis, new=to(Move("hot", {BILLS: "The stove bills."})), hot=to(ValueError("a bug")))
    with capture_logs() as logged:
        await made.go()
    assert [one["ref"] for one in logged if one["event"] == "step of long work failed"] == [reference(NAME)]
    lines = [plain(one) for one in made.slack.messages["2.0"].view.lines]
    assert lines[0] == "The stove bills."
    assert lines[-1].endswith(f"ref {reference(NAME)}")


async def test_work_that_kills_whoever_takes_it_is_given_up_and_told(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    await made.look()
    for _ in range(CLAIMS_LIMIT):
        assert await made.work.claim(NAME) is not None
        await made.hand_over(NAME)
    await made.go()
    assert made.said()[-1] == "Something went wrong on my side, so I have no answer"


async def test_a_long_wait_is_no_sign_of_trouble(redis: Redis) -> None:
    made = await kitchen(redis, new=to(*[Move("new", wait_s=1)] * (CLAIMS_LIMIT + 20), BOILED))
    await made.go(CLAIMS_LIMIT + 30)
    assert made.said()[-1] == "Boiled"


async def test_a_stop_is_seen_at_the_next_boundary_and_once(redis: Redis) -> None:
    made = await kitchen(
        redis, new=to(Move("new", wait_s=5)), steps={STOP: to(Move("cooling"))}, cooling=to(Ended(view("Stopped")))
    )
    await made.look()
    await made.look(NAME)
    assert await made.work.ask_to_stop(NAME)
    await made.look(NAME)
    assert made.said()[-1] == "Stopped"


async def test_a_stop_that_meets_trouble_is_not_forgotten(redis: Redis) -> None:
    waits = to(Move("new", wait_s=5))
    stops = to(RetryLater("no gas"), Move("cooling"))
    made = await kitchen(redis, new=waits, steps={STOP: stops}, cooling=to(Ended(view("Stopped"))))
    await made.look()
    await made.work.ask_to_stop(NAME)
    await made.go()
    assert made.said()[-1] == "Stopped"


async def test_work_that_cannot_be_stopped_half_way_goes_on_to_its_end(redis: Redis) -> None:
    made = await kitchen(redis, new=to(Move("new", wait_s=5), BOILED))
    await made.look()
    await made.look(NAME)
    await made.work.ask_to_stop(NAME)
    await made.go()
    assert made.said()[-1] == "Boiled"


async def test_progress_offers_to_stop_what_can_be_stopped(redis: Redis) -> None:
    made = await kitchen(redis, new=to(Move("new", wait_s=5, progress=view("waits"))), steps={STOP: to(BOILED)})
    await made.look()
    await made.look(NAME)
    assert [one.words for one in made.slack.messages["1.0"].view.buttons] == [f"cancel {NAME}"]


async def test_the_result_waits_for_the_first_message(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    made.slack.refuse("post", RetryLater("Slack is away."))
    await made.look()
    await made.look(NAME)
    assert (made.said(), await made.field_of("state", NAME)) == ([], "ended")
    await made.go()
    assert made.said() == ["boil-1 has ended: Boiled", "Boiled"]


async def test_a_result_whose_post_broke_off_is_found_and_not_said_twice(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    await made.look()
    made.slack.break_after_post = True
    await made.go()
    assert made.said() == ["boil-1 has ended: Boiled", "Boiled"]


async def test_a_channel_that_takes_no_result_is_answered_by_direct_message(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    await made.look()
    made.slack.refuse("post", PersonMovesNext("I am not in this channel."))
    await made.go()
    assert made.slack.messages["2.0"].channel == f"D{BEN.user_id}"


async def test_a_result_that_slack_refuses_is_told_without_what_it_refused(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    await made.look()
    made.slack.refuse("post", WeMoveNext("invalid_blocks"))
    with capture_logs():
        await made.go()
    assert len(made.said()) == 2
    assert await made.field_of("state", NAME) == "done"


async def test_how_it_ended_is_written_to_the_audit(redis: Redis) -> None:
    made = await kitchen(redis, new=to(BOILED))
    await made.go()
    assert [one["ended"] for one in made.house.book.lines] == ["boil-1: the water is on", "boil-1: Boiled"]
