"""What the start-up script does on a machine: run by a real bash, whose docker and curl write down what they were given."""

import subprocess

import pytest

from bot.serving.boot_script import SECRET_TRIES, secrets_script
from bot.serving.container import SERVE_WITH_KEY, run_argv
from tests.bot.serving.hostile_words import HOSTILE
from tests.bot.serving.script_bench import API_KEY, HF_TOKEN, TOKEN, ScriptBench
from tests.bot.serving.wanted_engine import script_of, wanted


@pytest.fixture
def bench(tmp_path):
    return ScriptBench(tmp_path)


def test_the_first_boot_pulls_fetches_starts_and_reports(bench):
    done = bench.run(script_of(wanted()))
    assert done.code == 0, done.said
    assert done.phases == ["booting", "secrets", "pulling", "starting", "loading", "ready"]
    assert (bench.secrets / "hf-token").read_text() == HF_TOKEN
    assert (bench.secrets / "api-key").read_text() == API_KEY
    assert (bench.secrets / "hf-token").stat().st_mode & 0o077 == 0


def test_no_secret_is_in_any_argument_or_line_and_on_disk_only_in_memory(bench):
    done = bench.run(script_of(wanted()))
    seen = done.said + repr(done.calls)
    assert all(secret not in seen for secret in (TOKEN, HF_TOKEN, API_KEY))
    assert f"Bearer {TOKEN}" in (bench.world / "asked-with").read_text()
    for path in bench.state.rglob("*"):
        assert path.is_dir() or path.read_text() == wanted().fingerprint + "\n"


def test_the_next_boot_fetches_secrets_again_and_starts_what_is_there(bench):
    bench.run(script_of(wanted()))
    for file in bench.secrets.iterdir():
        file.unlink()
    done = bench.run(script_of(wanted()))
    assert done.phases == ["booting", "secrets", "starting", "loading", "ready"]
    assert not done.of("docker", "run")
    assert done.of("docker", "start")
    assert (bench.secrets / "hf-token").read_text() == HF_TOKEN


def test_a_new_script_replaces_the_old_container(bench):
    bench.run(script_of(wanted()))
    done = bench.run(script_of(wanted(context=32_768)))
    verbs = [call[1] for call in done.of("docker") if call[1] in {"rm", "run", "start"}]
    assert verbs == ["rm", "run"]


@pytest.mark.parametrize("last", ["mkdir", "docker run", "docker rm"])
def test_a_machine_that_dies_in_the_middle_comes_up_as_wanted_at_the_next_boot(bench, last):
    """The script is cut before the line that begins so; what was before stays as it was."""
    bench.run(script_of(wanted(context=32_768)))
    script = script_of(wanted())
    deep = 2 if last == "docker rm" else 1
    head = script.rpartition("\n" + "  " * deep + last)[0].replace("trap 'failed \"$phase\"' EXIT", "")
    assert bench.run(head + "\nexit 9\n" + "fi\n" * deep).code == 9
    done = bench.run(script)
    assert done.code == 0, done.said
    ours = [bench.localised(word) for word in run_argv(wanted())]
    assert done.of("docker", "run") == [ours]
    assert done.phases[-1] == "ready"


def test_a_container_that_ends_while_loading_is_reported(bench):
    (bench.world / "healthy").unlink()
    (bench.world / "state").write_text("exited")
    done = bench.run(script_of(wanted()))
    assert done.code == 1
    assert done.phases[-1] == "failed: the container is exited"


def test_an_image_that_cannot_be_pulled_is_tried_three_times_and_reported(bench):
    (bench.world / "no-pull").touch()
    done = bench.run(script_of(wanted()))
    assert len(done.of("docker", "pull")) == 3
    assert done.phases[-1] == "failed: pulling"
    assert not done.of("docker", "run")


def test_without_its_secrets_nothing_is_started(bench):
    (bench.world / "forbidden").touch()
    done = bench.run(script_of(wanted()))
    assert done.code == 1
    assert len([call for call in done.of("curl") if any("/secrets/hf/" in word for word in call)]) == SECRET_TRIES
    assert "Secret Accessor" in done.said
    assert done.phases[-1] == "failed: secrets"
    assert not done.of("docker", "run")
    assert list(bench.secrets.iterdir()) == []


def test_an_engine_without_secrets_asks_nobody_for_any(bench):
    done = bench.run(script_of(wanted(exposure="loopback", api_key_secret=None, hf_token_secret=None)))
    assert done.code == 0
    assert "secrets" not in done.phases
    assert not (bench.world / "asked-with").exists()


def test_the_part_for_ssh_fetches_and_does_nothing_else(bench):
    done = bench.run(secrets_script(wanted()))
    assert done.code == 0
    assert not done.of("docker")
    assert (bench.secrets / "api-key").read_text() == API_KEY


def test_the_command_inside_the_container_takes_its_key_from_the_file_and_its_arguments_as_they_are(tmp_path):
    (tmp_path / "vllm").write_text('#!/bin/bash\nprintf \'%s\\0\' "$VLLM_API_KEY" "$@"\n')
    (tmp_path / "vllm").chmod(0o755)
    (tmp_path / "api-key").write_text(API_KEY + "\n")
    text = SERVE_WITH_KEY.replace("/run/gemma-engine", str(tmp_path))
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["bash", "-c", text, "engine", *HOSTILE[:50]], capture_output=True, check=True, env=environment)
    assert done.stdout.decode().split("\0")[:-1] == [API_KEY, "serve", *HOSTILE[:50]]
    (tmp_path / "api-key").write_text("")
    assert subprocess.run(["bash", "-c", text, "engine"], capture_output=True, check=False, env=environment).returncode != 0
