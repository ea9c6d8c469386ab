"""`find`: many zones at once under a ceiling; one machine remains, whatever happens, wherever it is killed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import PersonMovesNext, RefusedError, UsageError
from bot.nouns import Deployment, ProvisioningModel, RefusalKind, Tried
from bot.operations.course import Ended, Move
from bot.ports import Authorised, Engines
from bot.view import View, plain
from tests.doubles.many_zones import RATE_USD, Character, ManyZones
from tests.doubles.ports import DANA, NOW
from tests.doubles.sweeps import SEEDS, ZONES, Sweeps, one_by_one, ratio, sweeps, together

YES, NO_QUOTA = Character(None, 100.0), Character(RefusalKind.QUOTA, 1.0)
STOCKOUT, NEVER = Character(RefusalKind.STOCKOUT, 200.0), Character(None, 0.0, slow=True)
FIND = "find v6e-4 flex until 06:00"


def told(view: View | None) -> list[str]:
    assert view is not None
    return [plain(view.verdict), *map(plain, view.lines)]


async def test_the_question_says_that_it_takes_and_bills_the_first_the_ceiling_and_the_most() -> None:
    made, _ = sweeps({"us-a1-a": YES, "us-a2-a": YES, "us-a3-a": Character(RefusalKind.NO_SUCH_SLICE, 1.0)})
    asked = await made.say(f"{FIND} max $22/h for 4h")
    assert [plain(asked.view.verdict), *map(plain, asked.view.lines)][:5] == [
        "Find a v6e-4 flex-start in 2 zones, $5.40/h",
        "It takes and bills the first machine that is ready: kept for 4 h, at most $25.75.",
        "2 at once, never more than $22.00/h together; all others are cancelled and verified gone.",
        "It looks until 2026-11-30 06:00 UTC (06:00 UTC); waiting is free, and it can be stopped.",
        "Not asked: 1 surely cannot.",
    ]
    assert asked.view.buttons[0].label == "Find and bill one, at most $25.75"


async def test_the_question_says_how_many_at_once_the_ceiling_allows() -> None:
    made, _ = sweeps(dict.fromkeys(ZONES[:3], YES))
    assert "1 at once, never more than $6.00/h together" in told((await made.say(f"{FIND} max $6/h")).view)[2]


SHORT = (3, 11, 18, 26)
"""Positions of the zone that accepts for every day; `benchmarks/sweep.py` and the long run take all thirty."""


@pytest.mark.parametrize("seeds", [SHORT, pytest.param(range(SEEDS), marks=pytest.mark.long)], ids=["short", "thirty"])
async def test_37_zones_take_an_eighth_of_the_time_of_one_by_one_within_the_ceiling_and_leave_one_machine(
    seeds: Sequence[int],
) -> None:
    ours, theirs = [], []
    for seed in seeds:
        run, other = await together(seed), await one_by_one(seed)
        ours.append(run.seconds)
        theirs.append(other.seconds)
        assert told(run.view)[0].startswith("Got a v6e-4 at ")
        assert run.world.worst <= 90
        assert not [zone for zone in run.world.created if run.world.zones_are[zone].impossible]
        (left,) = run.world.things
        assert run.world.zones_are[left[0]].kind is None
        assert not run.world.zones_are[left[0]].slow
    median, worst = ratio(ours, theirs)
    assert median <= 1 / 8
    assert worst <= 1 / 8


async def test_a_small_ceiling_is_never_passed_and_a_zone_that_lets_us_wait_makes_room_for_another() -> None:
    made, world = sweeps({"us-a1-a": NEVER, "us-a2-a": NEVER, "us-a3-a": NEVER, "us-a4-a": YES})
    view = await made.end(await made.begins(f"{FIND} max $11/h"))
    assert told(view)[0].startswith("Got a v6e-4 at 03:2")
    assert world.worst == pytest.approx(2 * RATE_USD)
    assert [zone for zone, _ in world.things] == ["us-a4-a"]


async def test_a_second_search_starts_with_what_worked_and_leaves_out_what_was_refused() -> None:
    zones = dict.fromkeys(("us-a1-a", "us-a2-a", "us-a3-a"), NO_QUOTA) | {"us-a9-a": YES}
    made, world = sweeps(zones)
    await made.end(await made.begins(f"{FIND} zones-at-once 1"))
    assert world.created == ["us-a1-a", "us-a2-a", "us-a3-a", "us-a9-a"]
    world.created.clear()
    world.things.clear()
    await made.end(await made.begins(f"{FIND} zones-at-once 1 for 2h"))
    assert world.created == ["us-a9-a"]


async def test_what_is_refused_for_lack_of_capacity_is_asked_again_after_minutes_as_a_new_attempt() -> None:
    made, world = sweeps({"us-a1-a": STOCKOUT})
    view = await made.end(await made.begins(f"{FIND}"))
    assert "every zone said no for longer than it may look" in told(view)[0]
    assert made.house.clock.at >= NOW + timedelta(hours=2, minutes=39)
    assert [attempt for _, attempt in world.makes] == list(range(1, len(world.makes) + 1))
    assert 6 <= len(world.makes) <= 9
    assert world.things == {}


async def test_it_ends_at_its_time_and_says_so() -> None:
    made, world = sweeps({"us-a1-a": NEVER})
    view = await made.end(await made.begins("find v6e-4 flex until 04:00"))
    assert told(view)[0] == "find-1: no v6e-4 flex-start: its time is over (04:00 UTC)"
    assert NOW + timedelta(hours=1) <= made.house.clock.at < NOW + timedelta(hours=1, minutes=1)
    assert world.things == {}


async def test_it_ends_early_when_nobody_can_say_yes_before_its_time() -> None:
    made, world = sweeps({"us-a1-a": NO_QUOTA, "us-a2-a": NO_QUOTA})
    view = await made.end(await made.begins(FIND))
    assert told(view) == [
        "find-1: no v6e-4 flex-start: every zone said no for longer than it may look",
        "Asked 2 of 2 zones in 0 s. All requests are gone; nothing bills.",
        "Refused: 2 no quota.",
    ]
    assert world.things == {}


async def test_machines_that_came_in_the_same_moment_are_deleted_and_their_cost_is_told() -> None:
    made, world = sweeps({"us-a1-a": YES, "us-a2-a": YES, "us-a3-a": YES})
    view = await made.end(await made.begins(FIND))
    assert "The other 2 requests are cancelled and gone; only this one bills: $5.40/h" in told(view)[1]
    assert told(view)[2].startswith("Machines that came in the same moment were deleted; they cost about $0.")
    assert [zone for zone, _ in world.things] == ["us-a1-a"]
    assert {lease.zone for lease in made.ends.values()} == {"us-a1-a"}


async def test_a_held_machine_has_its_end_after_that_time() -> None:
    made, _ = sweeps({"us-a1-a": YES})
    view = await made.end(await made.begins(f"{FIND} hold 30m"))
    (lease,) = made.ends.values()
    assert lease.ends_at == NOW + timedelta(minutes=30, seconds=100)
    assert "it is held, nothing runs on it, and Google deletes it then" in told(view)[-1]


class Keys:
    """Implements the part of `bot.ports.Hosts` that gives a key; another pair each time, or none."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.made = error, 0

    async def public_key(self, leave: Authorised, deployment: str) -> str:
        del leave
        if self.error is not None:
            raise self.error
        self.made += 1
        return f"gemma:ssh-ed25519 {self.made} {deployment}"


async def for_prod(words: str, error: Exception | None = None) -> tuple[View, ManyZones]:
    made, world = sweeps({"us-a1-a": NO_QUOTA, "us-a2-a": YES})
    made.house.names.known = [Deployment(name="prod")]
    keys: Any = Keys(error)
    unasked: Any = None
    made.engines = Engines(wishes=unasked, hosts=keys, control=unasked, shell=unasked)
    view = await made.end(await made.begins(words))
    assert view is not None
    return view, world


async def test_for_a_deployment_every_order_carries_the_same_key_of_ours_and_it_can_be_deployed_on_what_was_found() -> None:
    view, world = await for_prod("find prod v6e-4 flex until 06:00")
    assert len(world.keys) > 1
    assert set(world.keys) == {("gemma:ssh-ed25519 1 prod",)}
    assert (view.buttons[0].label, view.buttons[0].words) == ("Deploy prod on it", "deploy prod zone us-a2-a slice v6e-4")
    assert "No other request stands" in told(view)[1]


async def test_for_no_deployment_there_is_no_key_and_no_such_button() -> None:
    view, world = await for_prod("find v6e-4 flex until 06:00")
    assert set(world.keys) == {()}
    assert view.buttons[0].label.startswith("Look at ")


async def test_on_what_is_only_held_no_deploy_is_offered() -> None:
    view, _ = await for_prod("find prod v6e-4 flex until 06:00 hold 30m")
    assert view.buttons[0].label.startswith("Look at ")


async def test_without_a_key_the_machine_is_taken_all_the_same_and_no_deploy_is_offered() -> None:
    view, _ = await for_prod("find prod v6e-4 flex until 06:00", PersonMovesNext("No leave to make secrets."))
    assert told(view)[0].startswith("Got a v6e-4 at ")
    assert view.buttons[0].label.startswith("Look at ")


async def test_a_spot_machine_gets_the_work_that_ends_it() -> None:
    made, _ = sweeps({"us-a1-a": YES})
    name = await made.begins("find v6e-4 spot until 06:00 hold 30m")
    await made.end(name)
    assert [one.path for one in made.works.values()] == ["find", "machine.expire"]


async def test_a_stop_takes_everything_back() -> None:
    made, world = sweeps(dict.fromkeys(ZONES[:5], NEVER))
    name = await made.begins(FIND)
    for _ in range(3):
        await made.take(name)
    assert len(world.things) == 4
    assert "it was stopped" in told(await made.end(name, stop=True))[0]
    assert world.things == {}


async def test_progress_says_how_many_were_asked_and_that_the_time_is_unknown_before_any_came() -> None:
    made, _ = sweeps(dict.fromkeys(ZONES[:5], NEVER))
    name = await made.begins(FIND)
    await made.take(name)
    came = await made.take(name)
    assert isinstance(came, Move)
    assert told(came.progress) == [
        "find-1: asked 4 of 5 zones for a v6e-4 flex-start, 4 open",
        "How long it takes is unknown: I have not seen a machine come yet.",
        "It looks until 2026-11-30 06:00 UTC (06:00 UTC), for at most $21.60/h together.",
    ]


async def test_progress_tells_the_usual_wait_with_the_number_it_comes_from() -> None:
    made, _ = sweeps(dict.fromkeys(ZONES[:5], NEVER))
    flex = ProvisioningModel.FLEX_START
    await made.tries.remember("T1", Tried(zone="us-b1-a", slice="v6e-4", provisioning=flex, at=NOW, took_s=720))
    name = await made.begins(FIND)
    await made.take(name)
    came = await made.take(name)
    assert isinstance(came, Move)
    assert told(came.progress)[1] == "The last machines came 12 min after a zone was asked (median of 1)."


async def test_no_more_creates_are_sent_than_there_are_places() -> None:
    made, world = sweeps(dict.fromkeys(ZONES[:4], NEVER))
    made.tries.most = 2
    name = await made.begins(FIND)
    await made.take(name)
    await made.take(name)
    assert len(world.created) == 2
    await made.take(name)
    assert len(world.created) == 4


async def test_less_money_than_one_machine_costs_and_viewers_are_refused_before_anything_is_asked() -> None:
    made, world = sweeps({"us-a1-a": YES})
    with pytest.raises(UsageError, match=r"costs \$5.40/h at least"):
        await made.say(f"{FIND} max $5/h")
    with pytest.raises(RefusedError):
        await made.say(FIND, DANA)
    assert world.created == []


class Killed(BaseException):
    """The process ends here."""


def killing(world: ManyZones, at: int) -> list[str]:
    """Kill whoever makes the `at`-th call, once; the calls so far."""
    calls: list[str] = []

    def around(call: str) -> None:
        calls.append(call)
        if len(calls) == at:
            raise Killed

    world.around = around
    return calls


async def stubborn(made: Sweeps, name: str) -> View:
    """Step after step, each again after a kill with what was written down before it."""
    for _ in range(500):
        try:
            came = await made.take(name)
        except Killed:
            made.house.clock.move(seconds=5)
            continue
        if isinstance(came, Ended):
            return came.view
        made.house.clock.move(seconds=came.wait_s or 0)
    raise AssertionError("it does not end")


SOME = {"us-a1-a": NO_QUOTA, "us-a2-a": STOCKOUT, "us-a3-a": Character(RefusalKind.MODEL_REFUSED, 20.0), "us-a4-a": NEVER}
MANY = SOME | {"us-a5-a": YES, "us-a6-a": replace(YES, after_s=101.0)}


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.faults)], ids=["some", "every"])
async def test_killed_at_every_call_it_ends_with_one_machine_and_one_lease_and_no_attempt_is_made_twice(every: int) -> None:
    made, world = sweeps(MANY)
    calls = killing(world, -1)
    await stubborn(made, await made.begins(FIND))
    assert len(calls) > 60
    for at in range(1, len(calls) + 1, every):
        made, world = sweeps(MANY)
        name = await made.begins(FIND)
        killing(world, at)
        view = await stubborn(made, name)
        assert plain(view.verdict).startswith("Got a v6e-4 at "), at
        (left,) = world.things
        assert left[0] in {"us-a5-a", "us-a6-a"}
        assert {lease.zone for lease in made.ends.values()} == {left[0]}
        things = [one for one in world.makes if one[0] not in {"us-a1-a"}]
        assert len(things) == len(set(things)), at
        assert world.worst <= 4 * RATE_USD + 1e-9
