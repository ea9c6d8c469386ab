"""Each prerequisite, taken away once: the finding names it and its fix, and the others still stand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from house_doubles import ALIVE, ALL_WELL, SCOPES, HouseInMemory, ask

from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import Actor, Role, ServedModel
from bot.operations.doctor import run
from bot.operations.doctor_scopes import NEEDED, missing
from bot.operations.operation import Context, NoArguments
from bot.ports import Grants, Memory
from bot.requests import Place
from bot.view import plain
from handlers.slack.manifest import SCOPES as MANIFEST

GRANTS = Grants(admins=("U1",), operators=("S1",))
REFUSED = PersonMovesNext("Slack does not accept the bot token.", next_step="Set SLACK_BOT_TOKEN.")
SERVED = (ServedModel(id="google/gemma-4-31B-it", context=65536),)


async def findings(world: Any, house: HouseInMemory) -> dict[str, dict[str, Any]]:
    outcome = await ask(world, house, "doctor")
    assert outcome.result is not None
    return {one["what"]: one for one in outcome.result["findings"]}


async def test_a_house_in_order_is_told_in_one_line(world: Any) -> None:
    world.engine["models"] = SERVED
    outcome = await ask(world, HouseInMemory(grants=GRANTS), "doctor")
    assert plain(outcome.view.verdict) == "All 12 prerequisites are met"
    assert all(plain(one).startswith("●") for one in (*outcome.view.lines, *outcome.view.details))


async def test_without_any_event_so_far_it_says_how_to_find_out(world: Any) -> None:
    world.engine["models"] = SERVED
    found = await findings(world, HouseInMemory(grants=GRANTS, mentions=0))
    assert (found["Slack events"]["met"], found["Slack events"]["found"]) == (None, "none came so far")
    assert "slack-manifest.json" in found["Slack events"]["fix"]


Change = Callable[[HouseInMemory, Any], None]


def house_with(**fields: Any) -> Change:
    def change(house: HouseInMemory, _world: Any) -> None:
        for name, value in fields.items():
            setattr(house, name, value)

    return change


def engine_says(answer: Any) -> Change:
    def change(_house: HouseInMemory, world: Any) -> None:
        world.engine["models"] = answer

    return change


def zone_silent(_house: HouseInMemory, world: Any) -> None:
    world.unreachable = {"us-east5-b": "permission denied"}


@pytest.mark.parametrize(
    ("change", "what", "met", "fix"),
    [
        (house_with(allowed=REFUSED), "Slack", False, "SLACK_BOT_TOKEN"),
        (house_with(allowed=SCOPES - {"usergroups:read"}), "Slack permissions", False, "slack-manifest.json"),
        (house_with(allowed=None), "Slack permissions", None, ""),
        (house_with(inside=False), "This channel", False, "/invite @gemma"),
        (house_with(grants=Grants()), "Admins", False, "/gemma setup CODE"),
        (house_with(grants=Grants(admins=("U1",))), "Roles", None, "OPERATORS"),
        (house_with(about=ALL_WELL.model_copy(update={"version": "6.0.16"})), "Redis version", False, "6.2"),
        (house_with(about=ALL_WELL.model_copy(update={"append_only": False})), "Redis append-only file", False, "appendonly yes"),
        (house_with(about=ALL_WELL.model_copy(update={"eviction": "allkeys-lru"})), "Redis eviction", False, "noeviction"),
        (house_with(about=Memory(version="7.0.0", append_only=None, eviction=None)), "Redis eviction", None, "noeviction"),
        (house_with(living={**ALIVE, "clock": 0}), "Processes", False, "Start gemma clock."),
        (house_with(living={"web": 1, "clock": 1}), "Processes", False, "Start gemma worker."),
        (zone_silent, "Google zones", False, "roles/tpu.viewer"),
        (engine_says(RetryLater("Gemma's server does not answer.", next_step="Start it.")), "Model prod", False, "Start it."),
        (engine_says(()), "Model prod", False, "log"),
    ],
)  # fmt: skip
async def test_what_is_not_met_is_named_with_its_fix(world: Any, change: Change, what: str, met: bool | None, fix: str) -> None:
    world.engine["models"] = SERVED
    house = HouseInMemory(grants=GRANTS)
    change(house, world)
    found = await findings(world, house)
    assert found[what]["met"] is met
    assert fix in found[what]["fix"]
    assert sum(1 for one in found.values() if one["met"] is not True) <= 2


async def test_versions_are_compared_as_numbers(world: Any) -> None:
    house = HouseInMemory(grants=GRANTS, about=ALL_WELL.model_copy(update={"version": "10.1.0"}))
    assert (await findings(world, house))["Redis version"]["met"] is True


async def test_what_is_wrong_comes_first(world: Any) -> None:
    world.engine["models"] = SERVED
    outcome = await ask(world, HouseInMemory(grants=GRANTS, inside=False), "doctor")
    assert plain(outcome.view.lines[0]).startswith("✖ This channel")


def test_the_manifest_asks_for_every_permission_that_is_needed_and_for_none_besides() -> None:
    assert missing(frozenset(MANIFEST)) == {}
    assert set(MANIFEST) == frozenset().union(*NEEDED.values())


async def test_without_redis_the_rest_is_still_looked_at(world: Any) -> None:
    world.engine["models"] = SERVED
    services = replace(world.services(), house=None)
    context = Context(services, Actor(team_id="T1", user_id="U1"), Role.VIEWER, Place(channel="C1"), world.now)
    found = {one.what: one for one in (await run(context, NoArguments())).findings}
    assert found["Redis"].fix == "Set REDIS_URL and restart."
    assert found["Slack"].fix == "Set SLACK_BOT_TOKEN and REDIS_URL and restart."
    assert found["Model prod"].met is True
