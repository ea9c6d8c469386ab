"""Secret Manager (REST v1): keep a token, read it back. The value stands in no log, error, message or name."""

import asyncio
import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from google.api_core import exceptions as google_errors
from pydantic import SecretStr

from bot.cloud.apis import SECRETS, SECRETS_READ, Api
from bot.cloud.crc32c import crc32c
from bot.cloud.ownership import MANAGED_BY, US, require_ours
from bot.cloud.refusals import told
from bot.cloud.rest import GoogleRest
from bot.cloud.rest_errors import wordless
from bot.errors import BotError, PersonMovesNext, RetryLater
from bot.ports import Authorised, NoSuchSecretError

LARGEST_BYTES = 65_536
"""Secret Manager's limit for one version (its "Quotas and limits" page)."""
PAUSE_S = 1.0
_NAME = re.compile(r"[A-Za-z0-9_-]{1,255}")
_VERSION = re.compile(r"latest|[1-9][0-9]{0,9}")


class SecretManager:
    """Implements `bot.ports.Secrets` for the project.

    Permissions of a new secret take a while until they are known everywhere: a call that is refused for lack of permission is
    tried again for `patience_s` seconds, every `pause_s`.
    """

    def __init__(self, rest: GoogleRest, *, patience_s: float = 0.0, pause_s: float = PAUSE_S) -> None:
        """Share the connections; whoever made `rest` closes it."""
        self._rest = rest
        self._tries = 1 + int(patience_s / pause_s)
        self._pause_s = pause_s

    async def store(self, leave: Authorised, name: str, value: SecretStr) -> str:
        """See `bot.ports.Secrets.store`.

        Raises PersonMovesNext for an empty or too long value, RefusedError when a secret of that name is not ours.
        """
        data = value.get_secret_value().encode()
        if not 0 < len(data) <= LARGEST_BYTES:
            raise PersonMovesNext("A secret must have between 1 and 65536 bytes, so nothing was stored.")
        await self._ensure(leave, name)
        payload = {"data": base64.b64encode(data).decode(), "dataCrc32c": str(crc32c(data))}
        path = f"{self._path(name)}:addVersion"
        answer = await self._patiently(SECRETS, "POST", path, f"storing the secret {name}", {"payload": payload})
        return str(answer.get("name", "")).rpartition("/")[2]

    async def access(self, name: str, version: str = "latest") -> SecretStr:
        """See `bot.ports.Secrets.access`. RetryLater when the value did not arrive as it was stored."""
        if not _VERSION.fullmatch(version):
            raise PersonMovesNext("A secret's version is a number, or the word latest.")
        doing = f"reading the secret {name}"
        answer = await self._patiently(SECRETS_READ, "GET", f"{self._path(name)}/versions/{version}:access", doing)
        return SecretStr(_whole(answer, name))

    async def _ensure(self, leave: Authorised, name: str) -> None:
        """Make the secret when there is none; one that bears another's label is not given a new version, for its readers
        would take it."""
        doing = f"looking for the secret {name}"
        for _ in range(2):
            try:
                found = await self._rest.call(SECRETS, "GET", self._path(name), doing=doing)
            except google_errors.NotFound:
                await self._create(name)
                continue
            except google_errors.GoogleAPICallError as error:
                raise told(error, doing, self._rest.project, SECRETS) from error
            require_ours(f"The secret {name}", _labels(found), leave)
            return

    async def _create(self, name: str) -> None:
        """A secret without versions; that it is there already is as good."""
        doing = f"making the secret {name}"
        body = {"replication": {"automatic": {}}, "labels": {MANAGED_BY: US}}
        path = f"/v1/projects/{self._rest.project}/secrets"
        try:
            await self._rest.call(SECRETS, "POST", path, query={"secretId": name}, body=body, doing=doing)
        except google_errors.AlreadyExists:
            return
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, SECRETS) from error

    async def _patiently(self, api: Api, verb: str, path: str, doing: str, body: object | None = None) -> dict[str, Any]:
        """One call that carries a value. Google's words may repeat it, so a refusal is told without them."""
        left = self._tries
        refused: BotError
        while True:
            left -= 1
            try:
                return await self._rest.call(api, verb, path, body=body, doing=doing)
            except google_errors.NotFound:
                waits, refused = False, _not_there(doing)
            except google_errors.GoogleAPICallError as error:
                waits = isinstance(error, google_errors.PermissionDenied) and left > 0
                refused = told(wordless(error), doing, self._rest.project, api)
            if not waits:
                raise refused  # here, outside: an error that is raised while another is handled carries that one along
            await asyncio.sleep(self._pause_s)

    def _path(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise PersonMovesNext("A secret's name has letters, digits, - and _ only, at most 255.")
        return f"/v1/projects/{self._rest.project}/secrets/{name}"


def _not_there(doing: str) -> BotError:
    return NoSuchSecretError(f"There is nothing to be found while {doing}.", next_step="Look whether it was stored.")


def _labels(answer: Mapping[str, Any]) -> dict[str, str]:
    found = answer.get("labels")
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, Mapping) else {}


def _whole(answer: Mapping[str, Any], name: str) -> str:
    """The payload as text, when its checksum says that it arrived whole."""
    payload = answer.get("payload")
    fields: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
    broken = RetryLater(f"The secret {name} did not arrive whole, so it was not used.", next_step="Try again.")
    try:
        data = base64.b64decode(str(fields.get("data", "")), validate=True)
        text = data.decode()
    except (binascii.Error, UnicodeDecodeError):
        raise broken from None
    if not data or str(fields.get("dataCrc32c", crc32c(data))) != str(crc32c(data)):
        raise broken
    return text
