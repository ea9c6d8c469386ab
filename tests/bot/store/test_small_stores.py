"""Cache, counters, audit and deployments; and what is said where there is no memory at all."""

from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.errors import NotConnectedError, PersonMovesNext
from bot.nouns import Deployment, Standing
from bot.store import keys
from bot.store.absent import NoApprovals, NoAudit, NoDirectory, NoWork
from bot.store.audit import AuditLog
from bot.store.cache import RedisCache
from bot.store.counters import Counters
from bot.store.deployments import DeploymentStore, from_file, from_settings
from tests.doubles.ports import ANNA, NOW, House


@pytest.mark.wire
async def test_the_cache_gives_back_what_was_put_and_forgets_it_in_time(redis: Redis) -> None:
    cache = RedisCache(redis)
    assert await cache.get("person:T1:U1") is None
    await cache.put("person:T1:U1", "mémber", 300)
    assert await cache.get("person:T1:U1") == "mémber"
    assert 298 <= await redis.ttl(keys.cached("person:T1:U1")) <= 300


@pytest.mark.wire
async def test_counters_add_up_by_name_and_label(redis: Redis) -> None:
    counters = Counters(redis)
    await counters.add("requests", "command")
    await counters.add("requests", "command", 2)
    await counters.add("requests", "a|b")
    await counters.add("kicks")
    assert await counters.read() == {("requests", "command"): 3, ("requests", "a|b"): 1, ("kicks", ""): 1}


@pytest.mark.wire
async def test_the_audit_is_kept_in_order_and_by_workspace(redis: Redis) -> None:
    audit = AuditLog(redis)
    for operation in ("cancel", "yes"):
        await audit.note("T1", {"who": ANNA.user_id, "operation": operation})
    lines = await redis.xrange(keys.audit("T1")) or []
    assert [fields[b"operation"] for _, fields in lines if fields] == [b"cancel", b"yes"]
    assert await redis.exists(keys.audit("T2")) == 0


CONFIGURED = (Deployment(name="prod", base_url="http://127.0.0.1:8000", origin="deployments.toml"),)


@pytest.mark.wire
async def test_what_was_configured_comes_first_and_is_not_overwritten_from_slack(redis: Redis) -> None:
    store = DeploymentStore(redis, CONFIGURED)
    await store.put("T1", Deployment(name="prod", base_url="http://127.0.0.1:9", origin="store"))
    await store.put("T1", Deployment(name="bench", origin="store"))
    await store.put("T2", Deployment(name="elsewhere", origin="store"))
    assert [(one.name, one.origin) for one in await store.all("T1")] == [("prod", "deployments.toml"), ("bench", "store")]


@pytest.mark.wire
async def test_where_it_stands_since_we_brought_it_up_goes_over_what_was_configured(redis: Redis) -> None:
    limited = CONFIGURED[0].model_copy(update={"channels": ("C1",)})
    store = DeploymentStore(redis, (limited,))
    settled = Deployment(name="prod", base_url="http://10.0.0.2:8000", machine="prod-1", zone="us-east5-a", owner="U1")
    for _ in range(2):
        await store.settle("T1", settled)
    (found,) = await store.all("T1")
    assert (found.base_url, found.machine, found.address_before) == ("http://10.0.0.2:8000", "prod-1", "http://127.0.0.1:8000")
    assert (found.channels, found.origin) == (("C1",), "deployments.toml")
    await store.settle("T1", settled.model_copy(update={"base_url": "http://10.0.0.3:8000", "machine": "prod-2"}))
    assert (await store.all("T1"))[0].address_before == "http://10.0.0.2:8000"
    assert await store.all("T2") == (limited,)


@pytest.mark.wire
async def test_what_somebody_sets_up_anew_stands_where_they_say(redis: Redis) -> None:
    store = DeploymentStore(redis, ())
    await store.settle("T1", Deployment(name="prod", base_url="http://10.0.0.2:8000", machine="prod-1"))
    await store.put("T1", Deployment(name="prod", base_url="http://127.0.0.1:9", origin="store"))
    (found,) = await store.all("T1")
    assert (found.base_url, found.machine) == ("http://127.0.0.1:9", None)


async def test_without_memory_only_what_was_configured_is_known() -> None:
    store = DeploymentStore(None, CONFIGURED)
    assert await store.all("T1") == CONFIGURED
    with pytest.raises(PersonMovesNext, match="cannot be kept without Redis"):
        await store.put("T1", CONFIGURED[0])


def test_an_address_alone_makes_the_default_deployment() -> None:
    assert [one.name for one in from_settings("http://127.0.0.1:8000")] == ["default"]
    assert from_settings(None) == ()


def test_a_file_has_a_table_for_each_deployment(tmp_path: Path) -> None:
    file = tmp_path / "deployments.toml"
    assert from_file(file) == ()
    file.write_text('[prod]\naccelerator = "v6e-4"\n[bench]\nends_at = 2026-11-30T18:50:00Z\n')
    prod, bench = from_file(file)
    assert (prod.name, prod.accelerator, prod.origin) == ("prod", "v6e-4", "deployments.toml")
    assert bench.ends_at == NOW + timedelta(hours=15, minutes=50)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[prod", "deployments.toml cannot be read"),
        ("[Prod]\n", r"deployments.toml: \[Prod\] name"),
        ("[prod]\ncolour = 1\n", r"deployments.toml: \[prod\] colour"),
        ("prod = 1\n", "prod is not a table"),
    ],
)
def test_a_wrong_file_is_told_by_table_and_field(tmp_path: Path, written: str, told: str) -> None:
    file = tmp_path / "deployments.toml"
    file.write_text(written)
    with pytest.raises(PersonMovesNext, match=told) as wrong:
        from_file(file)
    assert "deployments.toml" in wrong.value.telling.next_step


async def test_without_memory_whatever_needs_it_says_what_to_set() -> None:
    work, approvals, audit, request = NoWork(), NoApprovals(), NoAudit(), House().request("status")
    calls = [
        work.under_way("T1"),
        work.answer("r-1"),
        work.ask_to_stop("r-1"),
        approvals.get("ask-1"),
        audit.note("T1", {"who": request.actor.user_id}),
    ]
    for call in calls:
        with pytest.raises(NotConnectedError, match="Redis: not connected, set REDIS_URL"):
            await call


async def test_whoever_has_a_shell_is_a_member_of_no_group() -> None:
    directory = NoDirectory()
    assert await directory.standing(ANNA) is Standing.MEMBER
    assert not await directory.in_group(ANNA, "S1")
