"""Who did what, with whose yes, how it ended."""

from dataclasses import replace
from typing import Any

import pytest
from house_doubles import HouseInMemory, ask

from bot.errors import NotConnectedError, RefusedError, UsageError
from bot.nouns import Actor, Role
from bot.operations.audit import AuditArguments, run
from bot.operations.operation import Context
from bot.ports import Grants
from bot.requests import Place
from bot.view import plain

ADMIN = Grants(admins=("U1",))


def entry(**fields: str) -> dict[str, str]:
    return {"at": "2026-11-30T14:00:00+00:00", "who": "U2", "door": "command", "operation": "cancel", "ended": "done", **fields}


async def test_what_changed_something_is_found_again_with_its_words_and_its_end(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN)
    await ask(world, house, "budget set $500")
    outcome = await ask(world, house, "audit")
    assert outcome.result is not None
    (found,) = outcome.result["entries"]
    assert (found["who"], found["said"], found["operation"]) == ("U1", "budget set $500", "budget.set")
    assert found["ended"].startswith("The limit is now $500.00 a month")


async def test_what_failed_stands_there_as_failed(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN)
    with pytest.raises(UsageError):
        await ask(world, house, "setup adopt name=prod address=http://127.0.0.1:1")
    outcome = await ask(world, house, "audit")
    assert outcome.result is not None
    assert outcome.result["entries"][0]["ended"].startswith("failed: ")


async def test_reads_are_nobodys_business(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN)
    await ask(world, house, "budget")
    assert not house.entries


async def test_the_yes_and_a_broken_glass_are_told(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN, entries=[entry(yes_by="U3"), entry(because="the site is down")])
    lines = [plain(one) for one in (await ask(world, house, "audit since 24h")).view.lines]
    assert "glass broken: the site is down" in lines[0]
    assert "yes by @U3" in lines[1]


async def test_only_what_is_young_enough_is_shown_and_an_empty_answer_says_how_far_it_looked(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN, entries=[entry()])
    outcome = await ask(world, house, "audit since 30m")
    assert "in the last 30 min" in plain(outcome.view.verdict)
    assert outcome.result is not None
    assert outcome.result["entries"] == []


async def test_a_long_list_says_that_it_is_cut(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN, entries=[entry()] * 100)
    assert plain((await ask(world, house, "audit")).view.verdict).startswith("at least 60 entries")


async def test_only_an_admin_reads_it_and_nobody_else_sees_the_answer(world: Any) -> None:
    with pytest.raises(RefusedError, match="Only admins"):
        await ask(world, HouseInMemory(grants=Grants(operators=("U1",))), "audit")
    assert (await ask(world, HouseInMemory(grants=ADMIN), "audit")).whisper


async def test_without_redis_it_says_what_to_set(world: Any) -> None:
    services = replace(world.services(), house=None)
    nowhere = Context(services, Actor(team_id="T1", user_id="U1"), Role.ADMIN, Place(channel="C1"), world.now)
    with pytest.raises(NotConnectedError, match="REDIS_URL"):
        await run(nowhere, AuditArguments())


async def test_a_day_is_told_in_the_hours_that_people_type(world: Any) -> None:
    outcome = await ask(world, HouseInMemory(grants=ADMIN), "audit")
    assert plain(outcome.view.verdict) == "Nothing was changed, spent or destroyed in the last 24 h"
