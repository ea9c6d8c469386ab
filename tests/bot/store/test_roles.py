"""Roles in Redis, and the code that makes the first admin: once, by nobody but who has it, and not for long."""

import asyncio
import re

import pytest
from redis.asyncio import Redis

from bot.nouns import Role
from bot.ports import Grants
from bot.store import keys
from bot.store.roles import CODE_LIFE_S, RoleStore, new_code

pytestmark = pytest.mark.wire
TEAM, DIGEST = "T1", "0123456789abcdef0123456789abcdef"


@pytest.fixture
def roles(redis: Redis) -> RoleStore:
    return RoleStore(redis)


def test_no_two_codes_are_alike_and_each_can_be_read_out() -> None:
    made = {new_code() for _ in range(200)}
    assert len(made) == 200
    assert all(re.fullmatch(r"[0-9a-f]{5}(-[0-9a-f]{5}){3}", code) for code in made)


async def test_roles_are_given_changed_and_taken_away_in_their_own_workspace(roles: RoleStore) -> None:
    await roles.give(TEAM, "U1", Role.ADMIN)
    await roles.give(TEAM, "S1", Role.OPERATOR)
    assert await roles.given(TEAM) == Grants(admins=("U1",), operators=("S1",))
    assert await roles.given("T2") == Grants()
    await roles.give(TEAM, "U1", Role.OPERATOR)
    await roles.give(TEAM, "S1", Role.VIEWER)
    assert await roles.given(TEAM) == Grants(operators=("U1",))


async def test_a_word_for_a_role_that_we_do_not_know_gives_none(roles: RoleStore, redis: Redis) -> None:
    await redis.hset(keys.roles(TEAM), "U1", "emperor")
    assert await roles.given(TEAM) == Grants()


async def test_of_many_who_send_the_code_at_once_one_becomes_admin(roles: RoleStore) -> None:
    await roles.offer(TEAM, DIGEST)
    done = await asyncio.gather(*(roles.first_admin(TEAM, DIGEST, f"U{number}") for number in range(20)))
    assert sum(done) == 1
    assert (await roles.given(TEAM)).admins == (f"U{done.index(True)}",)


async def test_a_wrong_code_does_nothing_and_leaves_the_right_one(roles: RoleStore) -> None:
    await roles.offer(TEAM, DIGEST)
    assert not await roles.first_admin(TEAM, "f" * 32, "U1")
    assert not await roles.first_admin("T2", DIGEST, "U1")
    assert await roles.first_admin(TEAM, DIGEST, "U1")


async def test_a_code_is_worth_nothing_once_there_is_an_admin(roles: RoleStore) -> None:
    await roles.offer(TEAM, DIGEST)
    await roles.give(TEAM, "U1", Role.ADMIN)
    assert not await roles.first_admin(TEAM, DIGEST, "U2")


async def test_the_newest_code_counts_and_it_ends_within_the_hour(roles: RoleStore, redis: Redis) -> None:
    await roles.offer(TEAM, DIGEST)
    await roles.offer(TEAM, "e" * 32)
    assert not await roles.first_admin(TEAM, DIGEST, "U1")
    assert 0 < await redis.ttl(keys.setup_code(TEAM)) <= CODE_LIFE_S


async def test_what_stands_in_redis_is_no_code(roles: RoleStore, redis: Redis) -> None:
    await roles.offer(TEAM, DIGEST)
    kept = await redis.get(keys.setup_code(TEAM))
    assert isinstance(kept, bytes)
    assert DIGEST not in kept.decode()
    assert not await roles.first_admin(TEAM, kept.decode(), "U1")
