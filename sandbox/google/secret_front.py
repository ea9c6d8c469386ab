"""The REST front of Secret Manager (v1). What is kept stands in no log: the desk writes down names only."""

import base64
import binascii
from typing import Any

from aiohttp import web

from sandbox.google import refusals
from sandbox.google.desk import Desk
from sandbox.google.rest_wire import answered, object_of, query_of
from sandbox.google.secret_store import PROJECT_NUMBER, Secret

_SECRETS = "/v1/projects/{project}/secrets"
_SECRET = _SECRETS + "/{secret:[^:/{}]+}"
_CASTAGNOLI = 0x82F63B78
"""The polynomial of CRC-32C with its bits reversed (RFC 3720, appendix B.4)."""


def add_secrets(app: web.Application, desk: Desk) -> None:
    """Add the routes."""
    front = SecretFront(desk)
    app.router.add_post(_SECRETS, front.create)
    app.router.add_get(_SECRET, front.get)
    app.router.add_post(_SECRET + ":addVersion", front.add)
    app.router.add_get(_SECRET + "/versions/{version:[^:/{}]+}:access", front.access)


def checksum(data: bytes) -> int:
    """CRC-32C bit by bit: slow and apart from the product's own, so that neither hides the other's mistakes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (_CASTAGNOLI if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class SecretFront:
    """Handlers over one desk."""

    def __init__(self, desk: Desk) -> None:
        """Answer for this project."""
        self._desk = desk

    async def create(self, request: web.Request) -> web.Response:
        """POST secrets?secretId="""
        project, body = request.match_info["project"], await request.read()

        def act() -> dict[str, Any]:
            wanted = query_of(request, {"secretId"}).get("secretId", "")
            return _shown(self._desk.secrets.create(project, wanted, object_of(body)))

        return await answered(self._desk, "CreateSecret", f"projects/{project}", act)

    async def get(self, request: web.Request) -> web.Response:
        """GET secrets/ID"""
        project, secret = _of(request)
        return await answered(self._desk, "GetSecret", _name(request), lambda: _shown(self._desk.secrets.get(project, secret)))

    async def add(self, request: web.Request) -> web.Response:
        """POST secrets/ID:addVersion with payload.data in base64 and, if sent, its dataCrc32c."""
        (project, secret), body = _of(request), await request.read()

        def act() -> dict[str, Any]:
            payload = object_of(body).get("payload", {})
            data = _decoded(str(payload.get("data", "")))
            if "dataCrc32c" in payload and str(payload["dataCrc32c"]) != str(checksum(data)):
                raise refusals.invalid("The checksum of the payload does not match its data")
            return _version(secret, self._desk.secrets.add(project, secret, data))

        return await answered(self._desk, "AddSecretVersion", _name(request), act)

    async def access(self, request: web.Request) -> web.Response:
        """GET secrets/ID/versions/N:access"""
        project, secret = _of(request)

        def act() -> dict[str, Any]:
            number, data = self._desk.secrets.access(project, secret, request.match_info["version"])
            shown = {"data": base64.b64encode(data).decode(), "dataCrc32c": str(checksum(data) ^ self._desk.secrets.damaged)}
            return {"name": _version(secret, number)["name"], "payload": shown}

        return await answered(self._desk, "AccessSecretVersion", _name(request), act)


def _decoded(text: str) -> bytes:
    """Base64; what is none is repeated in the refusal, as Google's own front does."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise refusals.invalid(f"Invalid value at 'payload.data' (TYPE_BYTES), Base64 decoding failed for \"{text}\"") from None


def _of(request: web.Request) -> tuple[str, str]:
    return request.match_info["project"], request.match_info["secret"]


def _name(request: web.Request) -> str:
    return "projects/{}/secrets/{}".format(*_of(request))


def _shown(secret: Secret) -> dict[str, Any]:
    created = secret.created.isoformat().replace("+00:00", "Z")
    shown = {"name": f"projects/{PROJECT_NUMBER}/secrets/{secret.name}", "createTime": created, "labels": secret.labels}
    return {**shown, "replication": {"automatic": {}}}


def _version(secret: str, number: int) -> dict[str, Any]:
    return {"name": f"projects/{PROJECT_NUMBER}/secrets/{secret}/versions/{number}", "state": "ENABLED"}
