"""What leaves for the server and what is taken from it, without a network."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from openai import APIConnectionError, APIStatusError

from bot.errors import PersonMovesNext
from bot.model.address import ServerAddress
from bot.model.answering.connection import Connections
from bot.model.answering.refusals import translated

ADDRESS = ServerAddress("http://127.0.0.1:8000", "127.0.0.1:8000", tls=False)
ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-environment",
    "OPENAI_ADMIN_KEY": "sk-environment",
    "OPENAI_BASE_URL": "http://environment.example.com/v1",
    "OPENAI_ORG_ID": "org-environment",
    "OPENAI_PROJECT_ID": "proj-environment",
    "OPENAI_CUSTOM_HEADERS": "X-Custom: environment\nAuthorization: Bearer environment",
}
Answering = Callable[[httpx2.Request], httpx2.Response]


async def asked(answer: Answering, key: str = "", **bounds: Any) -> object:
    """One call to a server that answers like this."""
    connections = Connections(transport=httpx2.MockTransport(answer), **bounds)
    try:
        return await connections.client(ADDRESS, key).post("/chat/completions", cast_to=object, body={"model": "m"})
    finally:
        await connections.aclose()


@pytest.mark.parametrize("key", ["", "k"])
async def test_nothing_of_the_environment_and_nothing_of_this_machine_is_sent(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={})

    await asked(answer, key)
    (request,) = sent
    assert str(request.url) == "http://127.0.0.1:8000/v1/chat/completions"
    headers = dict(request.headers)
    assert headers.pop("authorization", "") == (f"Bearer {key}" if key else "")
    assert headers.pop("user-agent") == "gemma-chatops"
    assert headers.pop("accept-encoding") == "identity"
    assert set(headers) <= {"host", "accept", "content-type", "content-length", "connection"}
    assert "environment" not in repr(headers)


async def test_a_redirect_is_not_followed() -> None:
    seen: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(str(request.url))
        return httpx2.Response(307, headers={"location": "http://169.254.169.254/latest"})

    with pytest.raises(APIStatusError):
        await asked(answer)
    assert len(seen) == 1


async def test_a_call_is_made_once_and_never_again_by_itself() -> None:
    seen: list[int] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(1)
        return httpx2.Response(503, headers={"retry-after": "0"})

    with pytest.raises(APIStatusError):
        await asked(answer)
    assert len(seen) == 1


class Endless(httpx2.AsyncByteStream):
    """A body that never ends."""

    async def __aiter__(self) -> Any:
        while True:
            yield b"x" * 1024


@pytest.mark.parametrize(
    "response",
    [
        httpx2.Response(200, stream=Endless(), headers={"content-type": "application/json"}),
        httpx2.Response(200, content=b"x", headers={"content-encoding": "gzip"}),
    ],
    ids=["endless", "packed"],
)
async def test_an_endless_or_packed_body_is_no_vllms(response: httpx2.Response) -> None:
    with pytest.raises(APIConnectionError) as raised:
        await asked(lambda _: response, max_body_bytes=10_000)
    error = translated(raised.value, ADDRESS.place)
    assert isinstance(error, PersonMovesNext)
    assert "is not a vLLM server" in error.telling.failed
