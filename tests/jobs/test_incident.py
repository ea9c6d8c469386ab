"""An incident is told once, kept up to date in place and resolved, whoever is killed and however many clocks look."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.errors import RefusedError, RetryLater
from bot.nouns import Deployment, Look, Watch
from bot.operations import OPERATIONS
from bot.operations.execute import execute
from bot.ports import Alerting, Lease
from bot.services import Runtime
from bot.store import keys
from bot.store.happenings import HappeningStore
from bot.store.incidents import IncidentStore, SightingStore, WatchStore
from bot.store.leases import LeaseStore
from bot.store.work import INCIDENT, Work
from bot.view import plain
from jobs.incident import incident
from jobs.steps import Step, run
from jobs.watcher import Watcher
from tests.doubles.ports import BEN, TEAM
from tests.doubles.running import Workshop
from tests.doubles.sights import PROD, fleet, machine
from tests.doubles.slack import FakeSlack

pytestmark = pytest.mark.wire
MINUTE = 60.0


@dataclass
class Scene(Workshop):
    """A channel that is told, a deployment, and the clock's looks at its engine by hand."""

    oncall: str | None = "S1OPS"
    channel: str | None = "C5"

    def __post_init__(self) -> None:
        self.house.names.known = [PROD]
        self.house.cloud.answer = fleet(machine())
        self.house.happenings = HappeningStore(self.redis)
        self.house.leases = LeaseStore(self.redis)

    @property
    def alerting(self) -> Alerting:
        stores = (IncidentStore(self.redis), WatchStore(self.redis), SightingStore(self.redis))
        return Alerting(*stores, oncall=self.oncall, channel=self.channel)

    @property
    def told(self) -> Runtime:
        return replace(self.runtime, services=replace(self.house.services, alerting=self.alerting))

    async def looks(self, *, answers: bool) -> None:
        """The sampler's look at the engine, and the watcher's at everything."""
        self.house.clock.move(seconds=MINUTE)
        if answers:
            self.house.engine.health = True
        else:
            self.house.engine.health = RetryLater("prod does not answer.")
        await HappeningStore(self.redis).note(TEAM, "prod", Look(at=self.house.clock.at, answers=answers))
        await Watcher(self.told, MINUTE).look()

    async def tell(self) -> None:
        """Every worker's step that is due."""
        for work_id in [one.decode() for one in await self.redis.zrange(keys.DUE, 0, -1)]:
            await self.redis.hset(keys.work(work_id), mapping={"lease_until": 0, "not_before": 0})
            await run(self._told_step, {INCIDENT: incident}, self.told, work_id)

    def _told_step(self, work: Work) -> Step:
        return Step(work, self.told, OPERATIONS, self._kick)

    async def goes_down(self) -> None:
        await self.looks(answers=True)
        await self.looks(answers=False)
        await self.looks(answers=False)

    async def says(self, words: str) -> str:
        request = self.house.request(words, BEN)
        return plain((await execute(OPERATIONS, self.told.services, request)).view.verdict)

    def verdicts(self, thread: bool = False) -> list[str]:
        return [plain(one.view.verdict) for one in self.slack.messages.values() if (one.thread is not None) == thread]


class KilledError(BaseException):
    """The process is gone: nothing catches it, nothing is cleaned up in Redis."""


@dataclass
class Killer:
    """Dies at one call, once; while `alive`, at none, and none is counted."""

    at: int
    seen: int = 0
    alive: bool = True

    def call(self) -> None:
        self.seen += not self.alive
        if not self.alive and self.seen == self.at:
            raise KilledError


class DyingRedis(Redis):
    """Every call of every store may be the last one."""

    def __init__(self, *, killer: Killer, **options: Any) -> None:
        super().__init__(**options)
        self.killer = killer

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        self.killer.call()
        return await super().execute_command(*args, **options)


@dataclass
class DyingSlack(FakeSlack):
    """So may every call of Slack."""

    killer: Killer = field(default_factory=lambda: Killer(0))

    def _called(self, method: str) -> None:
        self.killer.call()
        super()._called(method)


@pytest.fixture
async def scene(redis: Redis) -> Scene:
    return Scene(redis)


async def test_down_is_told_once_taken_by_name_and_resolved_in_place_with_how_long_it_took(scene: Scene) -> None:
    await scene.goes_down()
    await scene.tell()
    assert scene.verdicts() == ["prod does not answer since 03:02 UTC, 1 min"]
    (message,) = scene.slack.messages.values()
    assert message.channel == "C5"
    take = next(one for one in message.view.buttons if one.label == "I'm on it")
    assert await scene.says(take.words) == "You are on it: prod. Nobody else is asked; the alert names you."
    await scene.tell()
    assert any("@U1BEN is on it" in plain(line) for line in message.view.lines)
    assert "I'm on it" not in {one.label for one in message.view.buttons}
    await scene.looks(answers=True)
    await scene.looks(answers=True)
    await scene.tell()
    assert plain(message.view.verdict) == "Resolved after 3 min · prod did not answer: it answers again"
    assert scene.verdicts(thread=True) == ["@U1BEN · Resolved after 3 min · prod did not answer: it answers again"]
    assert await scene.redis.zcard(keys.DUE) == 0
    await scene.looks(answers=True)
    await scene.tell()
    assert len(scene.slack.messages) == 2


async def test_two_clocks_and_looks_that_come_twice_tell_one_incident(scene: Scene) -> None:
    await scene.goes_down()
    await asyncio.gather(*(Watcher(scene.told, MINUTE).look() for _ in range(3)))
    await scene.redis.delete(*await scene.redis.keys("gemma:once:*"))
    await Watcher(scene.told, MINUTE).look()
    await scene.tell()
    await scene.tell()
    assert len(scene.slack.messages) == 1


async def test_one_missed_look_wakes_nobody(scene: Scene) -> None:
    await scene.looks(answers=True)
    await scene.looks(answers=False)
    await scene.looks(answers=True)
    await scene.tell()
    assert scene.slack.messages == {}


async def test_nobody_on_it_is_asked_again_by_the_group_and_a_snooze_holds_that_off(scene: Scene) -> None:
    await scene.goes_down()
    await scene.tell()
    (message,) = scene.slack.messages.values()
    snooze = next(one for one in message.view.buttons if one.label == "Snooze 15 min")
    await scene.says(snooze.words)
    scene.house.clock.move(minutes=11)
    await scene.tell()
    assert scene.verdicts(thread=True) == []
    scene.house.clock.move(minutes=5)
    await scene.tell()
    await scene.tell()
    assert [one.startswith("@S1OPS · prod does not answer") for one in scene.verdicts(thread=True)] == [True]


async def test_an_unwatched_trouble_of_nobodys_is_in_the_list_and_disturbs_no_one(scene: Scene) -> None:
    scene.channel = None
    await scene.goes_down()
    await scene.tell()
    assert scene.slack.messages == {}
    assert await scene.says("incidents") == "1 incident"


async def test_a_channel_we_are_not_in_is_no_end_and_the_incident_still_resolves(scene: Scene) -> None:
    scene.slack.refuse("post", RefusedError("I am not in that channel."))
    await scene.goes_down()
    await scene.tell()
    await scene.looks(answers=True)
    await scene.looks(answers=True)
    await scene.tell()
    assert await scene.says("incidents") == "Nothing is wrong that I watch · what that is: watch list"
    assert await scene.redis.zcard(keys.DUE) == 0


async def test_a_post_whose_answer_was_lost_is_found_and_not_repeated(scene: Scene) -> None:
    scene.slack.break_after_post = True
    await scene.goes_down()
    await scene.tell()
    await scene.tell()
    assert len(scene.slack.messages) == 1


async def test_a_lost_machine_of_a_deployment_that_is_down_is_a_fact_and_no_second_message(scene: Scene) -> None:
    await scene.goes_down()
    scene.house.cloud.answer = fleet()
    await scene.looks(answers=False)
    await scene.looks(answers=False)
    await scene.tell()
    (message,) = scene.slack.messages.values()
    assert any("Its machine prod-1 is gone, and I did not end it." in plain(line) for line in message.view.lines)


async def test_a_machine_that_google_took_is_told_once_and_one_that_we_destroyed_is_not(scene: Scene) -> None:
    await scene.looks(answers=True)
    scene.house.cloud.answer = fleet()
    scene.house.names.known = [Deployment(name="prod", machine="prod-1")]
    await scene.looks(answers=False)
    await scene.looks(answers=False)
    await scene.looks(answers=False)
    await scene.tell()
    assert scene.verdicts() == ["Machine prod-1 is lost in us-east5-a since 03:02 UTC, so prod is down"]


async def test_the_end_of_a_machine_is_told_to_its_owner_then_a_quarter_of_an_hour_before_and_moves_with_it(scene: Scene) -> None:
    scene.channel = None
    ends = scene.house.clock.at + timedelta(minutes=90)
    lease = Lease(machine="prod-1", zone="us-east5-a", request="r", ends_at=ends, owner="U1ANNA", work="machine-1")
    await LeaseStore(scene.redis).put(TEAM, lease)
    await scene.looks(answers=True)
    await scene.tell()
    (message,) = scene.slack.messages.values()
    assert message.channel == "DU1ANNA"
    assert plain(message.view.verdict) == "prod-1 ends at 04:30 UTC, in 1 h 29 min, and cannot be extended"
    scene.house.clock.move(minutes=76)
    await scene.tell()
    await scene.tell()
    assert scene.verdicts(thread=True) == ["@U1ANNA · prod-1 ends at 04:30 UTC, in 13 min, and cannot be extended"]
    await LeaseStore(scene.redis).put(TEAM, lease.model_copy(update={"ends_at": ends + timedelta(hours=4)}))
    await scene.looks(answers=True)
    await scene.tell()
    assert plain(message.view.verdict) == "Resolved over · the end of prod-1: it ends later now"


async def _killed(redis: Redis, at: int) -> tuple[list[str], bool]:
    """The whole story, with one call of the stores or of Slack failing as if the process had died there."""
    await redis.flushdb()
    killer = Killer(at)
    scene = Scene(DyingRedis(connection_pool=redis.connection_pool, killer=killer), slack=DyingSlack(killer=killer))
    await scene.looks(answers=True)
    killer.alive = False
    for answers in (False, False, False):
        await _survived(lambda answers=answers: scene.looks(answers=answers))
        await _survived(scene.tell)
    reached, killer.alive = killer.seen >= at, True
    for answers in (False, False, True, True):
        await scene.redis.delete(*(await scene.redis.keys("gemma:once:*") or ["none"]))
        await scene.looks(answers=answers)
        await scene.tell()
        await scene.tell()
    return scene.verdicts(), reached


async def _survived(act: Callable[[], Awaitable[None]]) -> None:
    try:
        await act()
    except KilledError:
        return


async def test_killed_at_every_call_there_is_one_message_and_it_ends_resolved(redis: Redis) -> None:
    at, more = 1, True
    while more:
        verdicts, more = await _killed(redis, at)
        assert len(verdicts) == 1, (at, verdicts)
        assert verdicts[0].startswith("Resolved after"), (at, verdicts)
        at += 1
    assert at > 40


async def test_watch_off_in_the_channel_ends_its_alerts(scene: Scene) -> None:
    await WatchStore(scene.redis).put(TEAM, "C5", Watch.DOWN, on=False)
    await scene.goes_down()
    await scene.tell()
    assert scene.slack.messages == {}
