"""Hardware by zone: there, not there, or not known."""

import pytest

from bot.cloud.accelerators import AcceleratorTypes
from bot.errors import PersonMovesNext, RetryLater
from bot.serving import slices
from sandbox.google.faults import Fault, FaultKind
from sandbox.google.project import Reach
from tests.bot.cloud.wired import Google

pytestmark = pytest.mark.wire
V6E = slices.parse("v6e-4")


async def offered(google: Google, *zones: str, slice_name: str = "v6e-4", deadline_s: float = 5.0) -> dict[str, bool | None]:
    async with google.rest() as rest:
        return await AcceleratorTypes(rest, deadline_s=deadline_s).offered(slices.parse(slice_name), zones)


async def test_each_zone_says_whether_it_has_exactly_this_slice(wired: Google) -> None:
    assert await offered(wired, "us-east5-a", "us-west4-a", "us-foo1-a") == {
        "us-east5-a": True,
        "us-west4-a": False,
        "us-foo1-a": False,
    }
    assert await offered(wired, "us-west4-a", slice_name="v5litepod-4") == {"us-west4-a": True}
    assert await offered(wired, "us-east5-a", slice_name="v6e-16") == {"us-east5-a": False}


async def test_a_zone_that_hangs_or_is_down_is_unknown_beside_the_others(wired: Google) -> None:
    wired.project.set_reach("us-east5-b", Reach.HANGS)
    wired.project.set_reach("us-central1-b", Reach.UNAVAILABLE)
    found = await offered(wired, "us-east5-a", "us-east5-b", "us-central1-b", deadline_s=0.5)
    assert found == {"us-east5-a": True, "us-east5-b": None, "us-central1-b": None}


async def test_when_no_zone_could_be_asked_the_reason_is_raised(wired: Google) -> None:
    wired.project.set_reach("us-east5-b", Reach.HANGS)
    with pytest.raises(RetryLater):
        await offered(wired, "us-east5-b", deadline_s=0.2)
    wired.standin.faults.plan(Fault(FaultKind.PERMISSION_DENIED))
    with pytest.raises(PersonMovesNext, match="permission"):
        await offered(wired, "us-east5-a", "us-east5-a")


async def test_no_zones_are_no_calls(wired: Google) -> None:
    assert await offered(wired) == {}
    assert wired.standin.faults.calls == []
