"""What a month cost, what of it was idle, where it heads, and what other slices would cost."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import UsageError
from bot.nouns import Actor, ProvisioningModel, ServedModel
from bot.operations import OPERATIONS, cost_month
from bot.operations.execute import Outcome, execute
from bot.operations.money import BookPrices
from bot.ports import Counted, Kind, Month
from bot.pricing.snapshot import snapshot
from bot.requests import Door, Place, Request
from bot.view import LINES_LIMIT, VERDICT_LIMIT, View, plain

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
FIRST = datetime(2026, 11, 1, tzinfo=UTC)
FLEX = ProvisioningModel.FLEX_START


def kind(deployment: str | None = "prod", bought: ProvisioningModel | None = FLEX) -> Kind:
    found = BookPrices(snapshot().as_book()).price("v6e-4", "us-east5-a", bought) if bought else None
    price, chips = found or (None, None)
    return Kind(deployment=deployment, accelerator="v6e-4", provisioning=bought, zone="us-east5-a", chips=chips, price=price)


def month(*counted: Counted, since: datetime = FIRST, **more: Any) -> Month:
    until = datetime(2026, 11, 30, 14, 50, tzinfo=UTC)
    whole = {"since": since, "until": until, "seen_s": int((until - since).total_seconds()), "counted": counted}
    return Month.model_validate(whole | more)


PROD = Counted(kind=kind(), run_s=257 * 3600, busy_s=150 * 3600, idle_s=96 * 3600)


async def ask(world: Any, words: str, counted: Month | None, *, ledger: bool = True) -> Outcome:
    class Ledger:
        async def month(self, _team: str, _at: datetime) -> Month | None:
            return counted

    world.deployments[0] = world.deployments[0].model_copy(update={"model_id": "google/gemma-4-31B-it"})
    services: Any = replace(world.services(), ledger=Ledger() if ledger else None)
    request = Request(
        id="r1", door=Door.COMMAND, actor=Actor(team_id="T1", user_id="U1"), place=Place(channel="C1"), words=words, at=NOW
    )
    return await execute(OPERATIONS, services, request)


def said(view: View) -> str:
    return "\n".join(plain(one) for one in (view.verdict, *view.lines))


async def test_the_month_is_hours_times_the_dated_rate_with_what_was_idle(world: Any) -> None:
    outcome = await ask(world, "cost", month(PROD))
    told = said(outcome.view)
    assert plain(outcome.view.verdict) == "November so far $1,387.80 for 257 h of machines"
    assert "prod $1,387.80 = 257 h of v6e-4 flex-start at $5.40/h" in told
    assert "Ran 96.0 h without a request: $518.40, 39 % of the time seen; of 11.0 h it is unknown" in told
    assert "list prices of 20 August 2026" in told
    assert "your invoice may differ" in told
    assert "Not counted" not in told


def test_the_forecast_adds_the_rest_of_the_month_at_the_rate_that_was_seen() -> None:
    half = month(PROD, seen_s=9 * 86400)
    found = cost_month.so_far(half, NOW)
    assert found.heading_for is not None
    assert found.heading_for.value == pytest.approx(1387.80 * (1 + 9 / (9 * 24)))
    assert found.heading_for.source.startswith("forecast:")


def test_there_is_no_forecast_from_a_few_hours() -> None:
    assert cost_month.so_far(month(PROD, seen_s=5 * 3600), NOW).heading_for is None


async def test_what_was_not_looked_at_is_said_and_in_no_sum(world: Any) -> None:
    late = month(PROD, since=datetime(2026, 11, 20, tzinfo=UTC), seen_s=9 * 86400, unseen={"us-east5-b": 1200})
    told = said((await ask(world, "cost", late)).view)
    assert "counted since 20 Nov 00:00 UTC" in told
    assert "38.8 h in which nobody looked" in told
    assert "zones that did not answer (us-east5-b for 20 min)" in told


async def test_time_without_a_price_is_unknown_on_top_and_not_nothing(world: Any) -> None:
    unpriced = Counted(kind=kind(None, None), run_s=7200)
    outcome = await ask(world, "cost", month(PROD, unpriced))
    assert "at least $1,387.80" in plain(outcome.view.verdict)
    assert "Of no deployment price unknown = 2.0 h of v6e-4" in said(outcome.view)
    only = await ask(world, "cost", month(unpriced))
    assert plain(only.view.verdict).startswith("November so far: 2.0 h of unknown price")


def test_idle_is_unknown_when_nobody_saw_requests_and_unpriced_when_its_time_is() -> None:
    (blind,) = cost_month.so_far(month(Counted(kind=kind(), run_s=3600)), NOW).deployments
    assert (blind.idle_hours, blind.idle_share, blind.idle_usd, blind.unknown_hours) == (None, None, None, 1.0)
    (part,) = cost_month.so_far(month(PROD, Counted(kind=kind(bought=None), run_s=3600, idle_s=3600)), NOW).deployments
    assert part.idle_usd is None


def test_a_million_tokens_cost_the_hours_in_which_tokens_were_seen() -> None:
    tokens = Counted(kind=kind(), run_s=7200, busy_s=1800, idle_s=1800, output_tokens=2_000_000, tokens_s=3600)
    (one,) = cost_month.so_far(month(tokens), NOW).deployments
    assert one.per_million_tokens is not None
    assert one.per_million_tokens.value == pytest.approx(5.40 / 2)
    (none,) = cost_month.so_far(month(PROD), NOW).deployments
    assert none.per_million_tokens is None


async def test_one_deployment_is_counted_alone_also_one_that_is_gone(world: Any) -> None:
    gone = Counted(kind=kind("old"), run_s=3600)
    outcome = await ask(world, "cost old", month(PROD, gone))
    assert plain(outcome.view.verdict).startswith("old, November so far $5.40 ")
    with pytest.raises(UsageError):
        await ask(world, "cost nobody", month(PROD))


async def test_before_the_first_look_the_cost_is_unknown_and_not_nothing(world: Any) -> None:
    told = said((await ask(world, "cost", None)).view)
    assert "so far: unknown" in told
    assert "$0.00" not in told
    missing = said((await ask(world, "cost", None, ledger=False)).view)
    assert "Redis: not connected, set REDIS_URL" in missing


async def test_other_slices_are_judged_by_their_fit_before_their_price(world: Any) -> None:
    outcome = await ask(world, "cost if 4×v6e-1", month(PROD))
    told = said(outcome.view)
    assert plain(outcome.view.verdict) == "4 × v6e-1: 31B does not fit · the same $5.40/h as now"
    assert "the weights need 58.2 GiB on each chip" in told
    assert "A v6e-1 at 8K holds E2B, E4B and 12B." in told
    assert "Speed there: unknown, never measured here." in told
    assert "list price of 20 August 2026" in told


async def test_a_fit_is_judged_at_the_context_that_its_server_has_and_a_shorter_one_is_told(world: Any) -> None:
    world.engine["models"] = (ServedModel(id="google/gemma-4-31B-it", context=65_536),)
    told = said((await ask(world, "cost if 4×v6e-1", month(PROD))).view)
    assert "At 64K tokens of context" in told
    assert "A v6e-1 at 64K holds E2B and E4B; 12B only with short contexts." in told


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("cost v6e-8", "v6e-8: 31B fits · $10.80/h, now $5.40/h"),
        ("cost prod if v6e-1 12B", "v6e-1: 12B fits · $1.35/h, now $5.40/h"),
        ("cost if 2xv6e-8 zone=nowhere-x1-a", "2 × v6e-8: 31B fits · price unknown, now $5.40/h"),
    ],
)
async def test_other_slices_stand_beside_what_is_paid_now(world: Any, words: str, verdict: str) -> None:
    assert plain((await ask(world, words, month(PROD))).view.verdict) == verdict


async def test_without_a_count_what_is_paid_now_is_unknown(world: Any) -> None:
    assert plain((await ask(world, "cost if v6e-8", None)).view.verdict) == "v6e-8: 31B fits · $10.80/h"


@pytest.mark.parametrize("words", ["cost if 0×v6e-1", "cost if v6e-3", "cost if v5p-3", "cost if", "cost spot", "cost if many"])
async def test_what_makes_no_question_is_told(world: Any, words: str) -> None:
    with pytest.raises(UsageError):
        await ask(world, words, month(PROD))


@pytest.mark.parametrize("words", ["cost", "cost prod", "cost if 4×v6e-1", "cost if v6e-8 spot"])
async def test_every_answer_keeps_to_a_phone(world: Any, words: str) -> None:
    many = [Counted(kind=kind(f"a-deployment-with-a-long-name-{n:010}"), run_s=3600 * n, idle_s=60) for n in range(1, 9)]
    view = (await ask(world, words, month(PROD, *many, since=datetime(2026, 11, 3, tzinfo=UTC), unseen={"z-a1-b": 60}))).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert len(view.lines) + 1 <= LINES_LIMIT
