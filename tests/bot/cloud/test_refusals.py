"""Google's errors reach the person who can act on them, with what to do."""

from typing import Any

import grpc
import pytest
from google.api_core import exceptions as api_core_exceptions
from google.auth import exceptions as auth_exceptions
from google.protobuf import duration_pb2
from google.rpc import error_details_pb2

from bot.cloud.refusals import plain, reason, told
from bot.errors import BotError, PersonMovesNext, RetryLater, WeMoveNext

google_errors: Any = api_core_exceptions
auth_errors: Any = auth_exceptions
"""Their constructors carry no types."""

DOING = "listing machines in us-east5-a"


def said(error: Exception) -> BotError:
    """What is told of it."""
    return told(error, DOING, "p")


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (google_errors.PermissionDenied("no"), PersonMovesNext, "lacks the permission for listing machines"),
        (google_errors.Unauthenticated("no"), PersonMovesNext, "did not accept the bot's credentials"),
        (google_errors.ServiceUnavailable("down"), RetryLater, "could not be reached"),
        (google_errors.DeadlineExceeded("late"), RetryLater, "did not answer in time"),
        (google_errors.InternalServerError("oops"), RetryLater, "failed while"),
        (google_errors.Aborted("again"), RetryLater, "failed while"),
        (google_errors.InvalidArgument('The requested zone "x" is not supported.'), PersonMovesNext, "is not supported"),
        (google_errors.MethodNotImplemented("what"), WeMoveNext, "does not know the call"),
        (TimeoutError(), RetryLater, "did not answer in time"),
        (auth_errors.DefaultCredentialsError("none"), PersonMovesNext, "did not accept"),
        (auth_errors.RefreshError("invalid_grant"), PersonMovesNext, "did not accept"),
        (auth_errors.RefreshError("busy", retryable=True), RetryLater, "sign-in did not answer"),
        (auth_errors.TransportError("net"), RetryLater, "sign-in did not answer"),
        (KeyError("planted-secret"), WeMoveNext, "KeyError"),
    ],
)
def test_each_error_goes_to_who_moves_next(error: Exception, kind: type[BotError], words: str) -> None:
    result = said(error)
    assert type(result) is kind
    assert words in result.telling.failed
    assert "planted-secret" not in str(result.telling)


def test_a_retry_that_gave_up_is_told_as_what_it_met_last() -> None:
    gave_up = google_errors.RetryError("too long", cause=google_errors.PermissionDenied("no"))
    assert "lacks the permission" in said(gave_up).telling.failed


def test_a_disabled_api_is_told_as_such_by_reason_or_by_words() -> None:
    words = google_errors.PermissionDenied("Cloud TPU API has not been used in project 123 before or it is disabled.")
    by_reason = google_errors.PermissionDenied("no", error_info=error_details_pb2.ErrorInfo(reason="SERVICE_DISABLED"))
    for error in (words, by_reason):
        assert "switched off in project p" in said(error).telling.failed
        assert "tpu.googleapis.com" in said(error).telling.next_step


def test_a_project_that_google_does_not_know_points_to_the_setting() -> None:
    error = google_errors.PermissionDenied("no", error_info=error_details_pb2.ErrorInfo(reason="CONSUMER_INVALID"))
    assert "GOOGLE_CLOUD_PROJECT" in said(error).telling.next_step


@pytest.mark.parametrize(
    ("error", "after_s"),
    [
        (google_errors.ResourceExhausted("limit 'Requests per minute' exceeded"), 60.0),
        (google_errors.ResourceExhausted("There is no more capacity in the zone"), None),
        (
            google_errors.ResourceExhausted(
                "slow down", details=[error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=7))]
            ),
            7.0,
        ),
    ],
)
def test_the_wait_is_googles_own_or_a_minute_for_minute_quotas_else_unknown(error: Exception, after_s: float | None) -> None:
    result = said(error)
    assert isinstance(result, RetryLater)
    assert result.after_s == after_s
    assert result.arrived is False


def test_credentials_that_cannot_be_refreshed_are_for_a_person_though_grpc_calls_it_an_outage() -> None:
    lost = google_errors.ServiceUnavailable("Getting metadata from plugin failed with error: RefreshError('invalid_grant')")
    network = google_errors.ServiceUnavailable("Getting metadata from plugin failed with error: ConnectionError()")
    assert isinstance(said(lost), PersonMovesNext)
    assert isinstance(said(network), RetryLater)


def test_beside_a_zone_the_reason_does_not_name_it_again() -> None:
    words = reason(said(TimeoutError()), "us-east5-a")
    assert words == "Google Cloud did not answer in time while listing machines"


def test_long_hostile_words_are_cut_to_one_line_and_keep_the_support_id() -> None:
    cut = plain("a\nb\x1b[31m " + "word " * 200 + "[EID: 0x0123abcd]")
    assert len(cut) <= 300
    assert cut.startswith("a b")
    assert cut.endswith("[EID: 0x0123abcd]")
    assert cut.isprintable()


def test_a_token_that_google_repeats_is_hidden_also_at_the_cut() -> None:
    token = "hf_" + "planted0123456789abcdefghij"
    for before in range(260, 300):
        said_so = plain("x " * (before // 2) + f"startup-script: export HF_TOKEN={token}")
        assert "planted" not in said_so
    assert "planted" not in str(said(google_errors.InvalidArgument(f"Invalid value at metadata: {token}")).telling)


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_no_status_that_grpc_knows_is_left_without_words(code: grpc.StatusCode) -> None:
    error = google_errors.from_grpc_status(code, "words")
    assert said(error).telling.failed.endswith((".", "words"))
