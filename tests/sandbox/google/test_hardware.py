"""Slices, their quotas, and what the words count."""

import pytest

from sandbox.google.hardware import named, slice_of
from sandbox.google.refusals import Refusal


@pytest.mark.parametrize(
    ("name", "model", "place", "quota_id"),
    [
        ("v6e-4", "STANDARD", "Zone", "TPUV6EPerProjectPerZoneForTPUAPI"),
        ("v6e-4", "FLEX_START", "Zone", "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"),
        ("v5litepod-8", "SPOT", "Region", "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI"),
        ("v5p-8", "RESERVATION_BOUND", "Zone", "TPUV5PPerProjectPerZoneForTPUAPI"),
    ],
)
def test_flex_start_and_spot_spend_the_preemptible_quota(name: str, model: str, place: str, quota_id: str) -> None:
    assert slice_of(name).quota_id(model, place) == quota_id


def test_units_are_the_number_in_the_name_which_for_v5p_counts_cores() -> None:
    assert (slice_of("v5p-8").units, named("V5P", "2x2x1")) == (8, "v5p-8")
    assert (slice_of("v6e-4").units, named("V6E", "2x2")) == (4, "v6e-4")


@pytest.mark.parametrize("name", ["v6e", "v6e-0", "v6e-04", "v4-8", "", "v6e-4 "])
def test_a_slice_that_does_not_exist_is_refused_as_the_catalogue_does(name: str) -> None:
    with pytest.raises(Refusal, match="could not be found in the zonal accelerator configurations"):
        slice_of(name)


@pytest.mark.parametrize(("generation", "topology"), [("V2", "2x2"), ("V6E", ""), ("V6E", "0x4"), ("V6E", "2by2")])
def test_a_wrong_topology_is_refused(generation: str, topology: str) -> None:
    with pytest.raises(Refusal, match="accelerator_config is not valid"):
        named(generation, topology)
