"""One call to a Google REST service: signed in, with a deadline, and with our own errors when no answer comes.

Flex-start exists only over REST (v2alpha1, discovery revision 20261001); writing therefore goes this way altogether.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
import orjson
from google.api_core import exceptions as google_errors
from google.auth import exceptions as auth_errors
from google.auth.credentials import Credentials

from bot.cloud.apis import Api
from bot.cloud.channel import is_loopback
from bot.cloud.refusals import told
from bot.cloud.rest_errors import google_error
from bot.cloud.sign_in import SignIn
from bot.errors import PersonMovesNext, RetryLater

DEADLINE_S = 10.0
CONNECT_S = 3.0
PAUSES_S = (0.1, 0.3)
"""Before the second and the third try of a read that met an outage."""
MAX_BODY_BYTES = 8 * 1024 * 1024
_IN_A_THREAD_BYTES = 256 * 1024
_LIMITS = httpx.Limits(max_connections=64, max_keepalive_connections=32, keepalive_expiry=30.0)
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


@dataclass(frozen=True)
class Ask:
    """One call. `path` begins with "/"; `query` and `body` are sent as given; only a call without effect may be `repeatable`.

    `looks` marks a POST that only reads.
    """

    api: Api
    verb: str
    path: str
    query: Mapping[str, str]
    body: object | None
    deadline_s: float
    max_bytes: int
    looks: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether a second try cannot do a second thing."""
        return self.verb == "GET" or self.looks


class GoogleRest:
    """Google's REST services for one project; use it in one event loop and close it with `aclose`.

    `root` is another address than Google's for all services together: https, or plain http to this very machine, where no
    credentials are sent. Proxies of the environment are not used and redirects not followed.
    """

    def __init__(
        self,
        project: str,
        *,
        root: str | None = None,
        credentials: Credentials | None = None,
        deadline_s: float = DEADLINE_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Nothing is opened before the first call.

        Raises PersonMovesNext for a root that is no address or would send text in the open.
        """
        self.project = project
        self._root = _checked(root) if root is not None else None
        self._sign_in = None if self._root is not None and self._root.startswith("http:") else SignIn(credentials)
        self._deadline_s = deadline_s
        self._transport = transport
        self._opened: httpx.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.aclose()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the connections."""
        await self.aclose()

    async def call(
        self,
        api: Api,
        verb: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object | None = None,
        doing: str = "",
        deadline_s: float | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        looks: bool = False,
    ) -> dict[str, Any]:
        """The JSON object that is answered. Reads that meet an outage are tried three times within the deadline, writes once.

        Raises google.api_core's errors for an answer that refuses; RetryLater when none comes, with `arrived` None when the call
        may have arrived and False when it surely did not; what `told` makes of credentials that are refused.
        """
        ask = Ask(api, verb, path, query or {}, body, deadline_s or self._deadline_s, max_bytes, looks)
        headers = await self._signed(ask, doing)
        try:
            async with asyncio.timeout(ask.deadline_s):
                return await self._tried(ask, headers)
        except (httpx.HTTPError, TimeoutError) as error:
            never = isinstance(error, _NEVER_SENT)
            what = "could not be reached" if never else "did not answer in time"
            raise RetryLater(
                f"Google Cloud {what}{_while(doing)}.", arrived=False if never else None, next_step="Try again in a minute."
            ) from None  # the library's error holds the request, and with it what was sent

    async def ask(self, api: Api, verb: str, path: str, *, doing: str, **options: Any) -> dict[str, Any]:
        """As `call`, with every refusal told by who moves next; for calls whose refusals mean nothing special."""
        try:
            return await self.call(api, verb, path, doing=doing, **options)
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self.project, api) from error

    async def _signed(self, ask: Ask, doing: str) -> dict[str, str]:
        if self._sign_in is None:
            return {}
        try:
            return await self._sign_in.headers()
        except auth_errors.GoogleAuthError as error:
            raise told(error, doing, self.project, ask.api) from None

    async def _tried(self, ask: Ask, headers: dict[str, str]) -> dict[str, Any]:
        for pause in PAUSES_S if ask.repeatable else ():
            try:
                return await self._once(ask, headers)
            except (google_errors.ServiceUnavailable, httpx.TransportError):
                await asyncio.sleep(pause)
        return await self._once(ask, headers)

    def _client(self) -> httpx.AsyncClient:
        """Opened at the first call. Plain http gets an empty TLS context, which trusts nobody: certificates take long to load."""
        if self._opened is None:
            plain = self._sign_in is None
            self._opened = httpx.AsyncClient(
                verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx.create_ssl_context(trust_env=False),
                timeout=httpx.Timeout(None, connect=CONNECT_S, pool=CONNECT_S),
                limits=_LIMITS,
                follow_redirects=False,
                trust_env=False,
                transport=self._transport,
                headers={"User-Agent": "gemma-chatops", "Accept": "application/json"},
            )
        return self._opened

    async def _once(self, ask: Ask, headers: dict[str, str]) -> dict[str, Any]:
        content = None if ask.body is None else orjson.dumps(ask.body)
        sent = headers if content is None else headers | {"Content-Type": "application/json"}
        url = (self._root or f"https://{ask.api.host}") + ask.path
        received = bytearray()
        async with self._client().stream(ask.verb, url, params=dict(ask.query), content=content, headers=sent) as response:
            async for piece in response.aiter_bytes():
                received += piece
                if len(received) > ask.max_bytes:
                    raise RetryLater(f"An answer of {ask.api.title} was larger than {ask.max_bytes} bytes.")
        answer = await _parsed(bytes(received))
        if response.status_code != httpx.codes.OK:
            raise google_error(response.status_code, answer, response.headers.get("retry-after"))
        if not isinstance(answer, dict):
            raise RetryLater(f"An answer of {ask.api.title} could not be read.", next_step="Try again in a minute.")
        return answer


def _checked(root: str) -> str:
    """The root without a slash at its end."""
    parts = urlsplit(root)
    plain = parts.scheme == "http" and is_loopback(parts.netloc)
    if not parts.hostname or "@" in parts.netloc or parts.query or not (plain or parts.scheme == "https"):
        raise PersonMovesNext(
            "GCP_API_ROOT is not an address that Google Cloud may be asked at.",
            next_step="Write it as https://host, or http://127.0.0.1:port for this machine; leave it out for Google's own.",
        )
    return root.rstrip("/")


async def _parsed(text: bytes) -> object:
    """The JSON value, or None when it is none; long texts are read aside, for a price list takes tens of milliseconds."""
    try:
        if len(text) > _IN_A_THREAD_BYTES:
            return await asyncio.to_thread(orjson.loads, text)
        found: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found


def _while(doing: str) -> str:
    return f" while {doing}" if doing else ""
