import logging
import socket
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BotError, PersonMovesNext, RetryLater, WeMoveNext
from bot.slack import failures
from bot.slack.wire import Wire, connect

pytestmark = pytest.mark.wire
MESSAGE = {"channel": "C1", "text": "hello"}


async def failure(wire: Wire, method: str = "chat.postMessage", payload: dict[str, Any] | None = None) -> BotError:
    with pytest.raises(BotError) as caught:
        await wire.write(method, payload or MESSAGE, channel="C1")
    return caught.value


async def test_a_429_says_how_long_to_wait_and_that_nothing_arrived(slack: Any, wire: Wire, fakes: Any) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": False, "error": "ratelimited"}, 429, **{"Retry-After": "30"}))
    error = await failure(wire)
    assert isinstance(error, RetryLater)
    assert (error.after_s, error.arrived) == (30.0, False)
    assert len(slack.sent("chat.postMessage")) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("body", [{}, "<html>bad gateway</html>", {"ok": False, "error": "internal_error"}])
async def test_after_a_5xx_on_a_write_nobody_knows_whether_it_arrived(
    slack: Any, wire: Wire, fakes: Any, status: int, body: Any
) -> None:
    slack.script("chat.postMessage", fakes.answer(body, status))
    error = await failure(wire)
    assert isinstance(error, RetryLater)
    assert error.arrived is None
    assert len(slack.sent("chat.postMessage")) == 1


async def test_a_connection_lost_after_sending_is_not_repeated(slack: Any, wire: Wire, fakes: Any) -> None:
    slack.script("chat.postMessage", fakes.drop)
    error = await failure(wire)
    assert isinstance(error, RetryLater)
    assert error.arrived is None
    assert len(slack.sent("chat.postMessage")) == 1


async def test_a_connection_never_made_is_surely_not_arrived(http: aiohttp.ClientSession, pace: Any, fakes: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/api/"
        error = await failure(Wire(connect(fakes.TOKEN, url, http), http, pace))
    assert isinstance(error, RetryLater)
    assert error.arrived is False


@pytest.mark.parametrize("body", ["ok", "<html>welcome to this network</html>"])
async def test_a_200_that_is_not_slacks_json_may_have_arrived(slack: Any, wire: Wire, fakes: Any, body: str) -> None:
    slack.script("chat.postMessage", fakes.answer(body))
    error = await failure(wire)
    assert isinstance(error, RetryLater)
    assert error.arrived is None


@pytest.mark.parametrize("code", sorted(set(failures.FIXES) - {"expired_url", "used_url"}))
async def test_what_a_person_can_fix_says_how(slack: Any, wire: Wire, fakes: Any, code: str) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": False, "error": code, "needed": "chat:write"}))
    error = await failure(wire)
    assert isinstance(error, PersonMovesNext)
    assert error.telling.next_step
    assert code not in str(error)


async def test_a_missing_scope_is_named(slack: Any, wire: Wire, fakes: Any) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": False, "error": "missing_scope", "needed": "chat:write"}))
    assert "chat:write" in str(await failure(wire))


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_long", "no_text", "something_new"])
async def test_what_slack_refuses_of_ours_is_our_fault(slack: Any, wire: Wire, fakes: Any, code: str) -> None:
    hints = {"messages": ["[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"]}
    slack.script("chat.postMessage", fakes.answer({"ok": False, "error": code, "response_metadata": hints}))
    error = await failure(wire)
    assert isinstance(error, WeMoveNext)
    assert code in str(error)
    assert "/blocks/0/text/text" in str(error)


async def test_a_deleted_message_is_told_apart(slack: Any, wire: Wire, fakes: Any) -> None:
    slack.script("chat.update", fakes.answer({"ok": False, "error": "message_not_found"}))
    assert isinstance(await failure(wire, "chat.update"), failures.MessageGoneError)


async def test_an_invalid_message_is_never_sent(slack: Any, wire: Wire, pace: Any) -> None:
    error = await failure(wire, payload={"channel": "C1", "text": "x" * 4001})
    assert isinstance(error, WeMoveNext)
    assert slack.calls == []
    assert pace.asked == []


async def test_nothing_is_sent_when_the_pace_is_full(slack: Any, wire: Wire, pace: Any) -> None:
    pace.full = True
    error = await failure(wire)
    assert isinstance(error, RetryLater)
    assert (error.after_s, error.arrived) == (3.0, False)
    assert slack.calls == []


@pytest.mark.parametrize("status", [401, 500])
async def test_no_error_holds_the_token_or_the_message(slack: Any, wire: Wire, fakes: Any, status: int) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": False, "error": "invalid_auth"}, status))
    error = await failure(wire, payload={"channel": "C1", "text": "a private sentence"})
    told = f"{error!r} {error.telling} {error.__cause__!r}"
    assert fakes.TOKEN not in told
    assert "private sentence" not in told


async def test_neither_token_nor_message_is_logged_at_any_level(
    slack: Any, fakes: Any, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    slack.script("chat.postMessage", fakes.answer({"ok": True, "ts": "17.2", "message": {"text": "a private sentence"}}))
    with caplog.at_level(logging.NOTSET):
        await wire.write("chat.postMessage", {"channel": "C1", "text": "a private sentence"}, channel="C1")
    assert "private sentence" not in caplog.text
    assert fakes.TOKEN not in caplog.text


async def test_a_client_that_repeats_calls_is_refused(http: aiohttp.ClientSession, pace: Any, fakes: Any) -> None:
    with pytest.raises(WeMoveNext):
        Wire(AsyncWebClient(token=fakes.TOKEN, session=http), http, pace)


@pytest.mark.parametrize(
    "url", ["http://slack.com/api/", "ftp://127.0.0.1/", "http://127.0.0.1@evil.example/api/", "https:///api/", "http://[/"]
)
async def test_only_https_or_this_machine_is_an_address_for_slack(http: aiohttp.ClientSession, url: str, fakes: Any) -> None:
    with pytest.raises(WeMoveNext):
        connect(fakes.TOKEN, url, http)


async def test_this_machine_is_reached_without_a_proxy(
    http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch, fakes: Any
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert connect(fakes.TOKEN, "http://127.0.0.1:1/api/", http).proxy is None
    assert connect(fakes.TOKEN, "https://slack.com/api/", http).proxy == "http://proxy.example:3128"
