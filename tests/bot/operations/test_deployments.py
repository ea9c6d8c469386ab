"""`deployments`: each in one line, whether it answers or not."""

from datetime import timedelta
from typing import Any

from bot.errors import RetryLater
from bot.nouns import Deployment, EngineSample, ServedModel
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Mention, Shape, plain


async def test_each_with_model_slice_image_flags_end_and_owner(world: Any) -> None:
    more = {"image": "vllm/vllm-tpu:v0.26.1", "owner": "anna", "ends_at": world.now + timedelta(hours=3)}
    world.deployments = [world.deployments[0].model_copy(update=more)]
    world.engine["models"] = (ServedModel(id="google/gemma-4-31B-it", context=65_536),)
    world.engine["sample"] = EngineSample(at=world.now, cache_config={"cache_dtype": "fp8", "gpu_memory_utilization": "None"})
    view = (await world.ask("deployments")).view
    assert plain(view.verdict) == "1 deployment · 1 of 1 answer"
    row = plain(view.lines[0])
    for part in ("prod answers", "gemma-4-31B-it on v6e-4, us-east5-a, prod-1", "vllm/vllm-tpu:v0.26.1", "window 65,536"):
        assert part in row
    assert "cache_dtype fp8" in row
    assert "utilization" not in row
    assert row.endswith("ends in 3 h · owner anna")


async def test_one_that_does_not_answer_is_listed_and_what_is_unknown_says_so(world: Any) -> None:
    world.engine = {"models": RetryLater("no answer"), "sample": RetryLater("no answer")}
    world.deployments = [Deployment(name="prod", base_url="http://127.0.0.1:1"), Deployment(name="planned")]
    view = (await world.ask("deployments")).view
    assert view.shape is Shape.CONCERN
    assert plain(view.verdict) == "2 deployments · 0 of 2 answer"
    rows = [plain(one) for one in view.lines]
    assert rows[0] == (
        "prod does not answer · model unknown, place unknown · image unknown · window unknown · end unknown · owner unknown"
    )
    assert rows[1].startswith("planned no address")


async def test_without_any_it_says_what_to_set(world: Any) -> None:
    world.deployments = []
    view = (await world.ask("deployments")).view
    assert plain(view.verdict) == "No deployment is known"
    assert "MODEL_BASE_URL" in plain(view.lines[0])


async def test_many_fit_a_phone_and_the_rest_waits_behind_details(world: Any) -> None:
    world.deployments = [Deployment(name=f"d{n}") for n in range(20)]
    view = (await world.ask("deployments")).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert 1 + len(view.lines) <= LINES_LIMIT
    assert len(view.lines) + len(view.details) == 20


async def test_an_owner_from_slack_is_shown_by_name(world: Any) -> None:
    world.deployments = [Deployment(name="planned", owner="U0ANNA")]
    assert (await world.ask("deployments")).view.lines[0][-1] == Mention(id="U0ANNA")
