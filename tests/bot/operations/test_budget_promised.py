"""What is promised counts against the limit: two questions that together go over it cannot both be said yes to."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.errors import RefusedError
from bot.nouns import Effect, Fleet, Machine, MachineState, ProvisioningModel, Role, SeenBy, Zone
from bot.operations.approvals import NO, YES
from bot.operations.budget import BUDGET
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Started
from bot.operations.values import GivenName
from bot.ports import Lease, Limit, OpenWork, Services
from bot.requests import Request
from bot.view import View, line, plain
from tests.bot.operations.house_doubles import HouseInMemory
from tests.doubles.ports import ANNA, BEN, NOW, House

PRICE = 5.40
"""USD/h of a v6e-4 by flex-start in us-east5-a (list price)."""


class Sum(Arguments):
    """How much, as a name: `usd-60`."""

    name: GivenName


async def preview(_context: Context, arguments: Sum) -> Preview:
    said = arguments.name.partition("-")[2]
    return Preview(needs=Consent.CONFIRM, verdict=line("It spends"), usd=float(said) if said.isdecimal() else None)


@dataclass
class World:
    """A limit of 100 $, and an operation that spends what its name says by long work of its own."""

    house: House = field(default_factory=House)
    inside: HouseInMemory = field(default_factory=lambda: HouseInMemory(bound=Limit(usd=100, by="U1", at=NOW)))
    begun: dict[str, str] = field(default_factory=dict)
    ends: list[Lease] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)

    @property
    def buy(self) -> Operation[Sum, Any]:
        async def run(context: Context, arguments: Sum) -> Started:
            self.ran.append(arguments.name)
            return Started(work_id=f"buy-{len(self.ran)}", said="started")

        def show(_result: Any, _context: Context) -> View:
            raise AssertionError("long work")

        return Operation(
            "buy", "", "", "buy usd-1", Sum, Effect.SPENDS, Role.OPERATOR, SeenBy.CHANNEL, run, show, preview=preview
        )

    async def say(self, words: str, by: Any = BEN) -> Outcome:
        return await execute((self.buy, YES, NO, BUDGET), _with(self), self.house.request(words, by))

    async def asks(self, usd: str, by: Any = BEN) -> Outcome:
        return await self.say(f"buy usd-{usd}", by)

    async def agrees(self, asked: Outcome, by: Any = BEN) -> Request:
        """The yes, and the work that it makes, standing in the open."""
        await self.say(asked.view.buttons[0].words, by)
        made = self.house.questions.works[-1]
        since = NOW + timedelta(seconds=len(self.house.questions.works))
        self.house.desk.open.append(
            OpenWork(
                id=made.id,
                kind="request",
                state="new",
                words=made.words,
                asked_by=made.actor.user_id,
                channel="C1",
                since=since,
                approval=made.approval,
            )
        )
        return made

    async def carries_out(self, made: Request) -> Outcome:
        """As a worker does: what began stands there as long work of its own name."""
        outcome = await execute((self.buy, YES, NO), _with(self), made)
        ready = next(one for one in self.house.desk.open if one.id == made.id)
        self.house.desk.open.remove(ready)
        self.house.desk.open.append(
            ready.model_copy(update={"id": outcome.started, "kind": "buy", "since": NOW + timedelta(hours=1)})
        )
        self.begun[made.approval or ""] = outcome.started or ""
        return outcome


class _Works:
    """Implements `begun` of `bot.ports.LongWork` and `all` of `Leases`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def begun(self, request: Request, path: str) -> str | None:
        assert path == "buy"
        return self._world.begun.get(request.approval or "")

    async def all(self, _team: str) -> tuple[Lease, ...]:
        return tuple(self._world.ends)


def _with(world: World) -> Services:
    works: Any = _Works(world)
    return replace(world.house.services, house=world.inside.house(), leases=works, long_work=works)


@pytest.fixture
def world() -> World:
    return World()


async def test_two_that_were_asked_before_either_was_answered_do_not_both_run(world: World) -> None:
    first, second = await world.asks("60"), await world.asks("50", ANNA)
    one, other = await world.agrees(first), await world.agrees(second, ANNA)
    with pytest.raises(RefusedError, match=r"\$40\.00 of this month's \$100\.00 is left, for \$60\.00 is promised"):
        await world.carries_out(other)
    await world.carries_out(one)
    assert world.ran == ["usd-60"]


async def test_whichever_worker_is_first_the_earlier_yes_wins(world: World) -> None:
    one, other = await world.agrees(await world.asks("60")), await world.agrees(await world.asks("30", ANNA), ANNA)
    await world.carries_out(one)
    await world.carries_out(other)
    assert world.ran == ["usd-60", "usd-30"]


async def test_what_has_begun_is_held_against_the_next_question(world: World) -> None:
    await world.carries_out(await world.agrees(await world.asks("60")))
    with pytest.raises(RefusedError, match="is promised to what runs or is on its way"):
        await world.asks("50")
    assert (await world.asks("40")).asked is not None


async def test_a_yes_that_waits_for_its_worker_is_held_against_the_next_question(world: World) -> None:
    await world.agrees(await world.asks("60"))
    with pytest.raises(RefusedError, match="is promised"):
        await world.asks("50")


async def test_a_question_that_nobody_answered_promises_nothing(world: World) -> None:
    await world.asks("60")
    assert (await world.asks("50", ANNA)).asked is not None


async def test_carried_out_again_after_a_crash_it_goes_on(world: World) -> None:
    made = await world.agrees(await world.asks("60"))
    await world.carries_out(made)
    world.inside.bound = Limit(usd=1, by="U1", at=NOW)
    await execute((world.buy,), _with(world), made)
    assert world.ran == ["usd-60", "usd-60"]


async def test_a_limit_that_was_lowered_after_the_question_holds(world: World) -> None:
    made = await world.agrees(await world.asks("60"))
    world.inside.bound = Limit(usd=50, by="U1", at=NOW)
    with pytest.raises(RefusedError, match="This could cost"):
        await world.carries_out(made)
    assert world.ran == []


async def test_without_a_limit_nothing_is_held_against_anything(world: World) -> None:
    world.inside.bound = None
    await world.carries_out(await world.agrees(await world.asks("6000")))
    assert (await world.asks("9000", ANNA)).asked is not None


async def test_work_of_unknown_cost_needs_a_second_person_for_what_follows(world: World) -> None:
    asked = await world.asks("unknown")
    await world.carries_out(await world.agrees(asked, ANNA))
    follows = await world.asks("10")
    question = world.house.questions.asked[follows.asked or ""]
    assert question.second_person


def standing(world: World, *, until: datetime | None, ends: datetime | None = None, work: str = "buy-1") -> None:
    machine = Machine(
        backend="tpu_api",
        name="prod-1",
        zone=Zone(name="us-east5-a"),
        state=MachineState.READY,
        accelerator="v6e-4",
        provisioning=ProvisioningModel.FLEX_START,
        created_at=NOW,
        ends_at=ends,
    )
    world.house.cloud.answer = Fleet(at=NOW, machines=(machine,), requests=(), zones_asked=1)
    if until is not None:
        world.ends = [Lease(machine="prod-1", zone="us-east5-a", request=None, ends_at=until, owner="U1BEN", work=work)]


@pytest.mark.parametrize("recorded", [True, False])
async def test_a_machine_is_paid_until_its_end_and_its_work_is_not_counted_twice(world: World, recorded: bool) -> None:
    await world.carries_out(await world.agrees(await world.asks("60")))
    until = NOW + timedelta(hours=10)
    standing(world, until=until if recorded else None, ends=None if recorded else until)
    if not recorded:
        world.house.desk.open.clear()
    with pytest.raises(RefusedError, match=r"\$54\.00 is promised"):
        await world.asks("47")
    assert (await world.asks("46")).asked is not None


async def test_only_this_month_is_promised(world: World) -> None:
    month_ends = datetime(2026, 12, 1, tzinfo=UTC)
    standing(world, until=month_ends + timedelta(days=6))
    promised = PRICE * (month_ends - NOW).total_seconds() / 3600
    world.inside.bound = Limit(usd=promised + 10, by="U1", at=NOW)
    assert (await world.asks("9")).asked is not None
    with pytest.raises(RefusedError):
        await world.asks("11")


async def test_the_budget_tells_what_is_promised_to_whom(world: World) -> None:
    standing(world, until=NOW + timedelta(hours=1), work="other-1")
    await world.carries_out(await world.agrees(await world.asks("60")))
    told = [plain(one) for one in (await world.say("budget")).view.lines]
    assert "Promised besides, at most: $65.40 to 1 machine until the recorded end and 1 piece of work on the way." in told
