"""The point through which every call to Slack goes: checked, paced, sent once, and its failure told as one of ours.

Nothing is repeated here. A post that may have arrived is the caller's to look for (`SlackClient.find`) before it posts again.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import RetryLater, WeMoveNext
from bot.ports import Pace
from bot.slack import address, failures, limits

TIMEOUT_S = 10
"""Seconds for one call; Slack answers in well under one, and a worker's step should not hang on it."""


def connect(token: str, base_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """A Web API client that never repeats a call on its own, logs no message and uses no proxy for this machine."""
    quiet = logging.getLogger("slack_sdk.silent")
    quiet.setLevel(logging.WARNING)  # below, the SDK logs every message with its text
    web = AsyncWebClient(
        token=token,
        base_url=address.checked(base_url, "SLACK_API_URL"),
        timeout=TIMEOUT_S,
        session=session,
        logger=quiet,
        retry_handlers=[],
    )
    if address.loopback(base_url):
        web.proxy = None
    return web


class Wire:
    """Calls methods of the Web API, and posts to the addresses that Slack hands out."""

    def __init__(self, web: AsyncWebClient, http: aiohttp.ClientSession, pace: Pace) -> None:
        """Refuses a client with retry handlers: a repeated chat.postMessage is a second message."""
        if web.retry_handlers:
            raise WeMoveNext("the Slack client must not repeat calls on its own: pass retry_handlers=[]")
        self._web = web
        self._http = http
        self._pace = pace

    async def write(
        self, method: str, payload: Mapping[str, Any], *, channel: str | None = None, urgent: bool = True
    ) -> Mapping[str, Any]:
        """Send JSON. Raises what `bot.ports.Slack` says."""
        if "text" in payload or "blocks" in payload:
            limits.validate_message(payload)
        if "view" in payload:
            limits.validate_view(payload["view"])
        await self._pace.wait(method, channel, urgent=urgent)
        return await self._call(method, writes=True, json=dict(payload))

    async def form(self, method: str, fields: Mapping[str, str | int]) -> Mapping[str, Any]:
        """Send a form, for the methods that take no JSON and change nothing that anybody sees."""
        await self._pace.wait(method, None, urgent=True)
        return await self._call(method, writes=False, data={name: str(value) for name, value in fields.items()})

    async def granted(self) -> frozenset[str] | None:
        """The scopes of our token: Slack names them in a header of each answer. None when it does not."""
        await self._pace.wait("auth.test", None, urgent=True)
        try:
            headers = (await self._web.api_call("auth.test")).headers
        except SlackApiError as error:
            raise failures.from_api(error, "auth.test", writes=False) from None
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, AttributeError, ValueError) as error:
            raise failures.from_network(error, "auth.test", writes=False) from None
        named = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
        return None if named is None else frozenset(part.strip() for part in named.split(",") if part.strip())

    async def _call(self, method: str, *, writes: bool, **sent: Any) -> Mapping[str, Any]:
        try:
            response = await self._web.api_call(method, **sent)
            data = response.data
        except SlackApiError as error:
            raise failures.from_api(error, method, writes=writes) from None
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, AttributeError, ValueError) as error:
            # AttributeError and ValueError: the SDK on a body that is no JSON object, such as a proxy's error page
            raise failures.from_network(error, method, writes=writes) from None
        return data if isinstance(data, Mapping) else {}

    async def answer(self, response_url: str, payload: Mapping[str, Any]) -> None:
        """Post to a response_url. Raises PlaceGoneError when it is used up or expired."""
        limits.validate_message(payload)
        status, body = await self._post(response_url, "response_url", json=dict(payload))
        if status == 200 and _code(body) is None:
            return
        if status == 429 or status >= 500:
            raise RetryLater("Slack could not take the answer just now.", arrived=False if status == 429 else None)
        code = _code(body) or ("expired_url" if status == 404 else f"HTTP {status}")
        raise failures.refused(code, "response_url", {})

    async def upload(self, url: str, content: bytes) -> None:
        """Post raw bytes to an address from files.getUploadURLExternal. Repeating it does no harm."""
        status, _ = await self._post(url, "the upload address", data=content)
        if status != 200:
            raise RetryLater(f"Slack did not take the picture (HTTP {status}).", arrived=False)

    async def _post(self, url: str, what: str, **sent: Any) -> tuple[int, str]:
        target = address.checked(url, what)
        proxy = None if address.loopback(url) else self._web.proxy
        try:
            async with self._http.post(
                target, proxy=proxy, allow_redirects=False, timeout=aiohttp.ClientTimeout(total=TIMEOUT_S), **sent
            ) as response:
                return response.status, (await response.content.read(4096)).decode("utf-8", "replace")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise failures.from_network(error, what, writes=True) from None


def needed(answer: Mapping[str, Any], *path: str) -> str:
    """One field of an answer. Raises RetryLater when it is missing: the call may have worked, only its answer is unusable."""
    value: Any = answer
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, str):
        raise RetryLater(f"Slack's answer lacks {'.'.join(path)}.", arrived=None)
    return value


def _code(body: str) -> str | None:
    """The error code in the body of a response_url's answer, which is "ok" or JSON."""
    try:
        told = json.loads(body)
    except ValueError:
        return None
    return str(told.get("error", "unknown")) if isinstance(told, Mapping) and told.get("ok") is False else None
