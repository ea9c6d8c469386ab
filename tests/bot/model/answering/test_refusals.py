"""Recorded error bodies and broken connections, in the words that people read."""

import json
import ssl
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

from bot.errors import BotError, PersonMovesNext, RetryLater, WeMoveNext
from bot.model.answering.connection import TooMuch
from bot.model.answering.refusals import error_inside, no_such_path, refusal, translated
from bot.ports import PromptTooLongError

RECORDED = Path(__file__).parents[3] / "fixtures" / "vllm" / "tiny_gemma4"
PLACE = "127.0.0.1:8000"
REQUEST = httpx2.Request("POST", "http://127.0.0.1:8000/v1/chat/completions")


def recorded(name: str) -> Any:
    """A recorded error body."""
    return json.loads((RECORDED / f"{name}.json").read_text())


def status_error(status: int, body: object, headers: dict[str, str] | None = None) -> APIStatusError:
    """What the SDK raises for it: it takes the outer `error` off."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    return APIStatusError("refused", response=httpx2.Response(status, request=REQUEST, headers=headers), body=inner)


@pytest.mark.parametrize(
    ("name", "status", "kind", "says"),
    [
        ("err_overlong_400", 400, PromptTooLongError, "does not fit Gemma's window of 2,048 tokens"),
        ("err_overlong_stream_400", 400, PromptTooLongError, "window of 2,048 tokens"),
        ("err_max_tokens_too_big", 400, PromptTooLongError, "window of 2,048 tokens"),
        ("err_unknown_model_404", 404, PersonMovesNext, "does not serve the model"),
        ("err_auto_tool_choice", 400, PersonMovesNext, "started without tool calling"),
        ("err_missing_messages", 400, WeMoveNext, "refuses what we sent (HTTP 400, about body.messages)"),
        ("err_temp_negative", 400, WeMoveNext, "refuses what we sent (HTTP 400, about temperature)"),
        ("err_bad_json", 400, WeMoveNext, "refuses what we sent"),
        ("err_not_found_path", 404, PersonMovesNext, "is not a vLLM server"),
        ("err_method", 405, PersonMovesNext, "is not a vLLM server"),
    ],
)
def test_each_recorded_refusal_says_in_plain_words_who_moves_next(
    name: str, status: int, kind: type[BotError], says: str
) -> None:
    for error in (translated(status_error(status, recorded(name)), PLACE), refusal(status, recorded(name), PLACE)):
        assert type(error) is kind
        assert says in error.telling.failed


def test_the_window_is_read_from_the_refusal() -> None:
    error = refusal(400, recorded("err_overlong_400"), PLACE)
    assert isinstance(error, PromptTooLongError)
    assert error.window == 2048


def test_the_flags_that_are_missing_and_the_model_that_is_served_are_named() -> None:
    assert (
        "--enable-auto-tool-choice --tool-call-parser gemma4"
        in refusal(400, recorded("err_auto_tool_choice"), PLACE).telling.next_step
    )
    assert refusal(404, recorded("err_unknown_model_404"), PLACE).telling.next_step == "It serves tiny-gemma4."


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_for_a_person_to_set(status: int) -> None:
    assert isinstance(translated(status_error(status, {"error": "Unauthorized"}), PLACE), PersonMovesNext)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_server_that_is_busy_or_down_is_asked_later(status: int) -> None:
    error = translated(status_error(status, "oops", {"retry-after": "7"}), PLACE)
    assert isinstance(error, RetryLater)
    assert error.after_s == 7


def test_a_retry_after_that_is_no_number_is_no_wait() -> None:
    error = translated(status_error(503, "", {"retry-after": "Mon, 30 Nov 2026 02:00:00 GMT"}), PLACE)
    assert isinstance(error, RetryLater)
    assert error.after_s is None


def unreached() -> APIConnectionError:
    """The SDK's error for a connection that failed."""
    return APIConnectionError(request=REQUEST)


def caused(error: Exception, *causes: Exception) -> Exception:
    """An error with what led to it, as the SDK chains them."""
    step = error
    for cause in causes:
        step.__cause__ = cause
        step = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (APITimeoutError(request=REQUEST), RetryLater, "fell silent"),
        (TimeoutError(), RetryLater, "fell silent"),
        (caused(unreached(), httpx2.ConnectError("refused")), RetryLater, "does not answer at 127.0.0.1:8000"),
        (caused(unreached(), httpx2.RemoteProtocolError("cut")), RetryLater, "broke off"),
        (caused(unreached(), httpx2.ReadError("reset")), RetryLater, "broke off"),
        (caused(unreached(), httpx2.ConnectError("x"), ssl.SSLError("bad")), PersonMovesNext, "No secure connection"),
        (caused(unreached(), TooMuch("big")), PersonMovesNext, "is not a vLLM server"),
        (json.JSONDecodeError("no", "x", 0), RetryLater, "broke off or cannot be read"),
        (APIError("died", REQUEST, body={"message": "EngineDeadError", "code": 500}), RetryLater, "in the middle of its answer"),
        (APIError("too long", REQUEST, body=recorded("err_overlong_400")["error"]), PromptTooLongError, "does not fit"),
    ],
)  # fmt: skip
def test_each_way_that_a_call_can_fail_has_its_words(error: Exception, kind: type[BotError], says: str) -> None:
    ours = translated(error, PLACE)
    assert isinstance(ours, kind)
    assert says in ours.telling.failed


def test_only_a_call_that_was_surely_not_sent_is_said_not_to_have_arrived() -> None:
    refused = translated(caused(unreached(), httpx2.ConnectError("x")), PLACE)
    cut = translated(caused(unreached(), httpx2.ReadError("x")), PLACE)
    assert isinstance(refused, RetryLater)
    assert isinstance(cut, RetryLater)
    assert (refused.arrived, cut.arrived) == (False, None)


def test_no_word_of_what_was_sent_is_repeated() -> None:
    body = {
        "error": {
            "message": "cannot parse 'my secret question'",
            "type": "BadRequestError",
            "param": "my secret question",
            "code": 400,
        }
    }
    assert "secret" not in repr(refusal(400, body, PLACE).telling)


def test_an_error_inside_a_stream_without_a_code_is_for_later() -> None:
    assert isinstance(error_inside(None, PLACE), RetryLater)
    assert isinstance(error_inside({"code": "x"}, PLACE), RetryLater)


def test_a_missing_path_is_told_from_a_missing_model() -> None:
    assert no_such_path(status_error(404, recorded("err_not_found_path")))
    assert no_such_path(status_error(405, recorded("err_method")))
    assert not no_such_path(status_error(404, recorded("err_unknown_model_404")))
    assert not no_such_path(TimeoutError())
