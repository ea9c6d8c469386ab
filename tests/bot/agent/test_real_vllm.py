"""Against a real vLLM, when one is there (REAL_VLLM_URL): a model with random weights talks nonsense, and the loop still ends."""

import os

import pytest

from bot.agent import Agent, budget
from bot.model import VllmEngine
from bot.model.answering import VllmModel
from bot.nouns import Deployment
from bot.operations.ask_view import view_of
from bot.slack.render import render
from sandbox.clock import Clock
from tests.bot.agent.conftest import Desk

URL = os.environ.get("REAL_VLLM_URL", "")

pytestmark = [pytest.mark.wire, pytest.mark.long, pytest.mark.skipif(not URL, reason="REAL_VLLM_URL names no server")]


@pytest.mark.parametrize("stats", [False, True], ids=["whole", "streamed"])
async def test_nonsense_ends_cleanly_within_the_limits(desk: Desk, stats: bool) -> None:
    real = Deployment(name="real", base_url=f"{URL}/v1")
    desk.house.names.known = [real]
    async with VllmEngine(Clock()) as engine, VllmModel(engine) as model:
        desk.house.more = {"model": model}
        inquiry = desk.inquiry(stats=stats)
        desk.house.clock = Clock()
        before = await engine.sample(real)
        answer = await Agent(desk.registry, desk.services).answer(inquiry)
        after = await engine.sample(real)
    found = after.counters["prefix_cache_hits"] - before.counters["prefix_cache_hits"]
    assert found > 0, "the second turn finds the first one's prompt in the server's cache"
    assert answer.lines
    assert render(view_of(answer, stats=True)).blocks
    assert answer.measured is not None
    assert 1 <= answer.measured.turns <= budget.TURNS + 1
    assert answer.measured.prompt_tokens
    assert not [run for run in desk.runs if run.startswith(("engine", "machine"))]
