"""What one look at the fleet adds: machine time, whether requests ran, tokens; never more than was there to see."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.nouns import Delta, Deployment, Fleet, Machine, MachineState, ProvisioningModel, Zone
from bot.nouns.window import Growth, Span
from bot.operations.cost_look import had_requests, looked
from bot.operations.money import BookPrices
from bot.pricing.snapshot import snapshot

UNTIL = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
SINCE = UNTIL - timedelta(minutes=10)
PROD = Deployment(name="prod", machine="prod-1", zone="us-east5-a")


def machine(name: str = "prod-1", **more: Any) -> Machine:
    fields = {
        "backend": "tpu",
        "name": name,
        "zone": Zone(name="us-east5-a"),
        "state": MachineState.READY,
        "accelerator": "v6e-4",
    }
    fields |= {"provisioning": ProvisioningModel.FLEX_START, "created_at": SINCE - timedelta(hours=1)}
    return Machine.model_validate(fields | more)


def window(minute: int, *, tokens: float | None = None, running: float | None = None) -> Delta:
    """One minute of the span."""
    since = SINCE + timedelta(minutes=minute)
    until = since + timedelta(minutes=1)
    span = None if running is None else Span(low=0, high=running, last=0, at=until, area=running * 30, seconds=60)
    return Delta(
        since=since,
        until=until,
        seconds=60,
        counters={} if tokens is None else {"generation_tokens": Growth(amount=tokens, seconds=60)},
        gauges={} if span is None else {"running": span},
    )


def look(*machines: Machine, windows: Any = None, unreachable: Any = None, deployments: Any = (PROD,)) -> Any:
    fleet = Fleet(at=UNTIL, machines=machines, requests=(), unreachable=unreachable or {})
    price = BookPrices(snapshot().as_book()).price
    return looked(fleet, SINCE, UNTIL, deployments, windows or {}, price)


def test_a_machine_that_is_there_ran_the_whole_span_at_the_dated_price_of_that_time() -> None:
    (one,), unseen = look(machine())
    assert (one.run_s, one.busy_s, one.idle_s, unseen) == (600, 0, 0, {})
    assert (one.kind.deployment, one.kind.accelerator, one.kind.chips) == ("prod", "v6e-4", 4)
    assert one.kind.price is not None
    assert one.kind.price.usd_per_chip_hour == 1.35
    assert "snapshot of" in one.kind.price.source


def test_a_machine_counts_from_its_making_on_and_not_before() -> None:
    (one,), _ = look(machine(created_at=UNTIL - timedelta(minutes=4)))
    assert one.run_s == 240
    assert look(machine(created_at=UNTIL + timedelta(seconds=5))) == ((), {})


@pytest.mark.parametrize("state", [MachineState.CREATING, MachineState.STOPPED, MachineState.LOST])
def test_what_does_not_bill_is_not_counted(state: MachineState) -> None:
    assert look(machine(state=state)) == ((), {})


def test_what_is_going_bills_until_it_is_gone() -> None:
    (one,), _ = look(machine(state=MachineState.ENDING))
    assert one.run_s == 600


def test_silent_zones_and_machines_in_no_known_state_are_unknown_and_in_no_sum() -> None:
    counted, unseen = look(machine(state=MachineState.UNKNOWN), unreachable={"europe-west4-a": "no answer"})
    assert counted == ()
    assert unseen == {"us-east5-a": 600, "europe-west4-a": 600}


def test_minutes_with_requests_are_busy_those_without_idle_and_unseen_ones_neither() -> None:
    windows = {"prod": (window(0, tokens=120), window(1, tokens=0, running=0), window(2, tokens=0, running=2), window(3))}
    (one,), _ = look(machine(), windows=windows)
    assert (one.run_s, one.busy_s, one.idle_s) == (600, 120, 60)
    assert (one.output_tokens, one.tokens_s) == (120, 180)


def test_of_a_window_on_the_edge_only_the_part_inside_counts() -> None:
    edge = window(0, tokens=100).model_copy(update={"since": SINCE - timedelta(minutes=1)})
    (one,), _ = look(machine(), windows={"prod": (edge,)})
    assert (one.busy_s, one.output_tokens) == (30, 50)


def test_an_engine_that_tells_nothing_of_its_requests_is_neither_busy_nor_idle() -> None:
    assert had_requests(window(0)) is None
    assert had_requests(window(0, tokens=0)) is False
    assert had_requests(window(0, tokens=0, running=1)) is True


def test_of_two_machines_of_one_deployment_what_was_seen_belongs_to_the_one_it_names() -> None:
    other = machine("prod-2", labels={"deployment": "prod"}, accelerator="v6e-8")
    counted, _ = look(machine(), other, windows={"prod": (window(0, tokens=9),)})
    assert {one.kind.accelerator: one.busy_s for one in counted} == {"v6e-4": 60, "v6e-8": 0}


def test_equal_machines_are_counted_together_and_those_of_nobody_apart() -> None:
    counted, _ = look(machine("a"), machine("b"), machine(labels={"deployment": "unassigned"}), deployments=())
    assert [(one.kind.deployment, one.run_s) for one in counted] == [(None, 1800)]


def test_without_a_known_way_of_buying_there_is_time_and_no_price() -> None:
    (one,), _ = look(machine(provisioning=None))
    assert (one.run_s, one.kind.price) == (600, None)
