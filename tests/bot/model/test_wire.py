"""What each status and each way of not answering means to a person. The transport is scripted; sockets are in test_vllm.py."""

import ssl
from collections.abc import Callable

import httpx
import pytest

from bot.errors import BotError, PersonMovesNext, RetryLater
from bot.model.address import ServerAddress
from bot.model.wire import Reply, TimeOuts, Wire

ADDRESS = ServerAddress("http://127.0.0.1:8000", "127.0.0.1:8000", tls=False)


def wire(answer: Callable[[httpx.Request], httpx.Response], max_body_bytes: int = 1000) -> Wire:
    """A wire whose other end is this function."""
    return Wire(TimeOuts(), transport=httpx.MockTransport(answer), max_body_bytes=max_body_bytes)


def answered(status: int, content: bytes = b"", headers: dict[str, str] | None = None) -> httpx.Response:
    """An answer whose body still has to be read, as from a socket."""
    return httpx.Response(status, headers=headers, stream=httpx.ByteStream(content))


async def failing_with(error: Exception) -> BotError:
    """Our error for the library's."""

    def answer(_: httpx.Request) -> httpx.Response:
        raise error

    with pytest.raises(BotError) as raised:
        await wire(answer).get(ADDRESS, "/health", {})
    return raised.value


@pytest.mark.parametrize("error", [httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), httpx.PoolTimeout("full")])
async def test_a_call_that_did_not_get_out_says_that_it_did_not_arrive(error: Exception) -> None:
    told = await failing_with(error)
    assert isinstance(told, RetryLater)
    assert str(told) == "Gemma's server does not answer at 127.0.0.1:8000"
    assert told.arrived is False


@pytest.mark.parametrize(
    "error",
    [
        httpx.ReadTimeout("slow"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("half"),
        TimeoutError(),
        httpx.WriteError("x"),
    ],
)
async def test_a_call_that_broke_off_may_have_arrived(error: Exception) -> None:
    told = await failing_with(error)
    assert isinstance(told, RetryLater)
    assert told.arrived is None


async def test_a_certificate_that_is_not_accepted_is_for_a_person_to_put_right() -> None:
    error = httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED]")
    error.__cause__ = ssl.SSLCertVerificationError("certificate verify failed")
    told = await failing_with(error)
    assert isinstance(told, PersonMovesNext)
    assert "certificate" in str(told)


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted_says_so(status: int) -> None:
    with pytest.raises(PersonMovesNext, match="API key is not accepted by Gemma's server at h:1"):
        Reply("h:1", status, b"").expect_ok()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_server_in_trouble_may_be_asked_again(status: int) -> None:
    with pytest.raises(RetryLater, match=f"at h:1 answers {status}") as raised:
        Reply("h:1", status, b"", after_s=7.0).expect_ok()
    assert raised.value.after_s == 7.0


@pytest.mark.parametrize("status", [204, 301, 302, 307, 400, 404, 405, 418])
def test_any_other_answer_is_no_vllm(status: int) -> None:
    with pytest.raises(PersonMovesNext, match="What answers at h:1 is not a vLLM server"):
        Reply("h:1", status, b"").expect_ok()


@pytest.mark.parametrize(("header", "seconds"), [("12", 12.0), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)])
async def test_only_a_plain_number_is_a_wait(header: str, seconds: float | None) -> None:
    reply = await wire(lambda _: answered(503, headers={"retry-after": header})).get(ADDRESS, "/metrics", {})
    assert reply.after_s == seconds


async def test_redirects_are_not_followed() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return answered(302, headers={"location": "http://169.254.169.254/"})

    assert (await wire(answer).get(ADDRESS, "/health", {})).status == 302
    assert asked == ["http://127.0.0.1:8000/health"]


async def test_a_body_up_to_the_bound_is_read_and_one_beyond_it_is_refused() -> None:
    assert len((await wire(lambda _: answered(200, b"x" * 1000)).get(ADDRESS, "/metrics", {})).body) == 1000
    with pytest.raises(PersonMovesNext, match="not a vLLM"):
        await wire(lambda _: answered(200, b"x" * 1001)).get(ADDRESS, "/metrics", {})


async def test_nothing_compressed_is_asked_for_so_that_the_bound_holds_in_memory() -> None:
    seen: dict[str, str] = {}

    def answer(request: httpx.Request) -> httpx.Response:
        seen.update(request.headers)
        return answered(200)

    await wire(answer).get(ADDRESS, "/metrics", {"Authorization": "Bearer k"})
    assert seen["accept-encoding"] == "identity"
    assert seen["authorization"] == "Bearer k"


def test_a_body_that_is_no_text_cannot_be_read_and_nothing_is_recorded() -> None:
    with pytest.raises(RetryLater, match="nothing was recorded"):
        Reply("h:1", 200, b"\xff\xfe").text()
