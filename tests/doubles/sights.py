"""Machines, scrapes and windows as they were seen somewhere, with only what a test cares about."""

from datetime import datetime, timedelta

from bot.nouns import (
    CapacityRequest,
    Delta,
    Deployment,
    EngineSample,
    Fleet,
    Histogram,
    Machine,
    MachineState,
    ProvisioningModel,
    RequestState,
    Zone,
)
from tests.doubles.ports import NOW

PROD = Deployment(name="prod", base_url="http://127.0.0.1:8000", accelerator="v6e-4", zone="us-east5-a", machine="prod-1")
OURS = {"managed-by": "gemma-chatops", "deployment": "prod"}


def machine(name: str = "prod-1", state: MachineState = MachineState.READY, **more: object) -> Machine:
    """A v6e-4 of ours in us-east5-a, three hours old."""
    seen = {
        "backend": "tpu",
        "name": name,
        "zone": Zone(name="us-east5-a"),
        "state": state,
        "accelerator": "v6e-4",
        "health": "HEALTHY",
        "created_at": NOW - timedelta(hours=3),
        "provisioning": ProvisioningModel.FLEX_START,
        "labels": OURS,
    }
    return Machine.model_validate({**seen, **more})


def asked_for(state: RequestState, name: str = "prod-1-request", **more: object) -> CapacityRequest:
    """A request for that machine."""
    seen = {
        "backend": "tpu",
        "name": name,
        "zone": Zone(name="us-east5-a"),
        "state": state,
        "machine": "prod-1",
        "accelerator": "v6e-4",
        "created_at": NOW - timedelta(minutes=42),
        "labels": OURS,
    }
    return CapacityRequest.model_validate({**seen, **more})


def fleet(*machines: Machine, requests: tuple[CapacityRequest, ...] = (), silent: dict[str, str] | None = None) -> Fleet:
    """What the cloud lists; `silent` names the zones that did not answer."""
    return Fleet(at=NOW, machines=machines, requests=requests, unreachable=silent or {}, zones_asked=6)


def first_tokens(seconds: float, n: float = 100) -> Histogram:
    """`n` first tokens whose median, interpolated in its bucket, is this many seconds."""
    return Histogram(buckets=((seconds, n / 2), (2 * seconds, n), (float("inf"), n)), sum=n * seconds, count=n)


def scrape(at: datetime = NOW, *, first: Histogram | None = None, **gauges: float) -> EngineSample:
    """A scrape of the 31B with these gauges."""
    histograms = {"ttft": first} if first is not None else {}
    return EngineSample(at=at, model_name="google/gemma-4-31B-it", gauges=gauges, histograms=histograms)


def minute(ago: float, first_s: float | None) -> Delta:
    """The minute that ended `ago` minutes before NOW, with this median first token; None: nobody asked."""
    until = NOW - timedelta(minutes=ago)
    histograms = {"ttft": first_tokens(first_s)} if first_s is not None else {}
    return Delta(since=until - timedelta(minutes=1), until=until, seconds=60, histograms=histograms)
