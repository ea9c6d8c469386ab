"""Every call that the adapter makes is one that Google's discovery documents know, down to the fields of its body."""

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
from google.oauth2 import credentials as oauth2
from pydantic import SecretStr

from bot.cloud.assembly import GoogleCloud
from bot.errors import BotError
from bot.nouns import Exposure, ProvisioningModel
from bot.ports import Authorised
from bot.serving import slices
from sandbox.clock import HeldClock
from tests.bot.cloud.wired import NOW, an_order

DOCUMENTS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "fixtures/google/discovery_excerpt.json").read_text())
DOCUMENT_OF = {"tpu": "tpu.v2alpha1", "cloudbilling": "cloudbilling.v1", "secretmanager": "secretmanager.v1"}
QUOTA_INFO = re.compile(r"/v1/projects/p/locations/global/services/tpu\.googleapis\.com/quotaInfos/[A-Za-z0-9]+")
ZONE = "us-east5-a"
NODE: dict[str, Any] = {
    "name": f"projects/p/locations/{ZONE}/nodes/n",
    "state": "READY",
    "labels": {"managed-by": "gemma-chatops"},
    "metadata": {"kept": "x"},
}
LEAVE = Authorised("ask-1")
signed_in: Any = oauth2.Credentials
"""It carries no types."""

CALLS: dict[str, Callable[[GoogleCloud], Awaitable[object]]] = {
    "flex": lambda cloud: cloud.provisioner.create(LEAVE, an_order()),
    "spot": lambda cloud: cloud.provisioner.create(LEAVE, an_order(provisioning=ProvisioningModel.SPOT, run_s=None)),
    "all fields": lambda cloud: cloud.provisioner.create(
        LEAVE, an_order(exposure=Exposure.EXTERNAL, subnetwork="s", service_account="a@b.example", tags=("t",))
    ),
    "operation": lambda cloud: cloud.provisioner.operation(f"projects/p/locations/{ZONE}/operations/o-1"),
    "delete": lambda cloud: cloud.provisioner.delete(LEAVE, ZONE, "q"),
    "start": lambda cloud: cloud.machines.start(LEAVE, ZONE, "stopped"),
    "stop": lambda cloud: cloud.machines.stop(LEAVE, ZONE, "n"),
    "delete node": lambda cloud: cloud.machines.delete(LEAVE, ZONE, "n"),
    "metadata": lambda cloud: cloud.machines.set_metadata(LEAVE, ZONE, "n", {"a": "b"}),
    "attributes": lambda cloud: cloud.machines.guest_attributes(ZONE, "n", "hostkeys/"),
    "hardware": lambda cloud: cloud.hardware.offered(slices.parse("v6e-4"), (ZONE,)),
    "quotas": lambda cloud: cloud.quotas.quotas(slices.parse("v6e-4"), ProvisioningModel.SPOT, (ZONE,)),
    "store": lambda cloud: cloud.secrets.store(LEAVE, "missing", SecretStr("v")),
    "access": lambda cloud: cloud.secrets.access("s"),
}


def answer(request: httpx.Request) -> httpx.Response:
    """Something that lets each call go on to its writes."""
    path = request.url.path
    if request.method == "GET" and path.endswith(("/queuedResources/prod-2-request", "/secrets/missing")):
        return httpx.Response(404, json={"error": {"status": "NOT_FOUND", "message": "m"}})
    if request.method == "GET" and "/nodes/" in path:
        return httpx.Response(200, json=NODE | ({"state": "STOPPED"} if path.endswith("stopped") else {}))
    if request.method == "GET" and "/queuedResources/" in path:
        spec = {"nodeId": "n", "node": {"labels": NODE["labels"]}}
        name = f"projects/p/locations/{ZONE}/queuedResources/q"
        return httpx.Response(200, json={"name": name, "tpu": {"nodeSpec": [spec]}})
    return httpx.Response(200, json={"name": f"projects/p/locations/{ZONE}/operations/o-1"})


async def sent(call: Callable[[GoogleCloud], Awaitable[object]]) -> list[httpx.Request]:
    """The requests that one call makes."""
    seen: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer(request)

    cloud = GoogleCloud.of("p", HeldClock(NOW), credentials=signed_in("token"), transport=httpx.MockTransport(keep))
    try:
        await call(cloud)
    except BotError:
        pass
    finally:
        await cloud.aclose()
    return seen


def method_of(request: httpx.Request) -> tuple[dict[str, Any], dict[str, Any]]:
    """The published method that this request calls, and the schemas of its service."""
    service, _, domain = request.url.host.partition(".")
    assert domain == "googleapis.com"
    document = DOCUMENTS[DOCUMENT_OF[service]]
    for method in document["methods"]:
        pattern = re.sub(r"\\\{\w+\\\}", "[^/:]+", re.escape(method["path"]))
        if method["verb"] == request.method and re.fullmatch(pattern, request.url.path):
            return method, document["schemas"]
    raise AssertionError(f"no such method: {request.method} {request.url.path}")


def check(value: Any, field: dict[str, Any], schemas: dict[str, Any], where: str) -> None:
    """Whether a JSON value is what the schema says of this field."""
    assert not field.get("readOnly"), f"{where} is Google's to write"
    if isinstance(value, list):
        assert field["type"] == "array", where
        for one in value:
            check(one, {"of": field["of"]} if "of" in field else {"type": field["items"]}, schemas, where)
    elif isinstance(value, dict) and "of" in field:
        check_object(value, schemas[field["of"]], schemas, where)
    elif isinstance(value, dict):
        assert field["map"] == "string", where
        assert all(isinstance(one, str) for one in value.values()), where
    else:
        assert {"boolean": bool, "string": str, "integer": int}[field["type"]] is type(value), where
        assert value in field.get("enum", [value]), where
        assert field.get("format") != "google-duration" or re.fullmatch(r"\d+s", str(value)), where


def check_object(value: dict[str, Any], schema: dict[str, Any], schemas: dict[str, Any], where: str) -> None:
    """Every key exists and holds what it must."""
    for key, held in value.items():
        assert key in schema, f"{where}.{key} is unknown"
        check(held, schema[key], schemas, f"{where}.{key}")


@pytest.mark.parametrize("name", sorted(CALLS))
async def test_each_call_is_published_with_its_query_and_body(name: str) -> None:
    requests = await sent(CALLS[name])
    assert requests
    for request in requests:
        if request.url.host == "cloudquotas.googleapis.com":
            assert QUOTA_INFO.fullmatch(request.url.path)
            continue
        method, schemas = method_of(request)
        assert {key for key, _ in parse_qsl(request.url.query.decode())} <= set(method["query"])
        if request.content:
            check_object(json.loads(request.content), schemas[method["request"]], schemas, method["request"])


async def test_the_price_list_is_asked_as_published() -> None:
    async def read(cloud: GoogleCloud) -> None:
        assert cloud.price_list is not None
        await cloud.price_list.price_book()

    for request in await sent(read):
        method, _ = method_of(request)
        assert {key for key, _ in parse_qsl(request.url.query.decode())} <= set(method["query"])


async def test_the_methods_that_write_were_all_seen() -> None:
    seen = {method_of(request)[0]["id"] for name in sorted(CALLS) if name != "quotas" for request in await sent(CALLS[name])}
    writes = {method["id"] for document in DOCUMENTS.values() for method in document["methods"] if method["verb"] != "GET"}
    assert writes - seen == {"tpu.projects.locations.queuedResources.reset"}


def test_a_field_that_google_does_not_know_is_found() -> None:
    schemas = DOCUMENTS["tpu.v2alpha1"]["schemas"]
    wrongs: list[dict[str, Any]] = [
        {"tpus": {}},
        {"provisioningModel": "FLEX"},
        {"runDuration": {"maxRunDuration": 3600}},
        {"createTime": "2026-11-30T12:00:00Z"},
    ]
    for wrong in wrongs:
        with pytest.raises(AssertionError):
            check_object(wrong, schemas["QueuedResource"], schemas, "QueuedResource")
