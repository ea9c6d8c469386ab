"""What is sent for an order, and what is never sent."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.cloud.order_body import body_of, create_id
from bot.errors import PersonMovesNext, WeMoveNext
from bot.nouns import Exposure, ProvisioningModel, Zone
from bot.ports import Authorised
from bot.serving import slices
from tests.bot.cloud.wired import an_order

LEAVE = Authorised("ask-1")
SPOT = {"provisioning": ProvisioningModel.SPOT, "run_s": None}


def node_of(**changes: object) -> dict[str, object]:
    spec: dict[str, object] = body_of("p", an_order(**changes), LEAVE)["tpu"]["nodeSpec"][0]["node"]
    return spec


@pytest.mark.parametrize(
    ("changes", "model"),
    [({}, "FLEX_START"), (SPOT, "SPOT"), ({"provisioning": ProvisioningModel.ON_DEMAND, "run_s": None}, None)],
)
def test_how_it_is_bought_is_said_by_the_model_alone_and_on_demand_by_nothing(
    changes: dict[str, object], model: str | None
) -> None:
    body = body_of("p", an_order(**changes), LEAVE)
    assert body.get("provisioningModel") == model
    assert ("runDuration" in body) == (model == "FLEX_START")
    assert not {"spot", "guaranteed"} & set(body)


def test_a_request_may_wait_for_ever_when_nobody_says_how_long() -> None:
    assert "queueingPolicy" not in body_of("p", an_order(wait_s=None), LEAVE)


def test_addresses_outside_are_given_only_when_ordered() -> None:
    assert node_of()["networkConfig"] == {"network": "default", "enableExternalIps": False}
    open_to_all = node_of(exposure=Exposure.EXTERNAL, subnetwork="inner")["networkConfig"]
    assert open_to_all == {"network": "default", "subnetwork": "inner", "enableExternalIps": True}


def test_service_account_and_tags_go_along_when_ordered() -> None:
    node = node_of(service_account="sa@p.iam.example", tags=("vllm",))
    assert node["serviceAccount"] == {
        "email": "sa@p.iam.example",
        "scope": ["https://www.googleapis.com/auth/cloud-platform"],
    }
    assert node["tags"] == ["vllm"]
    assert not {"serviceAccount", "tags"} & set(node_of())


def test_v5p_is_ordered_in_cores_with_its_own_runtime() -> None:
    node = node_of(piece=slices.parse("v5p-8"))
    assert (node["acceleratorType"], node["runtimeVersion"]) == ("v5p-8", "v2-alpha-tpuv5")


def test_what_the_api_does_not_sell_is_for_a_person() -> None:
    with pytest.raises(PersonMovesNext, match="tpu7x-4"):
        node_of(piece=slices.parse("tpu7x-4"))
    with pytest.raises(PersonMovesNext, match="7 days"):
        node_of(run_s=8 * 24 * 3600)
    with pytest.raises(PersonMovesNext, match="Reserved"):
        node_of(provisioning=ProvisioningModel.RESERVED, run_s=None)


def test_flex_start_needs_an_end_and_nothing_else_takes_one() -> None:
    for changes in ({"run_s": None}, {"provisioning": ProvisioningModel.SPOT}):
        with pytest.raises(WeMoveNext, match="flex-start"):
            node_of(**changes)


@pytest.mark.parametrize(
    "script",
    [
        "export HF_TOKEN=hf_" + "a1B2" * 8,
        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
        "x" * 300_000,
    ],
)
def test_a_script_with_a_secret_or_too_long_is_not_sent(script: str) -> None:
    with pytest.raises(WeMoveNext, match="metadata startup-script"):
        node_of(startup_script=script)


def test_a_script_that_fetches_its_secret_is_sent() -> None:
    script = 'token="$(curl -s metadata)"; docker run -e HF_TOKEN_PATH=/run/t image --api-key "$KEY"'
    values = node_of(startup_script=script, ssh_keys=())["metadata"]
    assert values == {"enable-guest-attributes": "TRUE", "startup-script": script}


def test_two_lines_are_no_key() -> None:
    with pytest.raises(WeMoveNext, match="SSH key"):
        node_of(ssh_keys=("bot:ssh-ed25519 " + "A" * 68 + "\nroot:ssh-rsa " + "A" * 68,))


@pytest.mark.parametrize(
    "changes", [{"name": "Prod"}, {"machine": "a" * 64}, {"deployment": "a b"}, {"name": "x\n"}, {"attempt": 0}]
)
def test_an_order_with_names_that_google_refuses_cannot_be_made(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        an_order(**changes)


work = st.from_regex(r"[a-z]{1,8}-[0-9]{1,4}", fullmatch=True)
zones = st.sampled_from(["us-east5-a", "us-east5-b"])


@given(work, work, zones, zones, st.integers(1, 3), st.integers(1, 3))
def test_one_request_id_belongs_to_one_work_zone_and_attempt(
    first: str, second: str, here: str, there: str, attempt: int, again: int
) -> None:
    one = create_id(an_order(zone=Zone(name=here), attempt=attempt), Authorised(first))
    other = create_id(an_order(zone=Zone(name=there), attempt=again), Authorised(second))
    assert (one == other) == ((first, here, attempt) == (second, there, again))
    assert uuid.UUID(one).version == 5


def test_request_ids_do_not_change_with_a_new_version_of_ours() -> None:
    assert create_id(an_order(), LEAVE) == "cbf22fb7-40d9-5f15-a6a6-7ebcef826433"
