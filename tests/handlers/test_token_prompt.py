"""`gemma token`: asked for where nothing is shown, never taken from the command line."""

import asyncio
import io
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr
from redis.asyncio import Redis

from bot.errors import UsageError
from bot.operations import OPERATIONS
from handlers.token_prompt import PROMPT, asked_for, with_token
from sandbox.clock import Clock
from sandbox.google.seed import default_project
from sandbox.google.standin import GoogleStandIn

HANGS_S = 60
VALUE = "hf" + "_QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"


def piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.mark.parametrize("words", [[], ["status"], ["help", "token"], ["token", "key", "prod"]])
def test_other_words_ask_for_nothing(words: list[str]) -> None:
    assert asked_for(words) is None


def test_the_first_line_that_another_program_writes_is_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, f"  {VALUE}\nmore\n")
    found = asked_for(["Token"])
    assert found is not None
    assert found.get_secret_value() == VALUE


@pytest.mark.parametrize("text", ["", "\n", "   \n"])
def test_nothing_is_no_token(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    piped(monkeypatch, text)
    with pytest.raises(UsageError, match="no token"):
        asked_for(["token"])


def test_a_token_as_an_argument_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as refused:
        asked_for(["token", VALUE])
    assert "Treat it as leaked" in refused.value.telling.next_step
    assert VALUE not in f"{refused.value} {refused.value.telling} {refused.value.usage}"


def test_only_the_row_of_token_is_exchanged() -> None:
    exchanged = with_token(OPERATIONS, SecretStr(VALUE))
    assert [one.path for one in exchanged] == [one.path for one in OPERATIONS]
    assert [one.path for one, was in zip(exchanged, OPERATIONS, strict=True) if one is not was] == ["token"]
    assert with_token(OPERATIONS, None) == OPERATIONS


@pytest_asyncio.fixture
async def google() -> AsyncIterator[GoogleStandIn]:
    standin = GoogleStandIn(default_project(Clock()), Clock())
    yield standin
    await standin.stop()


async def typed(folder: Path, answer: str | None, **settings: str) -> tuple[int, str]:
    """Exit code and all that a terminal shows, when `answer` is typed at the prompt; None: Ctrl-C."""
    ours, theirs = pty.openpty()
    # Whoever runs tests in the background of a shell has SIGINT ignored, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handlers.terminal", "token"),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **settings},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    signal.signal(signal.SIGINT, before)
    os.close(theirs)
    # What hangs is ended, so that it fails here and does not keep all the others waiting.
    alarm = asyncio.get_running_loop().call_later(HANGS_S, process.kill)
    shown = await asyncio.to_thread(_until, ours, PROMPT)
    if answer is None:
        process.send_signal(signal.SIGINT)
    else:
        os.write(ours, answer.encode())
    shown += await asyncio.to_thread(_until, ours, None)
    alarm.cancel()
    os.close(ours)
    return await process.wait(), shown


def _until(terminal: int, words: str | None) -> str:
    """What is shown until these words; None: until nobody writes any more."""
    shown = ""
    while words is None or words not in shown:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece.decode(errors="replace")
    return shown


@pytest.mark.wire
async def test_what_is_typed_is_stored_and_shown_nowhere(
    tmp_path: Path, google: GoogleStandIn, valkey: str, redis: Redis
) -> None:
    addresses = await google.start()
    settings = {
        "REDIS_URL": valkey,
        "GOOGLE_CLOUD_PROJECT": google.project.name,
        "GCP_API_ROOT": addresses.rest,
        "ADMINS": "U0ANNA",
        "TERMINAL_USER": "U0ANNA",
        "TERMINAL_TEAM": "T0SANDBOX",
    }
    code, shown = await typed(tmp_path, f"{VALUE}\n", **settings)
    assert code == 0, shown
    assert "The Hugging Face token is stored\x1b[0m · gemma-hf-token, version 1" in shown
    assert VALUE not in shown
    assert google.secrets.secrets["gemma-hf-token"].versions == [VALUE.encode()]
    (key,) = [key async for key in redis.scan_iter(match="gemma:audit:*")]
    lines = [fields[b"ended"] for _, fields in await redis.xrange(key)]
    assert lines == [b"begun", b"The Hugging Face token is stored \xc2\xb7 gemma-hf-token, version 1"]

    code, shown = await typed(tmp_path, f"{VALUE}\n", **{**settings, "TERMINAL_USER": "U0DANA"})
    assert code == 1
    assert "Only admins can do this" in shown
    code, shown = await typed(tmp_path, None, **settings)
    assert (code, VALUE in shown) == (130, False)
    assert len(google.secrets.secrets["gemma-hf-token"].versions) == 1
