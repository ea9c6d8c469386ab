"""Without Gemma: what is wrong by rules, from each kind of trouble as it can be seen, and how it is told."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.diagnosis import diagnose
from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import ContainerState, ContainerStatus, MachineState, RequestState, Role
from bot.operations import triage
from bot.operations.log_reading import LogKind, Piece
from bot.operations.operation import Context
from bot.operations.triage_rules import verdict
from bot.operations.triage_seen import Seen
from bot.requests import Place
from bot.view import LINES_LIMIT, VERDICT_LIMIT, View, plain
from tests.bot.diagnosis.test_triage import sample
from tests.doubles.engines import PLACE, Rig
from tests.doubles.ports import DANA, NOW, FakeCloud, House
from tests.doubles.sights import asked_for, fleet, machine, scrape

DIED = """\
INFO 11-30 02:00:00 [api_server.py:1] Application startup complete.
INFO 11-30 02:59:00 [loggers.py:1] Engine 000: Avg prompt throughput: 10.0 tokens/s
ERROR 11-30 02:59:10 [core.py:9] EngineCore encountered a fatal error.
INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error
INFO:     Application shutdown complete.
"""
SERVING = """\
INFO 11-30 02:00:00 [api_server.py:1] Application startup complete.
INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 200 OK
"""


def status(state: ContainerState, **more: Any) -> ContainerStatus:
    return ContainerStatus(name="gemma-engine", state=state, at=NOW, **more)


def seen(log: str = SERVING, **more: Any) -> Seen:
    """A silent engine whose container runs on a healthy machine that can be looked into."""
    lines = tuple(log.splitlines())
    usual: dict[str, Any] = {
        "machine": machine(),
        "machine_known": True,
        "container": status(ContainerState.RUNNING),
        "reached": True,
        "engine": Piece(LogKind.ENGINE, lines, (None,) * len(lines)),
        "findings": tuple(diagnose(lines)),
    }
    return Seen(at=NOW, deployment="prod", **(usual | more))


RESTART = "engine restart prod"
OOM = status(ContainerState.EXITED, exit_code=137, out_of_memory=True)
AGAIN, UNCLEAR = status(ContainerState.RESTARTING), status(ContainerState.EXITED, exit_code=3)
CLOSED: dict[str, Any] = {"container": None, "engine": None, "findings": (), "reached": False}
EXITED = status(ContainerState.EXITED, exit_code=1)
KILLED = status(ContainerState.EXITED, exit_code=137)
CASES: dict[str, tuple[Seen, str, str | None]] = {
    "no machine any more": (seen(machine=None), "machine_gone", "find prod"),
    "a failed request": (seen(machine=None, request=asked_for(RequestState.SUSPENDED)), "machine_gone", "find prod"),
    "a lost machine": (seen(machine=machine(state=MachineState.LOST), reached=None), "machine_gone", "find prod"),
    "still being looked for": (seen(machine=None, request=asked_for(RequestState.WAITING)), "being_made", None),
    "a stopped machine": (seen(machine=machine(state=MachineState.STOPPED)), "machine_stopped", "machine start prod-1"),
    "under repair": (seen(machine=machine(state=MachineState.REPAIRING)), "machine_unwell", "machine prod-1"),
    "unhealthy": (seen(machine=machine(health="UNHEALTHY_TENSORFLOW")), "machine_unwell", "machine prod-1"),
    "docker says memory": (
        seen(container=OOM),
        "host_memory",
        "engine restart prod",
    ),
    "the core died": (seen(DIED, container=EXITED), "engine_died", RESTART),
    "the core died and docker tries again": (
        seen(DIED, container=AGAIN),
        "engine_died",
        "engine restart prod",
    ),
    "a start that cannot work": (seen(sample("program_too_large"), container=EXITED), "program_too_large", None),
    "a hang": (seen(sample("engine_hangs")), "engine_hangs", RESTART),
    "no container": (seen("", container=status(ContainerState.ABSENT)), "absent", "engine start prod"),
    "told to stop": (seen(container=status(ContainerState.EXITED, exit_code=0)), "stopped", "engine start prod"),
    "killed from outside": (seen(container=KILLED), "killed", RESTART),
    "ended for nothing known": (
        seen("hello", container=UNCLEAR),
        "ended",
        "engine restart prod",
    ),
    "full": (seen(answers=True, sample=scrape(running=14, waiting=23, kv_cache_usage=0.97)), "full", "metrics prod since 1h"),
    "back again": (seen(answers=True), "recovered", "health prod"),
    "up, but not for us": (seen(), "unreachable_engine", "doctor"),
    "a machine that lets nobody in": (
        seen(**CLOSED),
        "unreachable_machine",
        "doctor",
    ),
    "nothing connected": (Seen(at=NOW, deployment="prod"), "unknown", "doctor"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_trouble_is_named_with_what_would_help(name: str) -> None:
    sight, expected, words = CASES[name]
    found = verdict(sight)
    assert (found.name, found.act[1] if found.act else None) == (expected, words)
    assert found.signs


def test_a_dead_core_shows_all_its_signs() -> None:
    found = verdict(seen(DIED, container=EXITED))
    assert found.unseen == ()
    assert found.matched == f"{len(found.signs)} of {len(found.signs)} signs"
    assert {"its container ended", "the engine does not answer", "its machine is ready and healthy"} <= set(found.signs)


def test_what_is_unknown_counts_as_a_sign_not_seen() -> None:
    found = verdict(seen(DIED, container=EXITED, machine=None, machine_known=False))
    assert found.unseen == ("its machine is ready and healthy",)


def test_a_failure_that_a_later_start_overcame_explains_nothing() -> None:
    assert verdict(seen(sample("program_too_large") + SERVING)).name == "unreachable_engine"


def test_a_failure_in_the_log_of_an_engine_that_answers_is_not_the_reason() -> None:
    assert verdict(seen(sample("program_too_large"), answers=True)).name == "recovered"


def test_silent_zones_say_nothing_of_a_lost_machine() -> None:
    assert verdict(seen(machine=None, machine_known=False, container=EXITED)).name != "machine_gone"


class Ward:
    """prod on prod-1 with its engine, and a model that does not answer."""

    def __init__(self) -> None:
        self.house = House()
        self.rig = Rig(self.house.clock)
        self.house.engines = self.rig.engines
        self.house.names.known = [PLACE]
        self.house.cloud = FakeCloud(fleet(machine()))
        self.rig.serves()
        self.rig.started(14, 11, 9)

    async def look(self, why: str = "") -> View:
        context = Context(self.house.services, DANA, Role.VIEWER, Place(channel="C1"), self.house.clock.at)
        return await triage.look(context, PLACE, why)


def told(view: View) -> list[str]:
    return [plain(view.verdict), *map(plain, view.lines)]


async def test_an_engine_that_runs_behind_a_wall_is_told_with_its_signs() -> None:
    view = await Ward().look("Gemma does not answer at 127.0.0.1:1")
    assert told(view) == [
        "Gemma does not answer; this comes from rules, not from Gemma",
        "Machine prod-1 ready and healthy. Engine container running since 00:00 UTC. "
        "Matches “the engine runs, but the bot cannot reach it”: 5 of 5 signs.",
        "Try: look at the way between: address and port, firewall, tunnel. "
        "If it does not answer on its own machine either, it hangs.",
        "Last change: none known.",
    ]
    assert [one.words for one in view.buttons] == ["doctor", "logs engine prod lines 12"]
    assert "When Gemma was asked: Gemma does not answer at 127.0.0.1:1" in map(plain, view.details)


async def test_how_long_a_restart_takes_comes_from_the_last_starts() -> None:
    ward = Ward()
    ward.rig.docker.containers.clear()
    view = await ward.look()
    assert "Matches “there is no engine on its machine”: 3 of 3 signs." in plain(view.lines[0])
    assert plain(view.lines[1]) == "Try: start it (about 11 min here)."
    assert [one.words for one in view.buttons] == ["engine start prod"]


@pytest.mark.parametrize(
    "error",
    [RetryLater("Machine: prod-1 does not answer.", arrived=False), PersonMovesNext("Machine: no key for prod.")],
)
async def test_a_machine_that_cannot_be_looked_into_is_said_and_the_rest_counts(error: Exception) -> None:
    ward = Ward()
    ward.rig.errors = [error]
    view = await ward.look()
    assert "Engine container unknown" in plain(view.lines[0])
    assert any(str(error).rstrip(".") in plain(one) for one in view.lines)


async def test_a_cloud_that_is_away_hides_nothing_of_the_engine() -> None:
    ward = Ward()
    ward.house.cloud = FakeCloud(RetryLater("Google Cloud did not answer in time."))
    view = await ward.look()
    assert "Machine unknown. Engine container running" in plain(view.lines[0])
    assert any("Google Cloud did not answer" in plain(one) for one in view.lines)


async def test_with_nothing_connected_it_says_so_and_what_to_do() -> None:
    house = House()
    house.names.known = [PLACE]
    house.cloud = FakeCloud(RetryLater("Google Cloud did not answer in time."))
    context = Context(house.services, DANA, Role.VIEWER, Place(channel="C1"), house.clock.at)
    view = await triage.look(context, PLACE)
    assert "No rule matches" in plain(view.lines[0])
    assert [one.words for one in view.buttons] == ["doctor"]


@pytest.mark.parametrize("name", CASES)
def test_every_telling_fits_a_phone_with_a_line_and_a_button_to_spare(name: str) -> None:
    sight, _, _ = CASES[name]
    sight = replace(sight, missing=("Machine: no answer within 6 s",) * 3, silent_since=NOW - timedelta(minutes=8))
    view = triage.triage_view.show(triage.told(sight, verdict(sight)), "x" * 500)
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert len(view.lines) <= LINES_LIMIT - 2
    assert len(view.buttons) <= 2
    assert "rules, not from Gemma" in plain(view.verdict)
