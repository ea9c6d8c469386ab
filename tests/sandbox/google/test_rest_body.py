"""What REST refuses in a body."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from google.rpc import code_pb2

from sandbox.google import rest_body
from sandbox.google.queued import Terms
from sandbox.google.refusals import Refusal

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NODE: dict[str, Any] = {"acceleratorType": "v6e-4", "runtimeVersion": "v2-alpha-tpuv6e"}
BODY: dict[str, Any] = {"tpu": {"nodeSpec": [{"parent": "projects/p/locations/z", "nodeId": "n", "node": NODE}]}}
RUN = {"maxRunDuration": "14400s"}


def read(**fields: Any) -> Terms:
    """The terms of a body with these fields."""
    return rest_body.read(json.dumps(BODY | fields).encode(), NOW)[1]


def test_a_flex_start_body_is_understood_whole() -> None:
    body = BODY | {"provisioningModel": "FLEX_START", "runDuration": RUN, "queueingPolicy": {"validUntilDuration": "7200s"}}
    queued, terms = rest_body.read(json.dumps(body).encode(), NOW)
    assert terms == Terms("FLEX_START", run_s=14400)
    assert queued.queueing_policy.valid_until_duration.seconds == 7200
    assert queued.tpu.node_spec[0].node.accelerator_type == "v6e-4"


def test_a_termination_time_is_understood() -> None:
    terms = read(provisioningModel="FLEX_START", runDuration={"terminationTime": "2026-12-01T07:00:00Z"})
    assert terms.run_until == datetime(2026, 12, 1, 7, tzinfo=UTC)


def test_without_a_model_it_is_standard_or_bound_to_a_reservation() -> None:
    assert read() == Terms("STANDARD")
    assert read(guaranteed={"reserved": True}) == Terms("RESERVATION_BOUND")


@pytest.mark.parametrize(
    "fields",
    [
        {"provisioningMode": "FLEX_START"},
        {"tpu": {"nodeSpec": [{"node": {"acceleratorTyp": "v6e-4"}}]}},
        {"provisioningModel": "flex-start"},
        {"provisioningModel": 4},
        {"provisioningModel": "FLEX_START"},
        {"provisioningModel": "FLEX_START", "runDuration": {}},
        {"provisioningModel": "FLEX_START", "runDuration": RUN | {"terminationTime": "2026-12-01T07:00:00Z"}},
        {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "4h"}},
        {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": 14400}},
        {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "0s"}},
        {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "604801s"}},
        {"provisioningModel": "FLEX_START", "runDuration": {"terminationTime": "tomorrow"}},
        {"provisioningModel": "FLEX_START", "runDuration": {"terminationTime": "2026-11-30T11:00:00Z"}},
        {"provisioningModel": "SPOT", "runDuration": RUN},
        {"queueingPolicy": {"validUntilDuration": "soon"}},
    ],
)
def test_an_unknown_key_or_a_wrong_value_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as caught:
        read(**fields)
    assert caught.value.code == code_pb2.INVALID_ARGUMENT


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff"])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(Refusal):
        rest_body.read(body, NOW)
