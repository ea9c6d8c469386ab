"""`machine destroy`: who must say yes, and gone means looked for and not there."""

from datetime import timedelta

import pytest

from bot.errors import RefusedError, UsageError
from bot.nouns import RequestState
from bot.operations.execute import Outcome, execute
from bot.operations.machine_destroy import MACHINE_DESTROY
from bot.ports import Lease
from bot.view import plain
from tests.doubles.ports import ANNA, BEN, DANA, NOW
from tests.doubles.sights import PROD, asked_for, machine, scrape
from tests.doubles.works import Works

PROD_2 = machine("prod-2", created_at=NOW - timedelta(hours=26))
REQUEST_2 = asked_for(RequestState.ACTIVE, "prod-2-request", machine="prod-2")
ZONE = "us-east5-a"


def works() -> Works:
    made = Works((MACHINE_DESTROY,))
    made.yard.put(PROD_2, REQUEST_2)
    return made


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


def serving(made: Works, running: float = 3) -> None:
    made.house.names.known = [PROD.model_copy(update={"machine": "prod-2"})]
    made.house.engine.health = True
    made.house.engine.scrape = scrape(running=running, waiting=0)


async def test_our_own_idle_machine_needs_one_confirmation_that_says_what_it_saves() -> None:
    asked = await works().say("machine destroy prod-2")
    assert told(asked)[:3] == [
        "Destroy prod-2. I know of no deployment on it",
        "v6e-4, us-east5-a, ours, up 1 d 2 h, about $140.40 so far.",
        "Its compile cache goes with it. Saves $5.40/h.",
    ]
    assert asked.view.buttons[0].label == "Destroy prod-2"
    assert "not the asker" not in told(asked)[-1]


async def test_what_serves_now_needs_a_second_person_who_is_told_what_is_cut_off() -> None:
    made = works()
    serving(made)
    asked = await made.say("machine destroy prod-2 because replaced by prod-3")
    assert told(asked)[0] == f"@S1OPS @U1ANNA · @{BEN.user_id} asks to destroy prod-2. It still serves prod: 3 running, 0 waiting"
    assert "Ends: those requests and its compile cache. Saves $5.40/h." in told(asked)
    assert "Reason: replaced by prod-3" in told(asked)
    with pytest.raises(RefusedError, match="second person"):
        await made.agree(asked, BEN)
    assert await made.agree(asked, ANNA) == "machine-1"


async def test_an_engine_that_answers_and_tells_nothing_counts_as_serving() -> None:
    made = works()
    serving(made)
    made.house.engine.scrape = scrape()
    assert "how much is unknown" in told(await made.say("machine destroy prod-2"))[0]


async def test_a_machine_whose_engine_is_known_to_be_idle_needs_one_confirmation() -> None:
    made = works()
    serving(made, running=0)
    asked = await made.say("machine destroy prod-2")
    assert "still serves" in told(asked)[0]  # nobody knows what finished lately
    made.house.engine.health = False
    assert told(await made.say("machine destroy prod-2", ANNA))[0] == "Destroy prod-2. It serves nobody now"


async def test_what_is_not_ours_is_named_with_its_owner_and_needs_a_second_person() -> None:
    made = works()
    made.yard.put(machine("notebook-anna", labels={"owner": "research"}))
    asked = await made.say("machine destroy notebook-anna")
    assert "not ours: owner research" in told(asked)[1]
    name = await made.agree(asked, ANNA)
    made.yard.soon = [made.yard.vanish(ZONE, None, "notebook-anna")]
    view = await made.end(name)
    assert view is not None
    assert "notebook-anna is gone" in plain(view.verdict)


async def test_it_is_deleted_looked_for_and_told_with_its_cost_once_it_is_not_there() -> None:
    made = works()
    name = await made.begins("machine destroy prod-2")
    made.yard.soon = [lambda: None, lambda: None, made.yard.vanish(ZONE, "prod-2-request", "prod-2")]
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict) == "prod-2 is gone · billing stopped at 03:00 UTC, cost about $140.40"
    assert made.yard.asked.count(f"delete {ZONE}/prod-2-request") == 1
    assert made.yard.asked[-1] == f"gone {ZONE}/prod-2-request"


async def test_a_deletion_that_was_asked_for_twice_is_harmless() -> None:
    made = works()
    name = await made.begins("machine destroy prod-2")
    await made.take(name)
    await made.take(name, "new")
    made.yard.vanish(ZONE, "prod-2-request", "prod-2")()
    await made.take(name, "new")
    view = await made.end(name)
    assert view is not None
    assert "is gone" in plain(view.verdict)


async def test_a_machine_that_outlives_its_request_is_deleted_too() -> None:
    made = works()
    name = await made.begins("machine destroy prod-2")

    def only_the_request() -> None:
        made.yard.vanish(ZONE, "prod-2-request", None)()
        made.yard.put(PROD_2)

    made.yard.soon = [only_the_request, lambda: None, made.yard.vanish(ZONE, None, "prod-2")]
    view = await made.end(name)
    assert view is not None
    assert f"delete machine {ZONE}/prod-2" in made.yard.asked


async def test_what_does_not_go_is_told_with_what_bills() -> None:
    made = works()
    view = await made.end(await made.begins("machine destroy prod-2"))
    assert view is not None
    assert plain(view.verdict) == "prod-2 is not gone after 30 min"
    assert "may still stand and bill $5.40/h" in plain(view.lines[1])


async def test_a_request_without_a_machine_is_withdrawn_and_cost_nothing() -> None:
    made = works()
    made.yard.requests.clear()
    made.yard.standing.clear()
    made.yard.put(asked_for(RequestState.WAITING, "bench-1-request", machine="bench-1"))
    name = await made.begins("machine destroy bench-1")
    made.yard.soon = [made.yard.vanish(ZONE, "bench-1-request", None)]
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict) == "bench-1-request is gone · it never had a machine"


async def test_a_machine_that_serves_by_the_time_of_the_yes_is_not_destroyed_by_one_confirmation() -> None:
    made = works()
    asked = await made.say("machine destroy prod-2")
    serving(made)
    with pytest.raises(RefusedError, match="serves now"):
        await made.agree(asked)
    assert not [one for one in made.yard.asked if one.startswith("delete")]


async def test_its_recorded_end_goes_with_it() -> None:
    made = works()
    lease = Lease(machine="prod-2", zone=ZONE, request="prod-2-request", ends_at=NOW, owner="U1BEN", work="machine-0")
    await made.put("T1", lease)
    name = await made.begins("machine destroy prod-2")
    made.yard.soon = [made.yard.vanish(ZONE, "prod-2-request", "prod-2")]
    await made.end(name)
    assert made.ends == {}


async def test_viewers_are_refused_and_unknown_names_are_answered_with_near_ones() -> None:
    with pytest.raises(RefusedError, match="Only operators"):
        await works().say("machine destroy prod-2", DANA)
    with pytest.raises(UsageError) as wrong:
        await works().say("machine destroy prod-9")
    assert wrong.value.near == ("machine destroy prod-2",)


async def test_a_machine_of_unknown_price_says_so() -> None:
    made = works()
    made.yard.put(PROD_2.model_copy(update={"provisioning": None}))
    assert "an unknown price per hour" in told(await made.say("machine destroy prod-2"))[2]


async def test_a_request_that_is_carried_out_again_after_the_machine_is_gone_finds_its_work() -> None:
    made = works()
    name = await made.begins("machine destroy prod-2")
    made.yard.vanish(ZONE, "prod-2-request", "prod-2")()
    again = await execute((MACHINE_DESTROY,), made.services, made.house.questions.works[-1])
    assert again.started == name


async def test_a_machine_beside_the_one_that_a_deployment_is_known_to_run_on_does_not_serve_it() -> None:
    made = works()
    serving(made)
    made.house.names.known = [PROD]
    assert told(await made.say("machine destroy prod-2"))[0] == "Destroy prod-2. I know of no deployment on it"
