"""The terminal: reads need an address and nothing else, and whatever is missing is said in a line."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.clock import Clock
from sandbox.google.seed import default_project
from sandbox.google.standin import GoogleStandIn
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


Said = dict[str, tuple[int, str, str]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def said(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Said]:
    """What each command says; all run at once, for most of their time is Python starting."""
    empty, wrong = tmp_path_factory.mktemp("empty"), tmp_path_factory.mktemp("wrong")
    (wrong / "deployments.toml").write_text("[prod]\nbase_url = 5\n")
    engine, google = VllmStandIn(Clock()), GoogleStandIn(default_project(Clock()), Clock())
    url, cloud = await engine.start(), await google.start()
    project = {"GOOGLE_CLOUD_PROJECT": google.project.name, "TPU_API_ADDRESS": cloud.grpc, "GCP_API_ROOT": cloud.rest}
    commands = {
        "status": gemma(empty, "status", MODEL_BASE_URL=url, GOOGLE_CLOUD_PROJECT=""),
        "model": gemma(empty, "model", MODEL_BASE_URL=url),
        "zones": gemma(empty, "zones", "v6e-4", "flex", **project),
        "near": gemma(empty, "statsu"),
        "help of a word": gemma(empty, "status", "--help"),
        "all help": gemma(empty, "--help"),
        "memory away": gemma(empty, "work", "--json"),
        "wrong file": gemma(wrong, "status"),
        "wrong setting": gemma(empty, "status", LEASE_SECONDS="not-a-number-but-a-secret"),
    }
    yield dict(zip(commands, await asyncio.gather(*commands.values()), strict=True))
    await engine.stop()
    await google.stop()


pytestmark = [pytest.mark.wire, pytest.mark.asyncio(loop_scope="module")]


async def test_with_an_address_alone_status_answers_and_says_what_is_not_connected(said: Said) -> None:
    code, out, err = said["status"]
    assert (code, err) == (0, "")
    assert out.startswith("● default is ready · gemma-4-31B-it\n")
    assert "Machine: not connected, set GOOGLE_CLOUD_PROJECT\n" in out
    assert "4 running, 0 waiting" in out


async def test_with_an_address_alone_model_answers(said: Said) -> None:
    code, out, _ = said["model"]
    assert code == 0
    assert out.startswith("default serves google/gemma-4-31B-it · window 65,536 tokens\n")


async def test_with_a_project_alone_zones_are_looked_at(said: Said) -> None:
    code, out, _ = said["zones"]
    assert code == 0
    assert out.startswith("3 of 6 zones can be asked for a v6e-4 flex-start\n")


async def test_a_word_that_is_nearly_one_is_offered(said: Said) -> None:
    assert said["near"] == (1, "", "I do not know the word “statsu”.\nDid you mean status?\n[status] gemma status\n")


async def test_what_needs_memory_says_so(said: Said) -> None:
    code, _, err = said["memory away"]
    assert (code, json.loads(err)) == (1, {"error": "Redis: not connected, set REDIS_URL"})


async def test_a_wrong_file_of_deployments_is_a_sentence(said: Said) -> None:
    code, _, err = said["wrong file"]
    assert (code, err) == (1, "✖ deployments.toml: [prod] base_url: Input should be a valid string\nCorrect deployments.toml.\n")


async def test_a_wrong_setting_is_named_and_its_value_is_not_shown(said: Said) -> None:
    code, _, err = said["wrong setting"]
    assert code == 2
    assert err.startswith("LEASE_SECONDS: ")
    assert "secret" not in err


async def test_help_on_a_word_is_asked_as_everywhere_else(said: Said) -> None:
    code, out, err = said["help of a word"]
    assert (code, err) == (0, "")
    assert "gemma status [deployment]" in out
    assert "/gemma" not in out


async def test_help_alone_names_the_words_and_the_parts_to_run(said: Said) -> None:
    code, out, _ = said["all help"]
    assert code == 0
    assert "gemma help lists the words" in " ".join(out.split())
    assert "sandbox" in out


async def test_whoever_stops_reading_sees_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handlers.terminal", "help", "all"),
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    _, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")


async def test_ctrl_c_ends_a_question_without_a_word(tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def silent(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        asked.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    # Whoever runs tests in the background of a shell has SIGINT ignored, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handlers.terminal", "model"),
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "MODEL_BASE_URL": f"http://127.0.0.1:{port}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    signal.signal(signal.SIGINT, before)
    await asyncio.wait_for(asked.wait(), 30)
    process.send_signal(signal.SIGINT)
    out, err = await process.communicate()
    server.close()
    assert (process.returncode, out, err) == (130, b"", b"")
