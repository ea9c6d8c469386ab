"""Quotas, prices, secrets and nodes of the stand-in over REST, as Google's JSON has them."""

import base64
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest

from sandbox.clock import HeldClock
from sandbox.google.faults import Fault, FaultKind
from sandbox.google.secret_front import checksum
from sandbox.google.seed import HOME, PROJECT, default_project
from sandbox.google.standin import GoogleStandIn

pytestmark = pytest.mark.wire
QUOTAS = f"/v1/projects/{PROJECT}/locations/global/services/tpu.googleapis.com/quotaInfos"
PREEMPTIBLE = "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"
SKUS = "/v1/services/6F81-5844-456A/skus"
SECRETS = f"/v1/projects/{PROJECT}/secrets"
NODES = f"/v2alpha1/projects/{PROJECT}/locations/{HOME}/nodes"
VALUE = b"planted-value"


class Wires:
    """A running stand-in and the way to it."""

    def __init__(self, standin: GoogleStandIn, clock: HeldClock, http: aiohttp.ClientSession) -> None:
        self.standin, self.clock, self.http = standin, clock, http

    async def call(self, verb: str, path: str, body: Any = None) -> tuple[int, Any]:
        async with self.http.request(verb, path, json=body) as answer:
            return answer.status, await answer.json()

    async def secret(self, name: str = "token", value: bytes = VALUE) -> tuple[int, Any]:
        """Make a secret and add a version to it."""
        await self.call("POST", f"{SECRETS}?secretId={name}", {"replication": {"automatic": {}}})
        return await self.call("POST", f"{SECRETS}/{name}:addVersion", {"payload": {"data": base64.b64encode(value).decode()}})


@pytest.fixture
async def wires() -> AsyncIterator[Wires]:
    clock = HeldClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    standin = GoogleStandIn(default_project(clock), clock)
    addresses = await standin.start()
    async with aiohttp.ClientSession(addresses.rest) as http:
        yield Wires(standin, clock, http)
    await standin.stop()


async def test_a_quota_info_holds_own_limits_by_place_and_a_default_for_the_others(wires: Wires) -> None:
    wires.standin.project.set_quota("TPUV5PPerProjectPerZoneForTPUAPI", HOME, 16)
    status, info = await wires.call("GET", f"{QUOTAS}/TPUV5PPerProjectPerZoneForTPUAPI")
    own, default = info["dimensionsInfos"]
    assert (status, info["quotaId"], info["dimensions"]) == (200, "TPUV5PPerProjectPerZoneForTPUAPI", ["zone"])
    assert (own["dimensions"], own["details"], own["applicableLocations"]) == ({"zone": HOME}, {"value": "16"}, [HOME])
    assert "dimensions" not in default
    assert default["details"] == {"value": "-1"}
    assert HOME not in default["applicableLocations"]


async def test_a_nought_is_left_out_as_protobuf_does(wires: Wires) -> None:
    info = (await wires.call("GET", f"{QUOTAS}/{PREEMPTIBLE}"))[1]
    entries = {entry["dimensions"]["zone"]: entry["details"] for entry in info["dimensionsInfos"]}
    assert entries["asia-northeast1-b"] == {}


async def test_quota_infos_are_listed_in_pages_and_unknown_ones_are_not_found(wires: Wires) -> None:
    names, token = [], ""
    while True:
        page = (await wires.call("GET", f"{QUOTAS}?pageSize=5&pageToken={token}"))[1]
        names += [info["quotaId"] for info in page["quotaInfos"]]
        token = page.get("nextPageToken", "")
        if not token:
            break
    assert len(names) == len(set(names)) == 12
    assert (await wires.call("GET", f"{QUOTAS}/TPUV6EPerProject"))[0] == 404
    assert (await wires.call("GET", QUOTAS.replace("tpu.googleapis", "compute.googleapis")))[0] == 404
    assert (await wires.call("GET", QUOTAS.replace(PROJECT, "other")))[0] == 403


async def test_the_price_list_comes_in_pages_with_tpus_on_several_of_them(wires: Wires) -> None:
    with_tpus, seen, token = 0, set(), ""
    while True:
        page = (await wires.call("GET", f"{SKUS}?pageSize=50&pageToken={token}"))[1]
        with_tpus += any(sku["category"]["resourceGroup"] == "TPU" for sku in page["skus"])
        seen |= {sku["skuId"] for sku in page["skus"]}
        token = page["nextPageToken"]
        if not token:
            break
    assert with_tpus > 1
    assert len(seen) == 324
    assert {"04C3-5B71-D137", "0115-21ED-7F03"} <= seen
    assert (await wires.call("GET", "/v1/services/E000-3F24-B8AA/skus"))[1]["skus"] == []
    assert (await wires.call("GET", "/v1/services/0000-0000-0000/skus"))[0] == 404
    assert (await wires.call("GET", f"{SKUS}?pageSize=5001"))[0] == 400
    assert (await wires.call("GET", f"{SKUS}?pageToken=made-up"))[0] == 400
    assert (await wires.call("GET", f"{SKUS}?filter=TPU"))[0] == 400


async def test_prices_are_written_in_units_and_nanos(wires: Wires) -> None:
    skus = {sku["skuId"]: sku for sku in (await wires.call("GET", SKUS))[1]["skus"]}

    def price(sku_id: str) -> dict[str, Any]:
        money: dict[str, Any] = skus[sku_id]["pricingInfo"][-1]["pricingExpression"]["tieredRates"][-1]["unitPrice"]
        return money

    assert price("082F-763E-B398") == {"currencyCode": "USD", "units": "6", "nanos": 430_995_000}
    assert price("0F71-4391-B6CA") == {"currencyCode": "USD", "units": "12"}
    assert price("SBX-0009") == {"currencyCode": "USD", "units": "0", "nanos": 600_000_000}


async def test_secrets_keep_their_versions(wires: Wires) -> None:
    status, made = await wires.secret()
    assert (status, made["name"]) == (200, "projects/123456789012/secrets/token/versions/1")
    await wires.secret(value=b"second")
    first = (await wires.call("GET", f"{SECRETS}/token/versions/1:access"))[1]["payload"]
    latest = (await wires.call("GET", f"{SECRETS}/token/versions/latest:access"))[1]
    assert base64.b64decode(first["data"]) == VALUE
    assert first["dataCrc32c"] == str(checksum(VALUE))
    assert latest["name"].endswith("/versions/2")
    assert (await wires.call("GET", f"{SECRETS}/token/versions/3:access"))[0] == 404
    assert (await wires.call("GET", f"{SECRETS}/nobody"))[0] == 404
    assert (await wires.call("POST", f"{SECRETS}?secretId=token", {"replication": {"automatic": {}}}))[0] == 409


@pytest.mark.parametrize(
    ("secret_id", "body"),
    [("a.b", {"replication": {"automatic": {}}}), ("", {"replication": {"automatic": {}}}), ("ok", {}), ("ok", {"payload": {}})],
)
async def test_a_secret_with_a_bad_id_or_body_is_refused(wires: Wires, secret_id: str, body: dict[str, Any]) -> None:
    assert (await wires.call("POST", f"{SECRETS}?secretId={secret_id}", body))[0] == 400


@pytest.mark.parametrize(
    "payload",
    [
        {"data": base64.b64encode(VALUE).decode(), "dataCrc32c": "1"},
        {"data": "!not base64"},
        {"data": ""},
        {"data": base64.b64encode(bytes(65_537)).decode()},
    ],
)
async def test_a_payload_that_is_broken_empty_or_too_long_is_refused(wires: Wires, payload: dict[str, str]) -> None:
    await wires.secret()
    assert (await wires.call("POST", f"{SECRETS}/token:addVersion", {"payload": payload}))[0] == 400
    assert len(wires.standin.secrets.secrets["token"].versions) == 1


async def test_permissions_of_a_new_secret_take_the_time_that_was_set(wires: Wires) -> None:
    assert (await wires.call("POST", "/sandbox/secrets", {"lag_s": 20}))[0] == 200
    assert (await wires.secret())[0] == 403
    await wires.clock.advance(20)
    assert (await wires.secret())[0] == 200
    assert (await wires.call("POST", "/sandbox/secrets", {"lag": 20}))[0] == 400


async def test_faults_and_the_log_hold_for_every_service_and_no_value_is_written_down(wires: Wires) -> None:
    for method, path in (("GetQuotaInfo", f"{QUOTAS}/{PREEMPTIBLE}"), ("ListSkus", SKUS), ("GetSecret", f"{SECRETS}/token")):
        wires.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, method=method, nth=1))
        assert (await wires.call("GET", path))[0] == 503
    await wires.secret()
    log = (await wires.call("GET", "/sandbox/calls"))[1]["calls"]
    assert [call["method"] for call in log] == ["GetQuotaInfo", "ListSkus", "GetSecret", "CreateSecret", "AddSecretVersion"]
    assert VALUE.decode() not in str(log)
    assert base64.b64encode(VALUE).decode() not in str(log)


async def test_a_node_over_rest_shows_its_end_and_takes_updates_by_mask(wires: Wires) -> None:
    node = (await wires.call("GET", f"{NODES}/prod-1"))[1]
    assert node["schedulingConfig"]["terminationTimestamp"].startswith("2026-11-30T16:48")
    assert (await wires.call("PATCH", f"{NODES}/prod-1?updateMask=acceleratorType", {"acceleratorType": "v6e-8"}))[0] == 400
    assert (await wires.call("PATCH", f"{NODES}/prod-1?updateMask=metadata", {"metadata": {"a": 1, "b": []}}))[0] == 400
    path = f"{NODES}/prod-1?updateMask=networkConfig.enableExternalIps"
    status, operation = await wires.call("PATCH", path, {"networkConfig": {"enableExternalIps": False}})
    assert (status, operation["metadata"]["verb"]) == (200, "update-node")
    assert (await wires.call("PATCH", f"{NODES}/prod-1?updateMask=labels", {"labels": {}}))[0] == 409
    assert (await wires.call("POST", f"{NODES}/prod-1:stop", {}))[0] == 400
    listed = (await wires.call("GET", f"{NODES}?pageSize=1"))[1]["nodes"]
    assert [one["name"].rpartition("/")[2] for one in listed] == ["prod-1"]


async def test_guest_attributes_and_types_over_rest_are_those_of_grpc(wires: Wires) -> None:
    body = {"queryPath": "hostname", "workerIds": ["0"]}
    attributes = (await wires.call("POST", f"{NODES}/prod-1:getGuestAttributes", body))[1]["guestAttributes"]
    assert attributes[0]["queryValue"]["items"][0]["key"] == "hostname"
    assert (await wires.call("POST", f"{NODES}/prod-1:getGuestAttributes", {"workerIds": ["1"]}))[0] == 400
    types = f"/v2alpha1/projects/{PROJECT}/locations/{HOME}/acceleratorTypes"
    found = (await wires.call("GET", f'{types}?filter=type%3D"v6e-4"'))[1]
    assert [kind["type"] for kind in found["acceleratorTypes"]] == ["v6e-4"]
    assert (await wires.call("GET", f"{types}?filter=v6e"))[0] == 400
