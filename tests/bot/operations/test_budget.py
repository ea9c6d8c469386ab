"""What a month may cost, what is known of it, and what the gate makes of that."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from house_doubles import HouseInMemory, ask

from bot.errors import RefusedError, RetryLater, UsageError
from bot.nouns import Actor, Effect, Machine, MachineState, ProvisioningModel, Role, SeenBy, Zone
from bot.operations import budget_gate
from bot.operations.budget import run, show
from bot.operations.execute import execute
from bot.operations.operation import Consent, Context, NoArguments, Operation, Preview, Started
from bot.ports import Cloud, Counted, Grants, Kind, Ledger, Limit, Month
from bot.requests import Door, Place, Request
from bot.store.absent import NoApprovals
from bot.view import View, line, plain

ADMIN = Grants(admins=("U1",))
NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)


def machine(name: str, hours: float, provisioning: ProvisioningModel | None = ProvisioningModel.FLEX_START) -> Machine:
    return Machine(
        backend="tpu",
        name=name,
        zone=Zone(name="us-east5-a"),
        state=MachineState.READY,
        accelerator="v6e-4",
        created_at=NOW - timedelta(hours=hours),
        provisioning=provisioning,
    )


def limit(usd: float) -> Limit:
    return Limit(usd=usd, by="U1", at=NOW)


def context(world: Any, house: HouseInMemory) -> Context:
    services = replace(world.services(), house=house.house())
    return Context(services, Actor(team_id="T1", user_id="U1"), Role.ADMIN, Place(channel="C1"), NOW)


@pytest.mark.parametrize(
    ("typed", "usd"), [("$500", 500), ("500", 500), ("500$", 500), ("$1,200.50", 1200.5), ("amount=$75", 75)]
)
async def test_a_limit_is_set_as_people_write_sums(world: Any, typed: str, usd: float) -> None:
    house = HouseInMemory(grants=ADMIN)
    await ask(world, house, f"budget set {typed}")
    assert house.bound is not None
    assert (house.bound.usd, house.bound.by) == (usd, "U1")


async def test_none_takes_the_limit_away(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN, bound=limit(500))
    outcome = await ask(world, house, "budget set none")
    assert house.bound is None
    assert "No limit is set" in plain(outcome.view.verdict)


@pytest.mark.parametrize("typed", ["much", "-5", "$1,2", "5e3", "1e400", "nan", ""])
async def test_what_is_no_sum_is_told_and_sets_nothing(world: Any, typed: str) -> None:
    house = HouseInMemory(grants=ADMIN, bound=limit(500))
    with pytest.raises(UsageError):
        await ask(world, house, f"budget set {typed}")
    assert house.bound == limit(500)


async def test_only_an_admin_sets_a_limit(world: Any) -> None:
    with pytest.raises(RefusedError, match="Only admins"):
        await ask(world, HouseInMemory(grants=Grants(operators=("U1",))), "budget set $1")


async def test_spent_and_burn_are_the_list_prices_of_what_runs(world: Any) -> None:
    world.machines = (machine("a", 10), machine("b", 2))
    outcome = await ask(world, HouseInMemory(bound=limit(100)), "budget")
    assert outcome.result is not None
    burn = outcome.result["burn"]["value"]
    assert outcome.result["spent"]["value"] == pytest.approx(burn / 2 * 12)
    assert "at least $" in plain(outcome.view.verdict)


async def test_a_machine_from_last_month_counts_from_the_first_of_this_one(world: Any) -> None:
    world.machines = (machine("old", 24 * 90),)
    known = await budget_gate.month(context(world, HouseInMemory()))
    assert known.spent is not None
    assert known.burn is not None
    assert known.spent.value == pytest.approx(known.burn.value * (29 * 24 + 15))


async def test_unknown_prices_are_unknown_and_not_nothing(world: Any) -> None:
    world.machines = (machine("a", 10, provisioning=None),)
    outcome = await ask(world, HouseInMemory(), "budget")
    assert outcome.result is not None
    assert outcome.result["spent"] is None
    assert "unknown" in plain(outcome.view.verdict)


async def test_an_idle_project_has_spent_nothing_that_is_known(world: Any) -> None:
    known = await budget_gate.month(context(world, HouseInMemory()))
    assert known.spent is not None
    assert known.spent.value == 0


@pytest.mark.parametrize(
    ("bound", "machines", "usd", "expected"),
    [
        (None, (), 10_000.0, Consent.CONFIRM),
        (100.0, (), 99.0, Consent.CONFIRM),
        (100.0, (), None, Consent.SECOND_PERSON),
        (100.0, (machine("a", 1, None),), 1.0, Consent.SECOND_PERSON),
    ],
)
async def test_who_must_say_yes_follows_from_what_is_left(
    world: Any, bound: float | None, machines: tuple[Machine, ...], usd: float | None, expected: Consent
) -> None:
    world.machines = machines
    house = HouseInMemory(bound=limit(bound) if bound is not None else None)
    assert await budget_gate.consent(context(world, house), usd) is expected


async def test_what_surely_goes_over_the_limit_is_refused_with_what_is_left(world: Any) -> None:
    world.machines = (machine("a", 10),)
    with pytest.raises(RefusedError, match=r"is left"):
        await budget_gate.consent(context(world, HouseInMemory(bound=limit(100))), 90.0)


def spending(usd: float | None, ran: list[str]) -> Operation[NoArguments, Any]:
    async def run(_context: Context, _arguments: NoArguments) -> Started:
        ran.append("ran")
        return Started(work_id="w", said="started")

    async def preview(_context: Context, _arguments: NoArguments) -> Preview:
        return Preview(needs=Consent.AT_ONCE, verdict=line("It spends"), usd=usd)

    def show(_result: Any, _context: Context) -> View:
        return View(verdict=line("done"))

    return Operation("buy", "", "", "buy", NoArguments, Effect.SPENDS, Role.VIEWER, SeenBy.YOU, run, show, preview=preview)


async def test_the_gate_lets_nothing_that_spends_run_over_the_limit(world: Any) -> None:
    ran: list[str] = []
    services = replace(world.services(), house=HouseInMemory(bound=limit(5)).house())
    request = Request(
        id="r1", door=Door.COMMAND, actor=Actor(team_id="T1", user_id="U1"), place=Place(channel="C1"), words="buy", at=NOW
    )
    with pytest.raises(RefusedError, match="This could cost"):
        await execute((spending(6.0, ran),), services, request)
    assert not ran


async def test_the_gate_asks_before_it_spends_whatever_the_preview_says(world: Any) -> None:
    ran: list[str] = []
    asked: list[Any] = []

    class Asking(NoApprovals):
        async def ask(self, question: Any) -> None:
            asked.append(question)

    services = replace(world.services(), house=HouseInMemory(bound=limit(5)).house(), approvals=Asking())
    request = Request(
        id="r1", door=Door.COMMAND, actor=Actor(team_id="T1", user_id="U1"), place=Place(channel="C1"), words="buy", at=NOW
    )
    outcome = await execute((spending(None, ran),), services, request)
    assert outcome.asked is not None
    assert asked[0].second_person
    assert not ran


async def test_a_cloud_that_is_silent_leaves_the_limit_known_and_the_rest_unknown(world: Any) -> None:
    class Silent:
        async def fleet(self, _zones: Any = None) -> Any:
            raise RetryLater("Google does not answer.")

    silent = replace(context(world, HouseInMemory()).services, cloud=cast(Cloud, Silent()))
    known = await budget_gate.month(replace(context(world, HouseInMemory()), services=silent))
    assert (known.spent, known.burn, known.missing) == (None, None, "Google does not answer.")


async def test_without_redis_the_limit_is_unknown_which_is_not_the_same_as_none(world: Any) -> None:
    services = replace(world.services(), house=None)
    context = Context(services, Actor(team_id="T1", user_id="U1"), Role.VIEWER, Place(channel="C1"), world.now)
    view = show(await run(context, NoArguments()), context)
    assert plain(view.verdict).startswith("The limit is unknown · ")
    assert "Redis: not connected, set REDIS_URL" in [plain(one) for one in view.lines]


async def test_with_a_ledger_what_ended_is_spent_too_and_what_it_lacks_is_said(world: Any) -> None:
    counting = datetime(2026, 11, 20, tzinfo=UTC)
    until = datetime(2026, 11, 30, 14, 50, tzinfo=UTC)
    price = world.services().prices.price("v6e-4", "us-east5-a", ProvisioningModel.FLEX_START)
    kind = Kind(
        deployment="old",
        accelerator="v6e-4",
        provisioning=ProvisioningModel.FLEX_START,
        zone="us-east5-a",
        chips=price[1],
        price=price[0],
    )
    seen_s = int((until - counting).total_seconds()) - 7200
    ended = Month(since=counting, until=until, seen_s=seen_s, counted=(Counted(kind=kind, run_s=36_000),))

    class Kept:
        async def month(self, _team: str, _at: datetime) -> Month:
            return ended

    here = context(world, HouseInMemory(bound=limit(500)))
    here = replace(here, services=replace(here.services, ledger=cast(Ledger, Kept())))
    known = await budget_gate.month(here)
    assert known.spent is not None
    assert known.spent.value == pytest.approx(54.0)
    world.machines = (machine("young", 0.1), machine("old", 24 * 90))
    grown = await budget_gate.month(here)
    assert grown.spent is not None
    assert grown.spent.value == pytest.approx(54.0 + 5.40 * (0.1 + 1 / 6 + 19 * 24)), "before and after the count"
    told = "\n".join(plain(one) for one in show(await run(here, NoArguments()), here).lines)
    assert "since 20 Nov 00:00 UTC" in told
    assert "Not counted: what ended before that, and 2 h in which nobody looked." in told


async def test_counted_time_without_a_price_needs_a_second_person(world: Any) -> None:
    kind = Kind(deployment=None, accelerator="v6e-4", provisioning=None, zone="us-east5-a", chips=None, price=None)
    since = datetime(2026, 11, 1, tzinfo=UTC)
    blind = Month(since=since, until=NOW, seen_s=600, counted=(Counted(kind=kind, run_s=600),))

    class Kept:
        async def month(self, _team: str, _at: datetime) -> Month:
            return blind

    here = context(world, HouseInMemory(bound=limit(100)))
    here = replace(here, services=replace(here.services, ledger=cast(Ledger, Kept())))
    assert await budget_gate.consent(here, 1.0) is Consent.SECOND_PERSON
