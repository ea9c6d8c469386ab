"""Google's JSON as our nouns; names that go into paths."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cloud.resource import machine_from, operation_from, operation_path, path_of, request_from
from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.nouns import ProvisioningModel, RefusalKind, RequestState

QUEUED = "projects/p/locations/us-east5-a/queuedResources/q"
NODE = "projects/p/locations/us-east5-a/nodes/n"


@pytest.mark.parametrize(
    ("fields", "bought", "run_s"),
    [
        ({"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "3600s"}}, ProvisioningModel.FLEX_START, 3600),
        ({"provisioningModel": "SPOT"}, ProvisioningModel.SPOT, None),
        ({"provisioningModel": "STANDARD"}, None, None),
        ({"provisioningModel": "NEWER"}, None, None),
        ({"runDuration": {"terminationTime": "2026-12-01T00:00:00Z"}}, None, None),
        ({"runDuration": "3600s"}, None, None),
        ({}, None, None),
    ],
)
def test_how_others_bought_is_read_from_what_only_rest_says(
    fields: dict[str, object], bought: ProvisioningModel | None, run_s: int | None
) -> None:
    found = request_from({"name": QUEUED, **fields})
    assert (found.provisioning, found.run_s) == (bought, run_s)


def test_states_and_fields_that_google_adds_later_are_survived() -> None:
    found = request_from({"name": QUEUED, "state": {"state": "DREAMING"}, "newField": {"x": 1}})
    assert found.state is RequestState.UNKNOWN


def test_a_request_that_failed_says_its_kind() -> None:
    error = {"code": 8, "message": "There is no more capacity in the zone"}
    found = request_from({"name": QUEUED, "state": {"state": "FAILED", "failedData": {"error": error}}})
    assert found.refusal is not None
    assert found.refusal.kind is RefusalKind.STOCKOUT


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"name": "x"},
        {"name": QUEUED, "tpu": 3},
        {"name": QUEUED, "createTime": "soon"},
        {"name": QUEUED, "runDuration": {"maxRunDuration": "x"}},
    ],
)
def test_a_request_that_cannot_be_read_is_for_later(answer: dict[str, object]) -> None:
    with pytest.raises(RetryLater, match="could not be read"):
        request_from(answer)


@pytest.mark.parametrize("answer", [{}, {"name": QUEUED}, {"name": NODE, "schedulingConfig": {"terminationTimestamp": "soon"}}])
def test_a_machine_that_cannot_be_read_is_for_later(answer: dict[str, object]) -> None:
    with pytest.raises(RetryLater, match="could not be read"):
        machine_from(answer)


def test_an_operation_is_done_when_it_says_so_and_refused_when_it_carries_an_error() -> None:
    assert not operation_from({"name": "o"}).done
    ended = operation_from({"name": "o", "done": True, "error": {"code": 3, "message": 'requested zone "z" is not supported'}})
    assert ended.refusal is not None
    assert ended.refusal.kind is RefusalKind.UNSUPPORTED_ZONE
    odd = operation_from({"name": "o", "done": True, "error": {"code": "x"}}).refusal
    assert odd is not None
    assert odd.kind is RefusalKind.OTHER
    with pytest.raises(RetryLater):
        operation_from({"done": True})


def test_names_of_others_may_hold_what_ours_do_not() -> None:
    assert path_of("p", "us-east5-a", "nodes", "My_Node.2~x").endswith("/nodes/My_Node.2~x")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "o",
        "projects/p/locations/z/operations/../nodes/n",
        "projects/p/locations/z/nodes/n",
        "/x",
        "projects/p/locations/z/operations/..",
    ],
)
def test_only_names_of_operations_are_asked_for_as_such(name: str) -> None:
    with pytest.raises(WeMoveNext):
        operation_path(name)


@pytest.mark.parametrize("zone", ["", "a/b", "A", "us-east5-a\n", "-", ".."])
def test_a_zone_that_cannot_be_one_is_for_the_person_who_wrote_it(zone: str) -> None:
    with pytest.raises(PersonMovesNext, match="zone"):
        path_of("p", zone, "nodes", "n")


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_words_make_one_plain_segment_of_a_path_or_no_path(zone: str, name: str) -> None:
    try:
        path = path_of("p", zone, "nodes", name)
    except PersonMovesNext:
        return
    assert path.split("/") == ["", "v2alpha1", "projects", "p", "locations", zone, "nodes", name]
    assert str(httpx.URL("https://tpu.example" + path)) == "https://tpu.example" + path
