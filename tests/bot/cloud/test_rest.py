"""One REST call: who gets our token, what is tried again, and what an error may not hold."""

import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from google.api_core import exceptions as google_errors
from google.auth import exceptions as auth_exceptions
from google.oauth2 import credentials as oauth2

from bot.cloud.apis import QUOTAS, TPU
from bot.cloud.rest import GoogleRest
from bot.cloud.rest_errors import google_error
from bot.errors import PersonMovesNext, RetryLater

TOKEN = "ya29." + "planted-access-token-0123456789"
SECRET = "planted-value-0123456789"
HTTPS = "https://gateway.example"
auth_errors: Any = auth_exceptions
"""Their constructors carry no types."""
fresh: Any = oauth2.Credentials


class Server:
    """Answers in the order of its script; the last answer stays. Keeps what it was sent."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content, headers=answer.headers)


def ok(**fields: Any) -> httpx.Response:
    return httpx.Response(200, json=fields)


def rest(server: Server, *, root: str | None = HTTPS, credentials: Any = None, deadline_s: float = 5.0) -> GoogleRest:
    held = credentials or fresh(TOKEN, expiry=None)
    return GoogleRest("p", root=root, credentials=held, deadline_s=deadline_s, transport=httpx.MockTransport(server))


@pytest.mark.parametrize(
    "root",
    [
        "http://10.0.0.1",
        "http://localhost.evil.example",
        "ftp://127.0.0.1",
        "127.0.0.1:80",
        "",
        "https://user:pw@host",
        "https://host?x=1",
        "http://127.0.0.1@evil.example",
        "https://",
    ],
)
def test_a_root_that_would_send_text_in_the_open_is_refused(root: str) -> None:
    with pytest.raises(PersonMovesNext, match="GCP_API_ROOT") as caught:
        GoogleRest("p", root=root)
    assert "pw" not in str(caught.value.telling)


async def test_without_a_root_each_service_is_asked_at_its_own_host_and_with_one_all_are_asked_there() -> None:
    server = Server(ok())
    async with rest(server, root=None) as own, rest(server, root=HTTPS + "/") as other:
        for api in (TPU, QUOTAS):
            await own.call(api, "GET", "/v1/x")
            await other.call(api, "GET", "/v1/x")
    assert [str(request.url) for request in server.requests] == [
        "https://tpu.googleapis.com/v1/x",
        "https://gateway.example/v1/x",
        "https://cloudquotas.googleapis.com/v1/x",
        "https://gateway.example/v1/x",
    ]


async def test_the_token_travels_over_https_and_never_in_the_open() -> None:
    server = Server(ok())
    async with rest(server) as signed, rest(server, root="http://127.0.0.1:1") as plain:
        await signed.call(TPU, "GET", "/x")
        await plain.call(TPU, "GET", "/x")
    assert server.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert "authorization" not in server.requests[1].headers


async def test_the_quota_project_of_a_persons_credentials_goes_along() -> None:
    server = Server(ok())
    async with rest(server, credentials=fresh(TOKEN, quota_project_id="billed")) as signed:
        await signed.call(QUOTAS, "GET", "/x")
    assert server.requests[0].headers["x-goog-user-project"] == "billed"


async def test_redirects_are_not_followed() -> None:
    server = Server(httpx.Response(302, headers={"Location": "https://evil.example"}))
    async with rest(server) as signed:
        with pytest.raises(google_errors.GoogleAPICallError):
            await signed.call(TPU, "GET", "/x")
    assert len(server.requests) == 1


def unavailable() -> httpx.Response:
    return httpx.Response(503, json={"error": {"code": 503, "message": "down", "status": "UNAVAILABLE"}})


async def test_a_read_that_meets_outages_is_tried_three_times() -> None:
    server = Server(unavailable(), httpx.ReadError("cut"), ok(name="x"))
    async with rest(server) as signed:
        assert await signed.call(TPU, "GET", "/x") == {"name": "x"}
    assert len(server.requests) == 3


@pytest.mark.parametrize("verb", ["POST", "DELETE", "PATCH"])
async def test_a_write_is_sent_once(verb: str) -> None:
    server = Server(unavailable(), ok())
    async with rest(server) as signed:
        with pytest.raises(google_errors.ServiceUnavailable):
            await signed.call(TPU, verb, "/x", body={})
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("trouble", "arrived"),
    [
        (httpx.ConnectError("no"), False),
        (httpx.ConnectTimeout("no"), False),
        (httpx.PoolTimeout("no"), False),
        (httpx.ReadTimeout("late"), None),
        (httpx.ReadError("cut"), None),
        (httpx.WriteError("cut"), None),
        (httpx.RemoteProtocolError("cut"), None),
    ],
)
async def test_only_what_was_surely_not_sent_is_said_not_to_have_arrived(trouble: Exception, arrived: bool | None) -> None:
    async with rest(Server(trouble)) as signed:
        with pytest.raises(RetryLater) as caught:
            await signed.call(TPU, "POST", "/x", body={}, doing="asking")
    assert caught.value.arrived is arrived
    assert caught.value.telling.failed.endswith("while asking.")


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b"null", b"", b"\xff\xfe", b"{"])
async def test_an_answer_that_is_no_object_is_for_later(body: bytes) -> None:
    async with rest(Server(httpx.Response(200, content=body))) as signed:
        with pytest.raises(RetryLater, match="could not be read") as caught:
            await signed.call(TPU, "POST", "/x", body={})
    assert caught.value.arrived is None


async def test_an_answer_beyond_the_bound_is_not_kept() -> None:
    async with rest(Server(ok(words="x" * 2000))) as signed:
        with pytest.raises(RetryLater, match="larger than 1000 bytes"):
            await signed.call(TPU, "GET", "/x", max_bytes=1000)


class Expired(oauth2.Credentials):
    """Credentials that must be renewed first."""

    def __init__(self, refresh: Callable[[], None]) -> None:
        begin: Any = super().__init__
        begin(None)
        self._act = refresh
        self.renewals = 0

    def refresh(self, request: object) -> None:
        del request
        self.renewals += 1
        self._act()
        self.token, self.expiry = TOKEN, datetime.now(UTC).replace(tzinfo=None) + timedelta(hours=1)


async def test_a_token_is_renewed_once_for_all_calls() -> None:
    server, held = Server(ok()), Expired(lambda: None)
    async with rest(server, credentials=held) as signed:
        await signed.call(TPU, "GET", "/x")
        await signed.call(QUOTAS, "GET", "/x")
    assert held.renewals == 1
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("error", "kind", "arrived"),
    [
        (auth_errors.RefreshError(f"invalid_grant {SECRET}"), PersonMovesNext, None),
        (auth_errors.TransportError(SECRET), RetryLater, False),
    ],
)
async def test_credentials_that_are_refused_are_for_a_person_and_an_unreachable_sign_in_for_later(
    error: Exception, kind: type[Exception], arrived: bool | None
) -> None:
    def fail() -> None:
        raise error

    server = Server(ok())
    async with rest(server, credentials=Expired(fail)) as signed:
        with pytest.raises(kind) as caught:
            await signed.call(TPU, "POST", "/x", body={}, doing="asking")
    assert getattr(caught.value, "arrived", None) is arrived
    assert server.requests == []
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("trouble", [httpx.ReadTimeout("late"), httpx.ConnectError("no"), unavailable(), httpx.Response(200)])
async def test_what_was_sent_and_the_token_stand_in_no_traceback(trouble: Any) -> None:
    async with rest(Server(trouble)) as signed:
        with pytest.raises((RetryLater, google_errors.GoogleAPICallError)) as caught:
            await signed.call(TPU, "POST", "/x", body={"data": SECRET})
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert SECRET not in told
    assert TOKEN not in told


@pytest.mark.parametrize(
    ("status", "answer", "kind"),
    [
        (404, {"error": {"status": "NOT_FOUND", "message": "m"}}, google_errors.NotFound),
        (409, {"error": {"status": "ALREADY_EXISTS", "message": "m"}}, google_errors.AlreadyExists),
        (409, {"error": {"status": "ABORTED"}}, google_errors.Aborted),
        (409, None, google_errors.Aborted),
        (400, {"error": {"status": "FAILED_PRECONDITION"}}, google_errors.FailedPrecondition),
        (429, {"error": "words"}, google_errors.ResourceExhausted),
        (502, None, google_errors.ServiceUnavailable),
        (418, [], google_errors.Unknown),
        (403, {"error": {"status": ["x"], "message": None, "details": "no list"}}, google_errors.PermissionDenied),
    ],
)
def test_every_refusal_has_the_class_of_its_word_or_else_of_its_status(status: int, answer: object, kind: type) -> None:
    assert type(google_error(status, answer)) is kind


def test_reason_and_wait_are_read_from_the_details_and_the_header() -> None:
    details = [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED"},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"},
    ]
    error = google_error(403, {"error": {"status": "PERMISSION_DENIED", "message": "m", "details": details}})
    assert error.reason == "SERVICE_DISABLED"
    assert error.details[0].retry_delay.seconds == 7
    assert google_error(429, None, "30").details[0].retry_delay.seconds == 30
    broken = [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "soon"}]
    assert google_error(429, {"error": {"details": broken}}, "never").details == []
