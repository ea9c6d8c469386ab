"""When something is wrong, and when it is over: from what was seen, and from nothing else."""

from datetime import timedelta

import pytest

from bot.nouns import Delta, Deployment, Handling, Sighting, Watch, Watched
from bot.nouns.window import Span
from bot.operations import incident_rules as rules
from bot.operations.incident_places import Told, told
from bot.operations.incident_rules import EngineSeen
from bot.ports import Lease
from tests.doubles.ports import NOW

SILENT_AT = NOW - timedelta(minutes=2)


def engine(*, answering: bool | None = False, now: bool | None = False, at_work: bool = False, age_s: float = 10) -> EngineSeen:
    known = Watched(since=NOW - timedelta(days=1), at=NOW - timedelta(seconds=age_s), answering=answering)
    return EngineSeen(known, SILENT_AT, now, ours_at_work=at_work)


def test_an_engine_that_fell_silent_and_does_not_answer_just_now_is_down_since_it_fell_silent():
    judged = rules.down("prod", engine(), NOW)
    assert judged.stands
    assert judged.incident is not None
    assert judged.incident.since == SILENT_AT


@pytest.mark.parametrize(
    "seen",
    [engine(now=True), engine(now=None), engine(at_work=True), engine(answering=None), engine(age_s=400)],
    ids=["answers just now", "nobody looked", "our own work restarts it", "never answered", "the looks are old"],
)
def test_what_is_doubtful_wakes_nobody_and_resolves_nothing(seen):
    assert rules.down("prod", seen, NOW).stands is None


def test_an_engine_that_never_answered_is_not_yet_up():
    assert rules.down("prod", EngineSeen(engine().known, None, answers_now=False, ours_at_work=False), NOW).stands is None


def test_an_engine_that_answers_again_is_over():
    assert rules.down("prod", engine(answering=True), NOW).stands is False


def test_the_same_incident_has_the_same_name_whoever_sees_it_and_the_next_one_another():
    again = rules.down("prod", engine(age_s=3), NOW + timedelta(seconds=7)).incident
    first = rules.down("prod", engine(), NOW).incident
    assert first is not None
    assert again is not None
    assert first.id == again.id
    assert rules.identified(Watch.DOWN, "prod", NOW) != first.id


def sighting(missed: int = 2) -> Sighting:
    since = NOW - timedelta(minutes=1) if missed else None
    return Sighting(name="prod-1", zone="us-east5-a", at=NOW, deployment="prod", missed_since=since, missed=missed)


def test_a_machine_is_lost_when_two_looks_did_not_find_it():
    assert rules.lost(sighting(1), ended=False, engine=None).stands is None
    assert rules.lost(sighting(2), ended=False, engine=None).stands


def test_a_machine_that_we_ended_or_that_runs_or_that_is_replaced_is_not_lost():
    assert rules.lost(sighting(), ended=True, engine=None).stands is False
    assert rules.lost(sighting(0), ended=False, engine=None).stands is False
    other = Watched(since=NOW, at=NOW, answering=True)
    assert rules.lost(sighting(), ended=False, engine=other).stands is False
    old = Watched(since=NOW, at=NOW - timedelta(minutes=2), answering=True)
    assert rules.lost(sighting(), ended=False, engine=old).stands


def test_two_looks_at_one_moment_are_one_and_silent_zones_tell_nothing():
    once = rules.remembered([sighting(0)], [], frozenset({"us-east5-a"}), NOW)
    assert [one.missed for one in rules.remembered(once, [], frozenset({"us-east5-a"}), NOW)] == [1]
    assert [one.missed for one in rules.remembered(once, [], frozenset(), NOW + timedelta(minutes=1))] == [1]
    assert [one.missed for one in rules.remembered(once, [], frozenset({"us-east5-a"}), NOW + timedelta(minutes=1))] == [2]
    assert rules.remembered(once, [], frozenset({"us-east5-a"}), NOW + timedelta(days=2)) == ()


def window(minute: int, running: float | None) -> Delta:
    since = NOW - timedelta(minutes=minute)
    gauges = {}
    if running is not None:
        gauges["running"] = Span(low=0, high=running, last=running, at=since, area=0, seconds=60)
    return Delta(since=since, until=since + timedelta(minutes=1), seconds=60, gauges=gauges)


def test_an_hour_seen_without_a_request_is_idle_and_what_nobody_saw_is_not():
    quiet = [window(minute, 0) for minute in range(60, 0, -1)]
    assert rules.idle_since(quiet, NOW, 3600) == NOW - timedelta(hours=1)
    assert rules.idle_since([*quiet[:59], window(1, 1)], NOW, 3600) is False
    assert rules.idle_since(quiet[:40], NOW, 3600) is None
    assert rules.idle_since([window(minute, None) for minute in range(60, 0, -1)], NOW, 3600) is None
    assert rules.idle_since([], NOW, 3600) is None


def test_the_first_reminder_leaves_time_for_a_replacement_and_never_comes_later_than_an_hour_before():
    assert rules.act_by(NOW, wait_s=60, start_s=60) == NOW - timedelta(hours=1)
    assert rules.act_by(NOW, wait_s=7200, start_s=1800) == NOW - timedelta(hours=2, minutes=45)


def lease(minutes: float) -> Lease:
    ends = NOW + timedelta(minutes=minutes)
    return Lease(machine="prod-1", zone="us-east5-a", request="r", ends_at=ends, owner="U1ANNA", work="machine-1")


def test_an_end_is_told_when_it_is_time_to_act_and_its_name_follows_from_the_end():
    assert rules.lease(lease(200), standing=True, now=NOW).stands is False
    first = rules.lease(lease(100), standing=True, now=NOW).incident
    later = rules.lease(lease(100), standing=True, now=NOW + timedelta(minutes=5)).incident
    moved = rules.lease(lease(101), standing=True, now=NOW).incident
    assert first is not None
    assert later is not None
    assert moved is not None
    assert first.id == later.id != moved.id
    assert rules.lease(lease(100), standing=None, now=NOW).stands is None
    assert rules.lease(lease(100), standing=False, now=NOW).how == "the machine is gone"


def handling(kind: Watch, owner: str | None = "U1ANNA") -> Handling:
    made = rules.Incident(id="alert-1", kind=kind, subject="prod", since=NOW, owner=owner)
    return Handling(incident=made)


PROD = Deployment(name="prod", channels=("C1",), owner="U1BEN")


def test_the_channel_that_watches_is_told_then_the_deployments_then_the_configured_one_then_the_owner():
    down = handling(Watch.DOWN)
    assert told(down, PROD, {("C9", Watch.DOWN): True}, "C5") == Told(channels=("C9",))
    assert told(down, PROD, {}, "C5") == Told(channels=("C1",))
    assert told(down, None, {}, "C5") == Told(channels=("C5",))
    assert told(down, None, {}, None) == Told(people=("U1ANNA",))
    assert told(handling(Watch.DOWN, owner=None), None, {}, None) == Told()
    assert told(handling(Watch.DOWN, owner="0123456789abcdef"), None, {}, None) == Told()


def test_a_channel_that_switched_it_off_hears_nothing_and_neither_does_anybody_in_its_place():
    assert told(handling(Watch.IDLE), PROD, {("C1", Watch.IDLE): False}, "C5") == Told()


def test_an_end_that_nobody_would_notice_disturbs_its_owner_alone():
    assert told(handling(Watch.LEASE), PROD, {}, None, quiet=True) == Told(people=("U1ANNA",))
    assert told(handling(Watch.LEASE), PROD, {("C9", Watch.LEASE): True}, None, quiet=True) == Told(channels=("C9",))
