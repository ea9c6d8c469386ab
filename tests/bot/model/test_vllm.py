"""The adapter against the stand-in, over real sockets."""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from bot.errors import PersonMovesNext, RetryLater
from bot.model import TimeOuts, VllmEngine
from bot.nouns import Deployment, ServedModel
from bot.ports import Engine
from sandbox.clock import Clock, HeldClock
from sandbox.vllm import Fault, VllmStandIn

pytestmark = pytest.mark.wire
NIGHT = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
QUICK = TimeOuts(connect_s=0.5, read_s=0.2, total_s=0.4)


@pytest.fixture
async def clock() -> HeldClock:
    """Two o'clock at night."""
    return HeldClock(NIGHT)


@pytest.fixture
async def server(clock: HeldClock) -> AsyncIterator[VllmStandIn]:
    """A stand-in that listens."""
    stand_in = VllmStandIn(clock)
    await stand_in.start()
    yield stand_in
    await stand_in.stop()


@pytest.fixture
async def engine(clock: HeldClock) -> AsyncIterator[VllmEngine]:
    """The adapter."""
    async with VllmEngine(clock, time_outs=QUICK) as adapter:
        yield adapter


@pytest.fixture
def prod(server: VllmStandIn) -> Deployment:
    """The deployment that the stand-in serves, addressed as OpenAI clients do."""
    return Deployment(name="prod", base_url=f"{server.url}/v1")


async def test_health_models_and_version_of_a_server_that_is_up(engine: VllmEngine, prod: Deployment) -> None:
    port: Engine = engine
    assert await port.healthy(prod)
    assert await port.version(prod) == "0.32.0"
    assert await port.models(prod) == (ServedModel(id="google/gemma-4-31B-it", root="google/gemma-4-31B-it", context=65536),)


async def test_a_sample_of_the_saturated_hour(
    engine: VllmEngine, prod: Deployment, server: VllmStandIn, clock: HeldClock
) -> None:
    await server.scenario("saturated")
    before = await engine.sample(prod)
    await clock.advance(300)
    after = await engine.sample(prod)
    assert after.at == clock.now()
    assert after.gauges["running"] == 14
    assert after.gauges["waiting"] == 23
    assert after.gauges["kv_cache_usage"] == pytest.approx(0.97, abs=0.005)
    assert after.counters["preemptions"] > before.counters["preemptions"]
    assert after.counters["prompt_tokens"] > before.counters["prompt_tokens"]
    assert after.cache_config["kv_cache_size_tokens"] == "67328"
    assert after.started_at == before.started_at == NIGHT


async def test_a_restart_shows_in_the_start_and_in_counters_that_fell(
    engine: VllmEngine, prod: Deployment, server: VllmStandIn, clock: HeldClock
) -> None:
    await clock.advance(600)
    before = await engine.sample(prod)
    await server.scenario("restarted")
    after = await engine.sample(prod)
    assert before.started_at == NIGHT
    assert after.started_at == clock.now()
    assert after.counters["generation_tokens"] < before.counters["generation_tokens"]


async def test_a_server_that_is_down_does_not_answer_and_is_there_again_afterwards(
    engine: VllmEngine, prod: Deployment, server: VllmStandIn
) -> None:
    assert await engine.healthy(prod)
    await server.scenario("down")
    for ask in (engine.healthy, engine.sample, engine.models, engine.version):
        with pytest.raises(RetryLater, match=r"does not answer at 127\.0\.0\.1:\d+$"):
            await ask(prod)
    await server.scenario("up")
    assert await engine.healthy(prod)


async def test_a_server_that_fails_is_not_healthy_and_its_figures_may_come_later(
    engine: VllmEngine, prod: Deployment, server: VllmStandIn
) -> None:
    await server.scenario("failing")
    assert await engine.healthy(prod) is False
    with pytest.raises(RetryLater, match="answers 503"):
        await engine.sample(prod)


async def test_a_server_that_hangs_is_given_up_in_time(engine: VllmEngine, prod: Deployment, server: VllmStandIn) -> None:
    await server.scenario("hanging")
    async with asyncio.timeout(5):
        with pytest.raises(RetryLater, match="does not answer"):
            await engine.sample(prod)


async def test_an_answer_that_drips_is_given_up_when_the_whole_takes_too_long(engine: VllmEngine) -> None:
    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        for _byte in range(100):
            writer.write(b"x")
            await asyncio.sleep(0.05)
        writer.close()

    dripping = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = dripping.sockets[0].getsockname()[1]
    async with asyncio.timeout(3):
        with pytest.raises(RetryLater, match="does not answer"):
            await engine.sample(Deployment(name="prod", base_url=f"http://127.0.0.1:{port}"))
    dripping.close()


async def test_half_a_body_is_no_sample(engine: VllmEngine) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nvllm:num_requests_running 1\n")
        writer.close()

    serving = await asyncio.start_server(half, "127.0.0.1", 0)
    port = serving.sockets[0].getsockname()[1]
    with pytest.raises(RetryLater):
        await engine.sample(Deployment(name="prod", base_url=f"http://127.0.0.1:{port}"))
    serving.close()


async def test_a_connection_that_breaks_loses_nothing_and_the_next_call_works(
    engine: VllmEngine, prod: Deployment, server: VllmStandIn
) -> None:
    server.faults.order(Fault(kind="drop", path="/metrics", at_call=2, when="after"))
    await engine.sample(prod)
    with pytest.raises(RetryLater):
        await engine.sample(prod)
    assert (await engine.sample(prod)).gauges["running"] == 4


async def test_the_key_goes_to_its_own_deployment_only(clock: HeldClock) -> None:
    guarded = VllmStandIn(clock, api_key="the-right-one")
    url = await guarded.start()
    keys = {"prod": SecretStr("the-right-one"), "old": SecretStr("a-wrong-one")}
    async with VllmEngine(clock, api_keys=keys) as engine:
        assert await engine.models(Deployment(name="prod", base_url=url))
        for name in ("old", "other"):
            with pytest.raises(PersonMovesNext, match=r"API key is not accepted by Gemma's server at 127\.0\.0\.1"):
                await engine.models(Deployment(name=name, base_url=url))
        assert await engine.healthy(Deployment(name="other", base_url=url))
        assert (await engine.sample(Deployment(name="other", base_url=url))).gauges["running"] == 4
    await guarded.stop()


@pytest.mark.parametrize("key", ["hunter2secret", "hunter2secret\nx: y", "hunter2 secret", "hünter2secret", "hunter2secret\x00"])
@pytest.mark.parametrize("scenario", ["up", "down", "failing"])
async def test_the_key_is_in_no_error_and_no_log(
    clock: HeldClock, caplog: pytest.LogCaptureFixture, key: str, scenario: str
) -> None:
    caplog.set_level(logging.DEBUG)
    guarded = VllmStandIn(clock, api_key="another")
    deployment = Deployment(name="prod", base_url=await guarded.start())
    await guarded.scenario(scenario)
    async with VllmEngine(clock, time_outs=QUICK, api_keys={"prod": SecretStr(key)}) as engine:
        with pytest.raises((PersonMovesNext, RetryLater)) as raised:
            await engine.models(deployment)
    await guarded.stop()
    shown = caplog.text + repr(raised.value) + repr(raised.value.telling) + "".join(traceback.format_exception(raised.value))
    assert "nter2" not in shown


async def test_the_proxies_of_the_environment_are_not_used(
    prod: Deployment, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with VllmEngine(clock, time_outs=QUICK) as engine:
        assert await engine.healthy(prod)


async def test_something_else_on_that_port_is_named_as_such(engine: VllmEngine, server: VllmStandIn) -> None:
    other = Deployment(name="prod", base_url=server.control_url)
    assert await engine.healthy(other) is False
    assert await engine.version(other) is None
    for ask in (engine.sample, engine.models):
        with pytest.raises(PersonMovesNext, match="is not a vLLM server"):
            await ask(other)


async def test_https_where_plain_http_is_spoken_is_for_a_person_to_put_right(engine: VllmEngine, server: VllmStandIn) -> None:
    wrong = Deployment(name="prod", base_url=server.url.replace("http:", "https:"))
    with pytest.raises(PersonMovesNext, match=r"No secure connection to Gemma's server at 127\.0\.0\.1"):
        await engine.healthy(wrong)


async def test_many_calls_at_once_all_come_back(engine: VllmEngine, prod: Deployment) -> None:
    assert await asyncio.gather(*(engine.healthy(prod) for _ in range(40))) == [True] * 40


async def test_the_present_time_is_the_clocks() -> None:
    server = VllmStandIn(Clock())
    async with VllmEngine(Clock()) as engine:
        sample = await engine.sample(Deployment(name="prod", base_url=await server.start()))
    await server.stop()
    assert abs((datetime.now(UTC) - sample.at).total_seconds()) < 10
