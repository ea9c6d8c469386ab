"""`status`: one verdict, what is unknown is said, and each source that is missing has one line."""

from datetime import timedelta
from typing import Any

import pytest

from bot.errors import NotConnectedError, RetryLater, WeMoveNext
from bot.nouns import Deployment, MachineState, RequestState, Usual
from bot.operations.execute import Outcome, execute
from bot.operations.execute import early as early_outcome
from bot.operations.grade import Grade
from bot.operations.operation import Registry
from bot.operations.status import STATUS
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Shape, View, plain
from tests.doubles.ports import NOW, House
from tests.doubles.sights import PROD, asked_for, first_tokens, fleet, machine, minute, scrape

TABLE: Registry = (STATUS,)
QUIET = {"running": 4.0, "waiting": 0.0, "kv_cache_usage": 0.08}
FULL = {"running": 14.0, "waiting": 23.0, "kv_cache_usage": 0.97}


def serving(gauges: dict[str, float] | None = None) -> House:
    house = House()
    house.names.known = [PROD]
    house.engine.health = True
    house.engine.scrape = scrape().model_copy(update={"gauges": gauges or QUIET})
    house.cloud.answer = fleet(machine())
    return house


async def status(house: House, words: str = "status") -> Outcome:
    return await execute(TABLE, house.services, house.request(words))


def said(view: View) -> str:
    return "\n".join([f"{view.shape} {plain(view.verdict)}", *map(plain, view.lines)])


async def test_a_ready_deployment_in_three_lines() -> None:
    outcome = await status(serving())
    assert said(outcome.view) == (
        "● prod is ready · gemma-4-31B-it on v6e-4\n"
        "4 running, 0 waiting · cache 8 % full. Machine prod-1 ready and healthy, us-east5-a.\n"
        "Last change: unknown. New errors: unknown. $5.40/h (list price of 20 Aug) · end unknown · engine seen just now"
    )


async def test_slow_is_told_against_the_usual_and_since_when() -> None:
    house = serving(FULL)
    house.engine.scrape = scrape(first=first_tokens(2.9), running=14, waiting=23, kv_cache_usage=0.97)
    empty = first_tokens(2.9, n=0)
    house.past.scrapes = [scrape(NOW - timedelta(seconds=30), first=empty, running=14, waiting=23, kv_cache_usage=0.97)]
    house.past.normal = Usual(first_token_s=0.4, windows=12, since=NOW - timedelta(days=7))
    house.past.minutes = (*(minute(ago, 0.4) for ago in (30, 23)), *(minute(ago, 2.9) for ago in range(22, 0, -1)))
    view = (await status(house)).view
    assert view.shape is Shape.CONCERN
    assert plain(view.verdict) == "prod is slow, not down: first token 2.9 s (usual 0.40 s) since 02:37 UTC"
    assert plain(view.lines[0]).startswith("14 running, 23 waiting · cache 97 % full. ")


async def test_a_minute_without_requests_does_not_end_a_slow_stretch_and_a_quick_one_does() -> None:
    house = serving()
    house.engine.scrape = scrape(first=first_tokens(2.9), running=1)
    house.past.scrapes = [scrape(NOW - timedelta(seconds=30), first=first_tokens(2.9, n=0), running=1)]
    house.past.minutes = (minute(9, 2.9), minute(8, 0.3), minute(7, 2.9), minute(6, None), minute(5, 2.9))
    result = (await status(house)).result
    assert result is not None
    assert result["slow_since"] == "2026-11-30T02:52:00Z"


async def test_where_no_usual_is_known_it_is_said() -> None:
    house = serving()
    house.engine.scrape = scrape(first=first_tokens(2.9), running=1)
    house.past.scrapes = [scrape(NOW - timedelta(seconds=30), first=first_tokens(2.9, n=0), running=1)]
    assert "(usual unknown yet)" in plain((await status(house)).view.verdict)


async def test_full_says_how_many_wait() -> None:
    verdict = plain((await status(serving(FULL))).view.verdict)
    assert verdict == "prod is full, not down: 23 requests wait for room"


async def test_an_idle_deployment_is_ready() -> None:
    assert plain((await status(serving({"running": 0.0, "waiting": 0.0}))).view.verdict).startswith(
        "prod is ready, nobody asks it"
    )


async def test_what_the_engine_does_not_expose_is_unknown_and_not_zero() -> None:
    outcome = await status(serving({"kv_cache_usage": 0.5}))
    assert outcome.result is not None
    assert outcome.result["running"] is None
    assert "running" not in plain(outcome.view.lines[0])
    house = serving()
    house.engine.scrape = scrape()
    assert plain((await status(house)).view.lines[0]).startswith("Load unknown. ")


async def test_metrics_that_are_missing_have_one_line_while_the_engine_is_well() -> None:
    house = serving()
    house.engine.scrape = RetryLater("Engine: its metrics do not answer.")
    view = (await status(house)).view
    assert plain(view.verdict) == "prod is ready · model unknown on v6e-4"
    assert [plain(one) for one in view.lines[2:]] == ["Engine: its metrics do not answer."]
    assert plain(view.lines[1]).endswith("last sight of the engine unknown")


async def test_an_engine_that_does_not_answer_has_one_line_and_not_two() -> None:
    house = House()
    house.names.known = [PROD]
    house.cloud.answer = fleet(machine())
    view = (await status(house)).view
    assert plain(view.verdict) == "prod is not answering, though its machine runs"
    assert view.shape is Shape.BAD
    assert [plain(one) for one in view.lines[2:]] == ["Engine: prod does not answer."]


async def test_a_cloud_that_is_not_connected_has_one_line_and_the_rest_counts() -> None:
    house = serving()
    house.cloud.answer = NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
    view = (await status(house)).view
    assert plain(view.verdict) == "prod is ready · gemma-4-31B-it on v6e-4"
    assert plain(view.lines[0]).endswith("Machine unknown.")
    assert [plain(one) for one in view.lines[2:]] == ["Machine: not connected, set GOOGLE_CLOUD_PROJECT"]
    assert "Price unknown" in plain(view.lines[1])


async def test_a_silent_zone_is_named_and_no_machine_is_not_claimed() -> None:
    house = House()
    house.names.known = [PROD]
    house.cloud.answer = fleet(silent={"us-east5-a": "no answer in 5 s"})
    outcome = await status(house)
    assert outcome.result is not None
    assert outcome.result["grade"] == Grade.SILENT
    assert "Machine: no answer from us-east5-a (no answer in 5 s)" in said(outcome.view)


async def test_our_own_faults_are_not_told_as_missing() -> None:
    house = serving()
    house.cloud.answer = WeMoveNext("Google refused what we built.")
    with pytest.raises(WeMoveNext):
        await status(house)


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (fleet(), "prod has no machine: nothing runs and nothing bills"),
        (fleet(machine(state=MachineState.CREATING)), "prod is booting: the machine is being made"),
        (fleet(machine(state=MachineState.LOST)), "prod is not running: its machine is lost"),
        (fleet(requests=(asked_for(RequestState.WAITING),)),
         "prod is queued: Google has no free capacity yet; waiting costs nothing"),
        (fleet(requests=(asked_for(RequestState.FAILED),)), "prod is not running: the request for its machine failed"),
    ],
)  # fmt: skip
async def test_without_an_engine_the_machine_explains(seen: Any, verdict: str) -> None:
    house = House()
    house.names.known = [PROD]
    house.cloud.answer = seen
    assert plain((await status(house)).view.verdict) == verdict


async def test_nobody_claims_that_nothing_bills_where_nothing_says_which_machine_it_is() -> None:
    house = House()
    house.names.known = [Deployment(name="default", base_url="http://127.0.0.1:8000")]
    house.cloud.answer = fleet(machine("somebodys", labels={}))
    view = (await status(house)).view
    assert plain(view.verdict) == "default is not answering"
    assert "nothing bills" not in said(view)


async def test_a_label_finds_the_machine_where_no_name_was_recorded() -> None:
    house = serving()
    house.names.known = [PROD.model_copy(update={"machine": None})]
    assert "Machine prod-1 ready" in said((await status(house)).view)


async def test_the_end_is_told_as_time_left() -> None:
    house = serving()
    house.names.known = [PROD.model_copy(update={"ends_at": NOW + timedelta(hours=4, minutes=10)})]
    assert "ends in 4 h 10 min" in said((await status(house)).view)
    house.clock.move(hours=5)
    assert "ended 50 min ago" in said((await status(house)).view)


async def test_early_tells_the_last_scrape_with_its_age_while_the_machine_is_asked() -> None:
    house = House()
    house.names.known = [PROD]
    house.past.scrapes = [scrape(NOW - timedelta(seconds=12), running=4, waiting=0)]
    outcome = await early_outcome(TABLE, house.services, house.request("status"))
    assert outcome is not None
    assert "engine seen 12 s ago" in said(outcome.view)
    assert plain(outcome.view.lines[-1]) == "Machine: being asked"
    assert house.cloud.asked == []


async def test_early_says_nothing_of_a_scrape_that_is_too_old() -> None:
    house = House()
    house.names.known = [PROD]
    house.past.scrapes = [scrape(NOW - timedelta(minutes=6), running=4)]
    assert await early_outcome(TABLE, house.services, house.request("status")) is None


LONG = Deployment(name="a" * 40, base_url="http://127.0.0.1:8000", accelerator="v5litepod-16", machine="m" * 63)


@pytest.mark.parametrize("known", [PROD, LONG])
@pytest.mark.parametrize("state", list(MachineState))
@pytest.mark.parametrize("health", [True, False, RetryLater("Engine: it does not answer at http://127.0.0.1:8000.")])
async def test_line_one_fits_a_phone_and_eight_lines_are_enough(known: Deployment, state: MachineState, health: Any) -> None:
    house = House()
    house.names.known = [known]
    house.engine.health = health
    house.cloud.answer = fleet(machine(known.machine or "", state), silent={f"zone{n}-a": "no answer in 5 s" for n in range(9)})
    view = (await status(house)).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert len(view.lines) < LINES_LIMIT


async def test_a_whole_delta_of_requests_gives_their_rate() -> None:
    house = serving()
    house.engine.scrape = scrape(running=4).model_copy(update={"counters": {"requests_finished.stop": 60.0}})
    house.past.scrapes = [
        scrape(NOW - timedelta(seconds=30), running=4).model_copy(update={"counters": {"requests_finished.stop": 45.0}})
    ]
    assert "0.5 requests/s" in said((await status(house)).view)
