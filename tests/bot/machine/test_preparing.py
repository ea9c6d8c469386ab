"""What a start needs is fetched by the machine itself: asked for once, told while it comes, taken up again after anything."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import PersonMovesNext, RetryLater
from bot.machine import preparing
from bot.ports import Authorised
from sandbox.machine.docker import Answer
from tests.bot.machine.machine_bench import LEAVE, wanted
from tests.bot.serving.hostile_words import HOSTILE
from tests.bot.serving.script_bench import HF_TOKEN, ScriptBench

LONG_S = 120


async def prepare(bench, leave=LEAVE, **changes):
    return await bench.engine.prepare(bench.host(), wanted(**changes), leave)


async def pass_time(bench, seconds):
    """In small steps, so that what one moment begins has begun before the next."""
    for _ in range(seconds // 10):
        await bench.clock.advance(10)
        await asyncio.sleep(0.001)


async def begun(bench, **changes):
    """Asked for once, and the machine is at the pull."""
    before = len(bench.machine.docker.acted)
    first = await prepare(bench, **changes)
    assert not first.done
    while len(bench.machine.docker.acted) == before:
        await asyncio.sleep(0.001)
    return first


async def test_it_returns_at_once_and_the_machine_goes_on_by_itself(bench):
    bench.machine.docker.pull_s = LONG_S
    first = await begun(bench)
    assert first.doing == "fetching secrets into the machine's memory"
    await pass_time(bench, 60)
    half = await prepare(bench)
    assert (half.done, half.doing) == (False, "pulling the image: 6 of 12 layers")
    await pass_time(bench, 80)
    assert (await prepare(bench)).done
    assert bench.machine.docker.acted == ["pull"]


async def test_a_cut_connection_does_not_stop_it(bench):
    bench.machine.docker.pull_s = LONG_S
    await begun(bench)
    bench.machine.cut()
    await pass_time(bench, 140)
    assert (await prepare(bench)).done
    assert bench.machine.docker.acted == ["pull"]


@pytest.mark.parametrize("fault", ["drop_before", "drop_after"])
@pytest.mark.parametrize("number", range(1, 8))
async def test_cut_at_any_command_it_is_begun_once(bench, fault, number):
    setattr(bench.machine.faults, fault, number)
    for _ in range(200):
        try:
            if (await prepare(bench)).done:
                break
        except RetryLater:
            continue
    assert bench.machine.docker.acted == ["pull"]
    assert bench.machine.system.fetched == ["hf-token", "api-key"]


async def test_after_a_reboot_it_begins_anew(bench):
    bench.machine.docker.pull_s = LONG_S
    await begun(bench)
    await bench.machine.reboot()
    await begun(bench)
    assert bench.machine.docker.acted == ["pull", "pull"]


async def test_another_work_fetches_the_secrets_anew_for_they_may_have_changed(bench):
    while not (await prepare(bench)).done:
        pass
    while not (await prepare(bench, Authorised("ask-2"))).done:
        pass
    assert bench.machine.system.fetched == ["hf-token", "api-key"] * 2
    assert bench.machine.docker.acted == ["pull"]


async def test_with_nothing_to_fetch_nothing_is_begun(bench):
    bench.machine.docker.images.add(wanted().image)
    assert (await prepare(bench, exposure="loopback", hf_token_secret=None, api_key_secret=None)).done
    assert bench.machine.system.units.units == {}


async def test_a_failure_is_told_in_the_machines_words_and_the_next_try_begins_anew(bench):
    bench.machine.docker.pull_error = f"no space left on device {HF_TOKEN}"
    while (found := await prepare(bench)).failed is None:
        pass
    assert (found.done, found.doing) == (False, "Pulling the image")
    assert found.failed.startswith("no space left on device [hidden")
    assert HF_TOKEN not in repr(found)
    bench.machine.docker.pull_error = ""
    while not (await prepare(bench)).done:
        pass


async def test_a_machine_that_starts_nothing_says_so(bench):
    bench.machine.system.units.begin = lambda _: Answer(1, err="Access denied\n")
    with pytest.raises(PersonMovesNext, match="Preparing the start on prod-1 failed: Access denied"):
        await prepare(bench)


def shellcheck(text: str) -> str:
    program = str(Path(sys.executable).with_name("shellcheck"))
    return subprocess.run([program, "--shell=bash", "-"], input=text, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    "changes", [{}, {"hf_token_secret": None}, {"exposure": "loopback", "api_key_secret": None, "hf_token_secret": None}]
)
def test_shellcheck_finds_nothing_in_what_the_machine_runs(changes):
    assert shellcheck(preparing.script_of(wanted(**changes))) == ""


def test_in_a_real_bash_it_fetches_secrets_and_pulls_what_is_not_there(tmp_path):
    bench = ScriptBench(tmp_path)
    ran = bench.run(preparing.script_of(wanted()))
    assert ran.code == 0, ran.said
    assert [call[2] for call in ran.of("docker", "pull")] == ["vllm/vllm-tpu:v0.26.0"]
    assert (bench.secrets / "hf-token").read_text() == HF_TOKEN
    assert bench.run(preparing.script_of(wanted())).of("docker", "pull") == []


def test_a_pull_that_fails_twice_fails_the_whole(tmp_path):
    bench = ScriptBench(tmp_path)
    (bench.world / "no-pull").touch()
    ran = bench.run(preparing.script_of(wanted()))
    assert ran.code != 0
    assert len(ran.of("docker", "pull")) == 2


def test_hostile_images_stay_one_word(tmp_path):
    """The specification would not take them; the script does not depend on that."""
    bench = ScriptBench(tmp_path)
    container = wanted()
    for start in range(0, len(HOSTILE), 60):
        some = list(HOSTILE[start : start + 60])
        texts = [preparing.script_of(container.model_copy(update={"image": word, "secrets_script": ""})) for word in some]
        ran = bench.run("\n".join(texts))
        assert [call[3] for call in ran.of("docker", "image", "inspect")] == some
        assert bench.files() == []
        (bench.world / "image").unlink(missing_ok=True)


def test_units_of_other_works_and_wishes_have_other_names():
    names = {
        preparing.unit_of(wanted(context=context), Authorised(work)) for context in (8_192, 16_384) for work in ("ask-1", "ask-2")
    }
    assert len(names) == 4
    assert all(name.isascii() and len(name) < 60 and "$" not in " ".join(preparing.begin(name)) for name in names)
