"""Twelve kinds of secret, pasted as people paste them, through the whole path: nobody but their author hears of them."""

import time
from collections.abc import AsyncIterator
from typing import Any, cast
from urllib.parse import urlencode

import aiohttp
import pytest
import pytest_asyncio
from redis.asyncio import Redis
from slack_sdk.signature import SignatureVerifier

from bot.diagnosis.secrets import redact
from bot.operations import OPERATIONS
from bot.operations.command_line import parse
from bot.operations.operation import Context
from bot.operations.pasted import PastedArguments, run, show
from bot.view import plain
from handlers.slack.secrets import KINDS_LIMIT, pasted, sealed
from sandbox.slack import render_text
from sandbox.whole import Sandbox


def made(*parts: str) -> str:
    """Put together here, so that no scanner takes this file for a leak."""
    return "".join(parts)


SECRETS = {
    "Hugging Face token": made("hf", "_", "QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"),
    "Slack token": made("xox", "b-", "123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx"),
    "Slack app token": made("xapp", "-1-A0B1C2D3E4F-1234567890123-", "0123456789abcdef" * 3),
    "Google API key": made("AI", "za", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    "Google access token": made("ya", "29.", "a0AfH6SMBx1y2z3A4b5C6d7E8f9G0h"),
    "GitHub token": made("gh", "p_", "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"),
    "GitLab token": made("gl", "pat-", "AbCdEfGhIjKlMnOpQrSt"),
    "Anthropic key": made("sk", "-ant-", "api03-AbCdEfGhIjKlMnOpQrStUvWx"),
    "OpenAI key": made("sk", "-proj-", "AbCdEfGhIjKlMnOpQrStUvWx0123"),
    "AWS access key": made("AK", "IA", "IOSFODNN7EXAMPL3"),
    "signed token (JWT)": made("ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiIxMjM0NTY3ODkwIn0", ".dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
    "password in an address": made("postgres://bot:", "correct-horse-battery", "@db.example.com/gemma"),
}
PLANTED = {**SECRETS, "password in an address": "correct-horse-battery"}
"""What must be nowhere."""


@pytest.mark.parametrize("kind", SECRETS)
async def test_what_the_door_found_arrives_whole_at_the_message(kind: str) -> None:
    found = redact(f"is this right? {SECRETS[kind]}").found
    parsed = parse(OPERATIONS, pasted(found))
    assert isinstance(parsed.arguments, PastedArguments)
    nobody = cast(Context, None)  # neither looks at it
    view = show(await run(nobody, parsed.arguments), nobody)
    assert kind in plain(view.verdict)
    assert found[0].hint in plain(view.verdict)
    told = "\n".join(map(plain, view.lines))
    assert "delete your message" in told
    assert "I cannot delete it for you" in told
    assert (found[0].issuer or "the place that issued it") in told


def test_a_list_of_secrets_longer_than_a_message_is_cut() -> None:
    many = redact(" ".join(SECRETS.values())).found * 5
    assert pasted(many).count(":") <= 2 * KINDS_LIMIT


def test_a_setup_code_is_sealed_and_other_words_are_left_alone() -> None:
    sealed_words = sealed("setup 0a1b2-c3d4e-5f607-18293")
    assert sealed_words.startswith("setup code=")
    assert "0a1b2" not in sealed_words
    assert sealed("setup") == "setup"
    assert sealed("status prod") == "status prod"
    assert sealed("setup 0A1B2-C3D4E-5F607-18293") == sealed_words


async def everything(redis: Redis) -> str:
    """All that Redis holds, keys and values, as one text."""
    read: dict[str, list[str | int]] = {
        "string": ["GET"],
        "hash": ["HGETALL"],
        "set": ["SMEMBERS"],
        "list": ["LRANGE", 0, -1],
        "zset": ["ZRANGE", 0, -1],
    }
    read["stream"] = ["XRANGE", "-", "+"]
    held: list[tuple[object, object]] = []
    anything = cast(Any, redis)
    async for key in redis.scan_iter(count=1000):
        command, *ends = read.get((await anything.type(key)).decode(), ["TYPE"])
        held.append((key, await anything.execute_command(command, key, *ends)))
    return repr(held)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(past=False, mode="http", LOG_LEVEL="debug", SAMPLE_SECONDS="3600") as running:
        running.slack.rates.enforced = False
        yield running


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_commands_mentions_and_direct_messages_with_secrets_tell_only_their_author(sandbox: Sandbox) -> None:
    for secret in SECRETS.values():
        await sandbox.slack.type("anna", "#ops", f"/gemma status {secret}")
        await sandbox.slack.type("anna", "#ops", f"@gemma why is this refused: {secret}")
    await sandbox.slack.type("anna", "@gemma", f"status {SECRETS['Slack token']}")
    assert await sandbox.settled(), sandbox.logs()
    anna = render_text([one for one in sandbox.slack.transcript("anna") if one.name == "gemma" or one.replies])
    for kind in SECRETS:
        assert anna.count(f"{kind} (") >= 2, kind
    told = [one for one in sandbox.slack.transcript("ben") if one.name == "gemma"]
    assert not told
    everywhere = await everything(sandbox.redis) + sandbox.logs()
    assert "pasted found=" in everywhere
    for kind, secret in PLANTED.items():
        assert secret not in everywhere, kind
    assert "is ready" not in anna


@pytest.mark.wire
@pytest.mark.asyncio(loop_scope="module")
async def test_a_request_with_a_bad_signature_leaves_nothing_in_the_log(sandbox: Sandbox) -> None:
    body = urlencode({"command": "/gemma", "text": SECRETS["GitHub token"], "planted": "not-to-be-logged"})
    now = str(int(time.time()))
    signature = SignatureVerifier("another").generate_signature(timestamp=now, body=body) or ""
    headers = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": signature}
    async with aiohttp.ClientSession() as session:
        form = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
        async with session.post(f"{sandbox.web}/slack/events", data=body, headers=form) as answer:
            assert answer.status == 401
    assert "not-to-be-logged" not in sandbox.logs()
    assert SECRETS["GitHub token"] not in sandbox.logs()
