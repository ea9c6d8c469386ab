"""The terminal: reads need an address and nothing else, and whatever is missing is said in a line."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.clock import Clock
from sandbox.vllm import VllmStandIn

NOWHERE = "redis://127.0.0.1:1/0"
"""Nobody listens there."""


async def gemma(folder: Path, *words: str, **settings: str) -> tuple[int, str, str]:
    """Exit code, output and errors of the command, with no more of this machine's environment than it needs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handlers.terminal", *words),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "REDIS_URL": NOWHERE, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@pytest_asyncio.fixture
async def url() -> AsyncIterator[str]:
    engine = VllmStandIn(Clock())
    yield await engine.start()
    await engine.stop()


@pytest.mark.wire
async def test_with_an_address_alone_status_answers_and_says_what_is_not_connected(url: str, tmp_path: Path) -> None:
    code, out, err = await gemma(tmp_path, "status", MODEL_BASE_URL=url, GOOGLE_CLOUD_PROJECT="")
    assert (code, err) == (0, "")
    assert out.startswith("● default is ready · gemma-4-31B-it\n")
    assert "Machine: not connected, set GOOGLE_CLOUD_PROJECT\n" in out
    assert "4 running, 0 waiting" in out


@pytest.mark.wire
async def test_with_an_address_alone_model_answers(url: str, tmp_path: Path) -> None:
    code, out, _ = await gemma(tmp_path, "model", MODEL_BASE_URL=url)
    assert code == 0
    assert out.startswith("default serves google/gemma-4-31B-it · window 65,536 tokens\n")


@pytest.mark.wire
async def test_a_word_that_is_nearly_one_is_offered(tmp_path: Path) -> None:
    code, _, err = await gemma(tmp_path, "statsu")
    assert code == 1
    assert err == "I do not know the word “statsu”.\nDid you mean status?\n[status]\n"


@pytest.mark.wire
async def test_what_needs_memory_says_so(tmp_path: Path) -> None:
    code, _, err = await gemma(tmp_path, "work", "--json")
    assert (code, json.loads(err)) == (1, {"error": "Redis: not connected, set REDIS_URL"})


@pytest.mark.wire
async def test_a_wrong_file_of_deployments_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "deployments.toml").write_text("[prod]\nbase_url = 5\n")
    code, _, err = await gemma(tmp_path, "status")
    assert (code, err) == (1, "✖ deployments.toml: [prod] base_url: Input should be a valid string\nCorrect deployments.toml.\n")


@pytest.mark.wire
async def test_a_wrong_setting_is_named_and_its_value_is_not_shown(tmp_path: Path) -> None:
    code, _, err = await gemma(tmp_path, "status", LEASE_SECONDS="not-a-number-but-a-secret")
    assert code == 2
    assert err.startswith("LEASE_SECONDS: ")
    assert "secret" not in err
