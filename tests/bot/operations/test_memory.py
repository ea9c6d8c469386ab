"""`memory`: users first, from the best source there is, and what would do instead."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.errors import RetryLater, UsageError
from bot.nouns import Deployment, EngineSample, ServedModel
from bot.view import LINES_LIMIT, VERDICT_LIMIT, View, plain

ROWS = Path("tests/fixtures/planner")
LABELS = {
    "num_gpu_blocks": "526",
    "block_size": "128",
    "kv_cache_size_tokens": "67328",
    "kv_cache_max_concurrency": "1.02734375",
    "cache_dtype": "auto",
}


def said(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines, *view.details)))


def serving(world: Any) -> None:
    world.engine["sample"] = EngineSample(at=world.now, model_name="google/gemma-4-31B-it", cache_config=LABELS)
    world.engine["models"] = (ServedModel(id="google/gemma-4-31B-it", context=65_536),)


async def test_without_values_it_is_about_the_deployment_from_the_labels_of_its_engine(world: Any) -> None:
    serving(world)
    outcome = await world.ask("memory")
    told = said(outcome.view)
    assert plain(outcome.view.verdict).startswith("64K on v6e-4 with 31B will not crash, but serves 1 user at a time")
    assert "(2 with an fp8 cache)" in told
    assert "67,328 tokens (the engine's own labels, 15:00 UTC)" in told
    assert "8K 8 · 16K 4 · 32K 2 · 64K 1" in told
    assert "all 60 layers" in told
    assert (
        "For 5 users at 64K: v6e-8 + fp8 cache, $10.80/h flex-start (list price of 20 Aug; estimate; fp8 quality not tested)."
        in told
    )
    assert [button.words for button in outcome.view.buttons] == ["memory 31B v6e-8 64K fp8"]


async def test_the_message_fits_a_phone(world: Any) -> None:
    serving(world)
    for words in ("memory", "memory 31B v6e-4 64K", "memory 31B v6e-1", "memory 26B-A4B v5litepod-8 250000 fp8 users=400"):
        view = (await world.ask(words)).view
        assert len(plain(view.verdict)) <= VERDICT_LIMIT
        assert 1 + len(view.lines) <= LINES_LIMIT


async def test_a_length_above_the_window_of_the_engine_is_refused_by_it_and_says_so(world: Any) -> None:
    serving(world)
    told = said((await world.ask("memory 128K")).view)
    assert "128K on v6e-4 with 31B does not work" in told
    assert "takes at most 65,536 tokens" in told


async def test_an_engine_that_does_not_answer_is_named_and_the_rest_is_computed(world: Any) -> None:
    world.engine = {
        "sample": RetryLater("Gemma's server does not answer"),
        "models": RetryLater("Gemma's server does not answer"),
    }
    world.deployments = [world.deployments[0].model_copy(update={"model_id": "google/gemma-4-31B-it"})]
    told = said((await world.ask("memory 32K")).view)
    assert "Computed, an estimate" in told
    assert told.count("Gemma's server does not answer") == 1


async def test_with_nothing_known_it_asks_for_what_is_lacking(world: Any) -> None:
    world.deployments = []
    with pytest.raises(UsageError, match="the model and the slice"):
        await world.ask("memory")
    with pytest.raises(UsageError, match="the slice"):
        await world.ask("memory 31B")


async def test_a_slice_that_is_too_small_says_why_and_offers_one_that_does(world: Any) -> None:
    told = said((await world.ask("memory 31B v6e-1 64K")).view)
    assert "the weights need 58.2 GiB on each chip, 28.7 GiB are there" in told
    assert "v6e-8 + fp8 cache" in told


async def test_without_a_zone_the_price_is_unknown_not_zero(world: Any) -> None:
    world.deployments = []
    told = said((await world.ask("memory 31B v6e-4 64K")).view)
    assert "price unknown without a zone" in told
    assert "$0" not in told


async def test_more_users_than_any_single_machine_holds_is_said(world: Any) -> None:
    told = said((await world.ask("memory 31B v6e-4 64K users=100000")).view)
    assert "no single machine that would do" in told


def recorded_rows() -> list[dict[str, Any]]:
    return [json.loads(row) for path in ROWS.glob("*.jsonl") for row in path.read_text().splitlines()]


async def test_the_exact_form_plans_as_vllm_does(world: Any) -> None:
    world.deployments = []
    rows = recorded_rows()
    assert rows
    for row in rows:
        batches = round(row["inflight"] / row["mbt"])
        outcome = await world.ask(
            f"memory --model {row['model']} --kv-gib {row['kv_gib']} --context {row['max_model_len']} --planner hybrid "
            f"--batched-tokens {row['mbt']} --concurrent-batches {batches} --tp {row['tp']} --kv-dtype {row['dtype']}"
        )
        assert outcome.result is not None
        got = (outcome.result["num_blocks"], outcome.result["tokens"], round(outcome.result["max_concurrency"], 2))
        assert got == (row["num_blocks"], row["tokens"], row["max_conc"])


async def test_the_exact_form_without_gib_computes_the_room_from_slice_and_utilization(world: Any) -> None:
    result = (await world.ask("memory 31B v6e-4 64K --planner all-layers-full")).result
    assert result is not None
    assert result["num_blocks"] in {525, 526, 527}
    assert result["blocks_per_request"] == 512
    less = (await world.ask("memory 31B v6e-4 64K utilization=0.9 --planner all-layers-full")).result
    assert less is not None
    assert less["num_blocks"] < result["num_blocks"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("memory --kv-gib 40", "the model"),
        ("memory 31B --planner hybrid", "the slice"),
        ("memory 31B v6e-1 --planner hybrid", "does not fit on v6e-1"),
        ("memory 31B --kv-gib -1", "not a valid kv_gib"),
        ("memory 31B --kv-gib nan", "not a valid kv_gib"),
        ("memory 31B --kv-gib 40 --tp 3", "cannot be shared by 3 chips"),
        ("memory 31B v6e-5", "v6e-5"),
    ],
)
async def test_values_that_make_no_plan_are_refused_in_words(world: Any, words: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        await world.ask(words)


async def test_an_engine_that_is_silent_leaves_a_sentence_for_what_is_needed_and_one_for_why(world: Any) -> None:
    world.engine = {"models": RetryLater("no answer"), "sample": RetryLater("no answer")}
    world.deployments = [Deployment(name="prod", base_url="http://127.0.0.1:1")]
    with pytest.raises(UsageError) as error:
        await world.ask("memory")
    assert str(error.value) == "No engine told its cache, so I need the model and the slice."
    assert error.value.telling.next_step == "no answer. For example: /gemma memory 31B v6e-4 64K"
