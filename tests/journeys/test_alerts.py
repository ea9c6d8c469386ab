"""Conversations that nobody begins: the clock sees something, and people are told. Its looks are a second apart here."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from bot.ports import Lease
from bot.store.leases import LeaseStore
from sandbox.google.seed import HOME
from sandbox.whole import Sandbox
from tests.journeys.test_journeys import ALERTS, FOLDER, Conversation, same, turns

in_sandbox = pytest.mark.asyncio(loop_scope="module")
NEWS_WITHIN_S = 90
"""Two looks five seconds apart, one by the watcher, and a machine that is busy with other things."""


class Watched(Conversation):
    """The world changes, and what people then see is waited for."""

    expected: tuple[str, ...] = ()

    async def turn(self, does: str) -> list[str]:
        """Do it, and return what is new or changed, once it is what was expected or the time is over."""
        self._user, self._channel = "ben", "#ops"
        before = self._seen()
        if not await self._changed_world(does):
            await self._do(does, None)
        for _ in range(NEWS_WITHIN_S * 10):
            news = [line for ts, lines in self._seen().items() if before.get(ts) != lines for line in lines]
            if same(self.expected, news):
                break
            await asyncio.sleep(0.1)
        return news

    async def _changed_world(self, does: str) -> bool:
        match does:
            case "the engine stops answering":
                await self._seen_answering()
                await self._sandbox.vllm.scenario("down")
            case "the engine answers again":
                await self._sandbox.vllm.scenario("up")
            case "prod-1 is to end in 14 min":
                team, ends = self._sandbox.slack.workspace.team_id, datetime.now(UTC) + timedelta(minutes=14)
                lease = Lease(machine="prod-1", zone=HOME, request=None, ends_at=ends, owner="U0ANNA", work="machine-1")
                await LeaseStore(self._sandbox.redis).put(team, lease)
            case _:
                return False
        return True

    async def _seen_answering(self) -> None:
        """An engine that the clock never saw answering is not yet up, and its silence is no news."""
        key = f"gemma:watched:{self._sandbox.slack.workspace.team_id}:prod"
        async with asyncio.timeout(NEWS_WITHIN_S):
            while b'"answering":true' not in (await self._sandbox.redis.get(key) or b""):
                await asyncio.sleep(0.1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def alarmed() -> AsyncIterator[Sandbox]:
    async with Sandbox(SAMPLE_SECONDS="1", WATCH_SECONDS="1", ALERTS_CHANNEL="C0OPS") as sandbox:
        yield sandbox


@pytest.mark.wire
@in_sandbox
@pytest.mark.parametrize("name", ALERTS)
async def test_people_are_told_as_it_is_written(name: str, alarmed: Sandbox) -> None:
    watched = Watched(alarmed)
    for turn in turns((FOLDER / name).read_text()):
        watched.expected = turn.sees
        lines = await watched.turn(turn.does)
        assert same(turn.sees, lines), "\n".join([f"{name}: after “{turn.does}” people saw", *(f"    {line}" for line in lines)])
