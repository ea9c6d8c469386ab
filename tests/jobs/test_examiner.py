"""What a Gemma does right is looked at when the clock starts and when it changes, by one clock; `doctor` tells it."""

from datetime import UTC, datetime

import pytest
from redis.asyncio import Redis

from bot.nouns import Conformance, ConformanceCheck, Deployment, Role, ServedModel, Verdict
from bot.operations import doctor
from bot.operations.operation import Context, NoArguments
from bot.requests import Place
from bot.store import keys
from bot.store.conformances import ConformanceStore
from jobs.examiner import Examiner
from tests.doubles.gemma import ScriptedModel, said
from tests.doubles.ports import ANNA, TEAM
from tests.doubles.running import Workshop

pytestmark = pytest.mark.wire


@pytest.fixture
def shop(redis: Redis) -> Workshop:
    made = Workshop(redis)
    made.house.names.known = [Deployment(name="prod", base_url="http://127.0.0.1:1")]
    made.house.engine.served = (ServedModel(id="google/gemma-4-31B-it", context=65_536),)
    made.house.engine.said_version = "0.32.0"
    made.house.more = {"model": ScriptedModel(turns=[said("A heron is a grey bird.")]), "conformances": ConformanceStore(redis)}
    return made


def asked(shop: Workshop) -> int:
    return len(shop.house.more["model"].asked)


async def test_it_is_examined_once_and_again_when_its_version_changes(shop: Workshop) -> None:
    await Examiner(shop.runtime).look()
    first = asked(shop)
    assert first >= 5
    found = await ConformanceStore(shop.redis).last(TEAM, "prod")
    assert found is not None
    assert (found.version, found.model_id) == ("0.32.0", "google/gemma-4-31B-it")
    await shop.redis.delete(keys.once(f"examined:{TEAM}:prod"))
    await Examiner(shop.runtime).look()
    assert asked(shop) == first
    shop.house.engine.said_version = "0.33.0"
    await Examiner(shop.runtime).look()
    assert asked(shop) > first


async def test_of_two_clocks_one_examines(shop: Workshop) -> None:
    await Examiner(shop.runtime).look()
    first = asked(shop)
    shop.house.engine.said_version = "0.33.0"
    await Examiner(shop.runtime).look()
    assert asked(shop) == first, "the claim of the other still holds"


async def test_a_server_that_does_not_answer_is_looked_at_another_time(shop: Workshop) -> None:
    shop.house.names.known.append(Deployment(name="lab"))
    shop.house.engine.served = ()
    await Examiner(shop.runtime).look()
    assert asked(shop) == 0


@pytest.mark.parametrize(
    ("verdict", "met", "words"),
    [
        (Verdict.PASSED, True, "answers with tools: 1 of 1 checks passed"),
        (Verdict.FAILED, None, "0 of 1 checks passed; not: tool call (it made no call)"),
    ],
)
async def test_doctor_tells_what_was_seen(shop: Workshop, verdict: Verdict, met: bool | None, words: str) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    check = ConformanceCheck(name="tool call", verdict=verdict, seen="it made no call", at=at)
    seen = Conformance(deployment="prod", model_id="m", version="0.32.0", checks=(check,))
    await ConformanceStore(shop.redis).keep(TEAM, seen)
    context = Context(shop.house.services, ANNA, Role.ADMIN, Place(channel="C1"), at)
    found = await doctor.run(context, NoArguments())
    (model,) = [one for one in found.findings if one.what == "Model prod"]
    assert model.met is met
    assert words in model.found
    assert ("--tool-call-parser gemma4" in model.fix) is (met is None)
