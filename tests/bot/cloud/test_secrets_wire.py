"""A token goes into Secret Manager and comes back, and into nothing else."""

import base64
import logging
import traceback
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from bot.cloud.rest import GoogleRest
from bot.cloud.secrets import SecretManager
from bot.errors import BotError, PersonMovesNext, RefusedError, RetryLater
from bot.ports import Authorised
from sandbox.google.faults import Fault, FaultKind, When
from tests.bot.cloud.wired import Google

pytestmark = pytest.mark.wire
TOKEN = "hf_" + "planted0123456789abcdefghij"
SHAPES = (TOKEN, base64.b64encode(TOKEN.encode()).decode())
VALUE = SecretStr(TOKEN)


async def store(google: Google, leave: Authorised, value: SecretStr = VALUE, name: str = "gemma-hf-token", **options: Any) -> str:
    async with google.rest() as rest:
        return await SecretManager(rest, pause_s=0.001, **options).store(leave, name, value)


async def access(google: Google, version: str = "latest", **options: Any) -> SecretStr:
    async with google.rest() as rest:
        return await SecretManager(rest, pause_s=0.001, **options).access("gemma-hf-token", version)


@pytest.fixture
def every_line(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """All that any library logs, at the most talkative level."""
    with caplog.at_level(logging.DEBUG):
        yield caplog


async def test_a_value_is_stored_in_versions_and_read_back(wired: Google, leave: Authorised) -> None:
    assert await store(wired, leave) == "1"
    assert await store(wired, leave, SecretStr("other-ünï")) == "2"
    assert (await access(wired)).get_secret_value() == "other-ünï"
    assert (await access(wired, "1")).get_secret_value() == TOKEN
    assert wired.standin.secrets.secrets["gemma-hf-token"].labels == {"managed-by": "gemma-chatops"}
    assert len(wired.calls("CreateSecret")) == 1


async def test_a_secret_that_is_not_ours_gets_no_version_without_a_second_persons_yes(wired: Google, leave: Authorised) -> None:
    body = {"replication": {"automatic": {}}, "labels": {"owner": "research"}}
    wired.standin.secrets.create(wired.project.name, "gemma-hf-token", body)
    with pytest.raises(RefusedError, match="belongs to research"):
        await store(wired, leave)
    assert wired.calls("AddSecretVersion") == []
    assert await store(wired, Authorised("ask-2", others=True)) == "1"


@pytest.mark.parametrize("when", list(When))
@pytest.mark.parametrize("nth", [1, 2, 3, 4])
async def test_whatever_breaks_a_repeat_stores_the_value(wired: Google, leave: Authorised, nth: int, when: When) -> None:
    wired.standin.faults.plan(Fault(FaultKind.UNAVAILABLE, nth=nth, when=when))
    for _ in range(4):
        try:
            await store(wired, leave)
            break
        except RetryLater:
            continue
    assert (await access(wired)).get_secret_value() == TOKEN


async def test_permissions_that_are_on_their_way_are_waited_for_and_a_missing_one_is_named(
    wired: Google, leave: Authorised
) -> None:
    wired.standin.secrets.lag_s = 20
    with pytest.raises(PersonMovesNext) as caught:
        await store(wired, leave, patience_s=0.003)
    assert len(wired.calls("AddSecretVersion")) == 4
    assert "Secret Manager Admin" in caught.value.telling.next_step
    await wired.clock.advance(21)
    assert await store(wired, leave) == "1"

    async def time_passes(_: object) -> None:
        await wired.clock.advance(21)

    wired.standin.secrets.secrets["gemma-hf-token"].readable_at = wired.clock.now().replace(second=59)
    wired.standin.faults.plan(Fault(FaultKind.HOOK, method="AccessSecretVersion", nth=3, hook=time_passes))
    wired.standin.faults.plan(Fault(FaultKind.HOOK, method="AccessSecretVersion", nth=4, hook=time_passes))
    assert (await access(wired, patience_s=0.05)).get_secret_value() == TOKEN


async def test_a_value_that_did_not_arrive_whole_is_not_used(wired: Google, leave: Authorised) -> None:
    await store(wired, leave)
    wired.standin.secrets.damaged = True
    with pytest.raises(RetryLater, match="did not arrive whole"):
        await access(wired)


@pytest.mark.parametrize("value", ["", "x" * 65_537])
async def test_nothing_and_too_much_are_refused_before_a_call(wired: Google, leave: Authorised, value: str) -> None:
    with pytest.raises(PersonMovesNext, match="between 1 and 65536"):
        await store(wired, leave, SecretStr(value))
    assert wired.standin.faults.calls == []


@pytest.mark.parametrize("name", ["", "a/b", "..", "a:addVersion", "x" * 256, "naïve"])
async def test_a_name_that_cannot_be_one_makes_no_call(wired: Google, leave: Authorised, name: str) -> None:
    with pytest.raises(PersonMovesNext, match="secret's name"):
        await store(wired, leave, name=name)
    with pytest.raises(PersonMovesNext, match="version"):
        await access(wired, "../1")
    assert wired.standin.faults.calls == []


@pytest.mark.parametrize(
    "kind", [FaultKind.PERMISSION_DENIED, FaultKind.API_DISABLED, FaultKind.RATE_LIMIT, FaultKind.UNAVAILABLE, None]
)
async def test_the_value_stands_in_no_log_error_name_or_call(
    wired: Google, leave: Authorised, every_line: pytest.LogCaptureFixture, kind: FaultKind | None
) -> None:
    if kind is not None:
        wired.standin.faults.plan(Fault(kind, method="AddSecretVersion"))
    seen = ""
    try:
        await store(wired, leave)
    except BotError as error:
        seen = everything_told(error)
    assert bool(seen) == (kind is not None)
    seen += every_line.text + repr(wired.standin.faults.calls) + repr(VALUE)
    assert every_line.text
    assert not [shape for shape in SHAPES if shape in seen]


def everything_told(error: BotError) -> str:
    """What a careless reader of an error could show: its words, its traceback, and what it carries along."""
    return "".join(traceback.format_exception(error)) + repr(error.telling) + repr(error.__context__) + repr(error.__cause__)


@pytest.mark.parametrize("status", [400, 403, 404, 409, 429, 500, 503])
async def test_words_of_google_that_repeat_the_value_are_not_passed_on(
    leave: Authorised, every_line: pytest.LogCaptureFixture, status: int
) -> None:
    def echo(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"labels": {"managed-by": "gemma-chatops"}})
        words = f"Invalid value at 'payload.data' (TYPE_BYTES): {request.content.decode()} {TOKEN}"
        return httpx.Response(status, json={"error": {"message": words, "code": status}})

    async with GoogleRest("p", root="http://127.0.0.1:1", transport=httpx.MockTransport(echo)) as rest:
        with pytest.raises(BotError) as caught:
            await SecretManager(rest).store(leave, "gemma-hf-token", VALUE)
    told = everything_told(caught.value) + every_line.text
    assert not [shape for shape in SHAPES if shape in told]
