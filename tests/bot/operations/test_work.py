"""`work` and `cancel`: what runs for whom, and a clean stop of the right thing."""

from datetime import timedelta

import pytest

from bot.errors import RefusedError, UsageError
from bot.nouns import Actor
from bot.operations.approvals import NO, YES
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Registry
from bot.operations.work import CANCEL, WORK
from bot.ports import OpenWork
from bot.view import LINES_LIMIT, plain
from tests.doubles.ports import ANNA, BEN, DANA, NOW, House

TABLE: Registry = (WORK, CANCEL, YES, NO)


def open_work(name: str = "bench-12", by: Actor = BEN, kind: str = "bench", *, stopping: bool = False) -> OpenWork:
    return OpenWork(
        id=name,
        kind=kind,
        state="running",
        words="bench quick",
        asked_by=by.user_id,
        channel="C1",
        since=NOW - timedelta(minutes=4),
        stopping=stopping,
    )


async def said(house: House, words: str, by: Actor = BEN) -> Outcome:
    return await execute(TABLE, house.services, house.request(words, by))


async def test_nothing_long_under_way_still_counts_the_quick_request_that_asks() -> None:
    house = House()
    house.desk.open = [open_work("r-1", DANA, "request")]
    assert plain((await said(house, "work")).view.verdict) == "Nothing long is under way · 1 quick request being answered"


async def test_each_work_has_a_line_and_a_button_to_stop_it() -> None:
    house = House()
    house.desk.open = [open_work(), open_work("find-3", ANNA, "find", stopping=True), open_work("r-1", DANA, "request")]
    view = (await said(house, "work", DANA)).view
    assert plain(view.verdict) == "2 pieces of work under way"
    assert [plain(one) for one in view.lines] == [
        f"bench-12 running · started 4 min ago for @{BEN.user_id}",
        f"find-3 running · started 4 min ago for @{ANNA.user_id} · stopping",
    ]
    assert [(one.label, one.words) for one in view.buttons] == [("Stop bench-12", "cancel bench-12")]


async def test_much_work_waits_behind_details() -> None:
    house = House()
    house.desk.open = [open_work(f"bench-{n}") for n in range(20)]
    view = (await said(house, "work")).view
    assert len(view.lines) < LINES_LIMIT
    assert len(view.lines) + len(view.details) == 20


async def test_ones_own_work_stops_at_once() -> None:
    house = House()
    house.desk.open = [open_work()]
    outcome = await said(house, "cancel bench-12")
    assert plain(outcome.view.verdict) == "bench-12 was asked to stop"
    assert house.desk.stopped == ["bench-12"]


async def test_somebody_elses_work_stops_after_one_more_click() -> None:
    house = House()
    house.desk.open = [open_work()]
    outcome = await said(house, "cancel bench-12", ANNA)
    assert house.desk.stopped == []
    assert plain(outcome.view.verdict) == f"Stop bench-12? It was started by @{BEN.user_id}"
    assert outcome.view.buttons[0].label == "Stop bench-12"
    await said(house, f"yes {outcome.asked}", ANNA)
    await execute(TABLE, house.services, house.questions.works[-1])
    assert house.desk.stopped == ["bench-12"]


async def test_what_is_not_under_way_offers_what_is() -> None:
    house = House()
    house.desk.open = [open_work(), open_work("r-1", DANA, "request")]
    with pytest.raises(UsageError) as unknown:
        await said(house, "cancel bench-11")
    assert (str(unknown.value), unknown.value.near) == ("There is no work “bench-11” under way.", ("cancel bench-12",))


async def test_a_quick_request_is_not_work_that_can_be_stopped() -> None:
    house = House()
    house.desk.open = [open_work("r-1", BEN, "request")]
    with pytest.raises(UsageError):
        await said(house, "cancel r-1")


async def test_a_viewer_stops_nothing() -> None:
    house = House()
    house.desk.open = [open_work(by=DANA)]
    with pytest.raises(RefusedError):
        await said(house, "cancel bench-12", DANA)
    assert house.desk.stopped == []


async def test_what_can_only_go_on_to_its_end_has_no_button_and_says_why() -> None:
    house = House()
    house.desk.open = [open_work("machine-3").model_copy(update={"unstoppable": "what is half gone cannot be kept"})]
    assert (await said(house, "work")).view.buttons == ()
    with pytest.raises(RefusedError, match="machine-3 cannot be stopped: what is half gone cannot be kept"):
        await said(house, "cancel machine-3")
    assert house.desk.stopped == []
