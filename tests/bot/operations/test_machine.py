"""`machine NAME`: state, owner, money and end of one machine; unknown stays unknown."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import UsageError
from bot.nouns import (
    Actor,
    CapacityRequest,
    Deployment,
    Machine,
    MachineState,
    ProvisioningModel,
    RequestState,
    Zone,
    owner_label,
)
from bot.operations import OPERATIONS
from bot.operations.execute import execute
from bot.ports import Lease
from bot.requests import Door, Place, Request
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Shape, View, plain

OURS = {"managed-by": "gemma-chatops", "deployment": "prod"}


def said(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines, *view.details)))


def machine(world: Any, name: str, **more: Any) -> Machine:
    given = {
        "backend": "tpu",
        "name": name,
        "zone": Zone(name="us-east5-a"),
        "state": MachineState.READY,
        "accelerator": "v6e-4",
        "health": "HEALTHY",
        "address": "10.0.0.7",
        "created_at": world.now - timedelta(hours=2),
        "provisioning": ProvisioningModel.FLEX_START,
        "labels": OURS,
    }
    return Machine.model_validate(given | more)


def request(world: Any, name: str, makes: str, state: RequestState, **more: Any) -> CapacityRequest:
    given = {
        "backend": "tpu",
        "name": name,
        "zone": Zone(name="us-east5-a"),
        "state": state,
        "machine": makes,
        "accelerator": "v6e-4",
        "created_at": world.now - timedelta(minutes=42),
        "labels": OURS,
    }
    return CapacityRequest.model_validate(given | more)


async def test_a_machine_of_ours_with_price_owner_and_end(world: Any) -> None:
    world.machines = (machine(world, "prod-1"),)
    world.deployments = [
        world.deployments[0].model_copy(update={"owner": "anna", "ends_at": world.now + timedelta(hours=4, minutes=10)})
    ]
    view = (await world.ask("machine prod-1")).view
    assert plain(view.verdict) == "prod-1 is ready and healthy · made 2 h ago"
    told = said(view)
    for part in ("10.0.0.7", "Ours, for prod · owner anna", "$5.40/h (list price of 20 Aug) · about $10.80", "in 4 h 10 min"):
        assert part in told
    assert "flex-start cannot be extended" in told
    assert view.shape is Shape.GOOD


async def test_what_is_not_known_is_unknown(world: Any) -> None:
    bare = {"health": None, "created_at": None, "provisioning": None, "address": None, "labels": {}, "accelerator": None}
    world.machines = (machine(world, "notebook", **bare),)
    told = said((await world.ask("machine notebook")).view)
    for part in ("health unknown", "since when is unknown", "price unknown", "address unknown", "owner unknown", "End unknown"):
        assert part in told
    assert "Not ours, for no deployment that I know" in told
    assert "$0" not in told


async def test_the_beginning_of_only_one_name_is_enough_and_a_request_is_another_name_for_its_machine(world: Any) -> None:
    world.machines = (machine(world, "prod-1"), machine(world, "bench-1", labels={}))
    world.requests = (request(world, "prod-1-request", "prod-1", RequestState.ACTIVE),)
    for words in ("machine prod", "machine prod-1", "machine prod-1-request"):
        outcome = await world.ask(words)
        assert (outcome.result["name"], outcome.result["request"]) == ("prod-1", "prod-1-request")


async def test_several_names_are_offered_with_their_zones(world: Any) -> None:
    world.machines = (machine(world, "prod-1"), machine(world, "prod-2"))
    with pytest.raises(UsageError, match="prod-1 in us-east5-a and prod-2 in us-east5-a") as refused:
        await world.ask("machine prod")
    assert refused.value.near == ("machine prod-1", "machine prod-2")


async def test_an_unknown_name_says_where_was_looked_and_which_zones_were_silent(world: Any) -> None:
    world.unreachable = {"us-west1-c": "did not answer in 5 s"}
    with pytest.raises(UsageError, match=r"I looked in 5 zones\. 1 zone did not answer: us-west1-c"):
        await world.ask("machine prod-9")


async def test_where_no_zone_answers_nobody_says_that_there_is_no_such_machine(world: Any) -> None:
    world.unreachable = {f"us-west1-{letter}": "did not answer in 5 s" for letter in "abcdef"}
    with pytest.raises(UsageError, match="I cannot tell whether there is a “prod-9”: no zone answered"):
        await world.ask("machine prod-9")


async def test_a_request_that_waits_bills_nothing_and_one_that_failed_says_why(world: Any) -> None:
    world.requests = (
        request(world, "wait-request", "wait-1", RequestState.WAITING),
        request(world, "lost-request", "lost-1", RequestState.FAILED, error="There is no more capacity"),
    )
    waiting, failed = (await world.ask("machine wait")).view, (await world.ask("machine lost")).view
    assert plain(waiting.verdict) == "wait-request is waiting, no machine yet · asked 42 min ago"
    assert "Bills nothing" in said(waiting)
    assert failed.shape is Shape.BAD
    assert "Google says: There is no more capacity" in said(failed)


async def test_the_message_fits_a_phone(world: Any) -> None:
    world.requests = (request(world, "r" * 60, "lost-1", RequestState.FAILED, error="x" * 5000),)
    view = (await world.ask(f"machine {'r' * 60}")).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert 1 + len(view.lines) <= LINES_LIMIT
    assert len(said(view)) < 1000


ANNA, DANA = "U0ANNA", "U0DANA"


@pytest.mark.parametrize(
    ("label", "owners", "lease", "said"),
    [
        (owner_label(Actor(team_id="T1", user_id=ANNA)), (), ANNA, f"@{ANNA}"),
        (owner_label(Actor(team_id="T1", user_id=ANNA)), (DANA, ANNA), None, f"@{ANNA}"),
        (owner_label(Actor(team_id="T1", user_id="U1")), (), None, "@U1"),
        (owner_label(Actor(team_id="T2", user_id=ANNA)), (ANNA,), None, "unknown"),
        (owner_label(Actor(team_id="T1", user_id=DANA)), (ANNA,), None, "unknown"),
        ("the-night-shift", (ANNA,), None, "the-night-shift"),
    ],
)
async def test_an_owner_is_named_as_a_person_where_the_record_or_somebody_known_fits(
    world: Any, label: str, owners: tuple[str, ...], lease: str | None, said: str
) -> None:
    world.machines = (machine(world, "prod-1", labels={"managed-by": "gemma-chatops", "owner": label}),)
    world.deployments = [Deployment(name=f"d{number}", owner=owner) for number, owner in enumerate(owners)] or world.deployments
    end = Lease(machine="prod-1", zone="us-east5-a", request=None, ends_at=world.now, owner=lease or "", work="machine-1")
    services = replace(world.services(), leases=_Ends((end,) if lease else ()))
    actor, place = Actor(team_id="T1", user_id="U1"), Place(channel="C1")
    asked = Request(id="r", door=Door.COMMAND, actor=actor, place=place, words="machine prod-1", at=world.now)
    outcome = await execute(OPERATIONS, services, asked)
    assert f"owner {said}" in plain(outcome.view.lines[1])


async def test_what_others_made_never_names_a_person(world: Any) -> None:
    label = owner_label(Actor(team_id="T1", user_id="U1"))
    world.machines = (machine(world, "prod-1", labels={"owner": label}),)
    assert f"owner {label}" in plain((await world.ask("machine prod-1")).view.lines[1])


class _Ends:
    """Implements `bot.ports.Leases` for looking."""

    def __init__(self, ends: tuple[Lease, ...]) -> None:
        self._ends = ends

    async def put(self, team_id: str, lease: Lease) -> None:
        raise AssertionError(f"{lease} of {team_id} was put")

    async def all(self, team_id: str) -> tuple[Lease, ...]:
        assert team_id == "T1"
        return self._ends

    async def drop(self, team_id: str, zone: str, machine: str) -> None:
        raise AssertionError(f"{machine} in {zone} of {team_id} was dropped")
