"""Against a real vLLM, when one is there: REAL_VLLM_URL names it, REAL_VLLM_API_KEY its key, if it wants one."""

import os

import httpx
import pytest
from pydantic import SecretStr

from bot.model import VllmEngine
from bot.nouns import Deployment
from sandbox.clock import Clock

URL = os.environ.get("REAL_VLLM_URL", "")
KEY = os.environ.get("REAL_VLLM_API_KEY", "")

pytestmark = [pytest.mark.wire, pytest.mark.long, pytest.mark.skipif(not URL, reason="REAL_VLLM_URL names no server")]


async def test_a_real_server_is_healthy_and_its_counters_move_by_what_was_asked() -> None:
    real = Deployment(name="real", base_url=URL)
    async with VllmEngine(Clock(), api_keys={"real": SecretStr(KEY)} if KEY else {}) as engine:
        assert await engine.healthy(real)
        assert await engine.version(real)
        (model, *_) = await engine.models(real)
        assert model.context
        before = await engine.sample(real)
        usage = [await _ask(model.id, words) for words in ("one", "two words", "three more words")]
        after = await engine.sample(real)
    moved = {name: after.counters[name] - before.counters[name] for name in after.counters}
    assert moved["prompt_tokens"] == sum(u["prompt_tokens"] for u in usage)
    assert moved["generation_tokens"] == sum(u["completion_tokens"] for u in usage)
    assert sum(moved[name] for name in moved if name.startswith("requests_finished.")) == 3
    for name in ("ttft", "e2e", "queue_time", "prompt_tokens_per_request", "generation_tokens_per_request"):
        assert after.histograms[name].count - before.histograms[name].count == 3, name
    assert after.histograms["itl"].count > before.histograms["itl"].count
    assert after.started_at == before.started_at
    assert after.model_name == model.id
    assert 0 <= after.gauges["kv_cache_usage"] <= 1
    assert int(after.cache_config["num_gpu_blocks"]) > 0


async def _ask(model: str, words: str) -> dict[str, int]:
    """One short answer; its usage."""
    body = {"model": model, "messages": [{"role": "user", "content": words}], "max_tokens": 5, "ignore_eos": True}
    headers = {"Authorization": f"Bearer {KEY}"} if KEY else {}
    async with httpx.AsyncClient(base_url=URL, headers=headers, trust_env=False, timeout=60) as client:
        answer = await client.post("/v1/chat/completions", json=body)
    usage: dict[str, int] = answer.raise_for_status().json()["usage"]
    return usage
