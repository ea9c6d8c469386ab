"""One client of the openai SDK for each server, kept from reading the environment and from following or trusting too much."""

import ssl
from collections.abc import AsyncIterator

import httpx2
from openai import AsyncOpenAI

from bot.model.address import ServerAddress

MAX_BODY_BYTES = 16 * 1024 * 1024
"""/tokenize lists each token in at most 7 bytes, so a window of 262,144 fits in 2 MB; an answer is far smaller."""

LIMITS = httpx2.Limits(max_connections=20, max_keepalive_connections=4, keepalive_expiry=4.0)
"""Idle connections are closed before uvicorn does it at 5 s: a call sent into one that is being closed would be lost."""

CONNECT_S = 3.0
"""Seconds to reach the server at all."""

SENT_HEADERS = frozenset({"host", "accept", "accept-encoding", "content-type", "content-length", "connection"})
"""What leaves of the SDK's headers. It adds its platform, and whatever OPENAI_CUSTOM_HEADERS of the environment holds."""


class TooMuch(httpx2.ReadError):
    """The answer is larger than any of vLLM's, or packed."""


class Connections:
    """Clients by server, made when first used. One instance for one event loop; close it with `aclose`."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """`tls` holds the certificates to trust (None: those that httpx2 ships); `transport` stands in for the network."""
        self._tls = tls
        self._max_body_bytes = max_body_bytes
        self._transport = transport
        self._clients: dict[tuple[str, str], AsyncOpenAI] = {}

    async def aclose(self) -> None:
        """Close all connections."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()

    def client(self, address: ServerAddress, key: str) -> AsyncOpenAI:
        """The client for this server and key ("" for none). It never retries; who calls sets the deadlines."""
        if (address.root, key) not in self._clients:
            self._clients[address.root, key] = AsyncOpenAI(
                base_url=f"{address.root}/v1",
                api_key=key or "none",
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                max_retries=0,
                timeout=httpx2.Timeout(None, connect=CONNECT_S, pool=CONNECT_S),
                http_client=self._http_client(address, key),
            )
        return self._clients[address.root, key]

    def _http_client(self, address: ServerAddress, key: str) -> httpx2.AsyncClient:
        """No proxies, no redirects, no cookies, bounded bodies, and only our own headers."""

        async def only_ours(request: httpx2.Request) -> None:
            for name in [name for name in request.headers if name.lower() not in SENT_HEADERS]:
                del request.headers[name]
            request.headers["Accept-Encoding"] = "identity"
            request.headers["User-Agent"] = "gemma-chatops"
            if key:
                request.headers["Authorization"] = f"Bearer {key}"

        # Plain http gets an empty TLS context, which trusts nobody: loading certificates takes 15 ms.
        plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusted = (self._tls or httpx2.create_ssl_context(trust_env=False)) if address.tls else plain
        network = self._transport or httpx2.AsyncHTTPTransport(verify=trusted, limits=LIMITS, trust_env=False)
        return httpx2.AsyncClient(
            transport=_Bounded(network, self._max_body_bytes),
            follow_redirects=False,
            trust_env=False,
            event_hooks={"request": [only_ours]},
        )


class _Bounded(httpx2.AsyncBaseTransport):
    """A transport whose answers end with TooMuch when they grow beyond a bound."""

    def __init__(self, network: httpx2.AsyncBaseTransport, most: int) -> None:
        """At most so many bytes an answer."""
        self._network = network
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass on, and count what comes back."""
        response = await self._network.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise TooMuch("the answer is packed, which was not asked for", request=request)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Counted(response.stream, self._most, request)
        return response

    async def aclose(self) -> None:
        """Close the network's connections."""
        await self._network.aclose()


class _Counted(httpx2.AsyncByteStream):
    """A body that stops at its bound."""

    def __init__(self, body: httpx2.AsyncByteStream, most: int, request: httpx2.Request) -> None:
        """Nothing was read yet."""
        self._body = body
        self._left = most
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self._left -= len(piece)
            if self._left < 0:
                raise TooMuch("the answer is larger than any of vLLM's", request=self._request)
            yield piece

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()
