"""One specification makes container, script and command; what is wrong is told; nothing hostile leaves its place."""

import argparse
import itertools
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.errors import UsageError
from bot.serving.boot_script import secrets_script
from bot.serving.container import SERVE_WITH_KEY, container_of, run_argv
from bot.serving.engine_flags import MANAGED, SWITCHES, WITH_VALUE
from bot.serving.gcloud_command import Site, gcloud_argv, gcloud_text
from bot.serving.quoting import shell_text
from bot.serving.specification import EngineExposure, EngineSpecification
from tests.bot.serving.hostile_words import HOSTILE, NOT_PRINTABLE
from tests.bot.serving.script_bench import HF_TOKEN, ScriptBench
from tests.bot.serving.wanted_engine import AT_ONCE, SITE, VALUE_FLAGS, script_of, shellcheck, wanted

GOLDEN = Path(__file__).parents[2] / "fixtures" / "specification"


@pytest.fixture
def bench(tmp_path):
    return ScriptBench(tmp_path)


# What it makes


@pytest.mark.parametrize(
    ("file", "made"),
    [
        ("startup.sh", lambda: script_of(wanted(flags=("--limit-mm-per-prompt", '{"image":0}')))),
        ("startup_loopback.sh", lambda: script_of(wanted(exposure="loopback", api_key_secret=None, hf_token_secret=None))),
        ("secrets.sh", lambda: secrets_script(wanted())),
        ("gcloud.sh", lambda: gcloud_text(gcloud_argv(wanted(), SITE))),
        ("docker_run.txt", lambda: "\n".join(run_argv(wanted(cache="fp8", environment={"MODEL_IMPL_TYPE": "flax_nnx"}))) + "\n"),
    ],
)
def test_it_makes_what_was_read_and_agreed_once(file, made):
    assert made() == (GOLDEN / file).read_text()


@pytest.mark.parametrize(
    "changes", [{}, {"exposure": "loopback", "api_key_secret": None}, {"hf_token_secret": None}, {"cache": "fp8"}]
)
def test_shellcheck_finds_nothing_in_the_scripts(changes):
    for text in (script_of(wanted(**changes)), secrets_script(wanted(**changes)) or "#!/bin/bash\n"):
        done = shellcheck(text)
        assert done.returncode == 0, done.stdout


def test_shellcheck_would_find_something():
    assert shellcheck("#!/bin/bash\nrm $1\n").returncode == 1


def test_shellcheck_finds_nothing_wrong_in_the_scripts_with_hostile_values():
    """Below a warning it asks whether somebody wanted to escape a quote."""
    flags = [word for flag, value in zip(VALUE_FLAGS, HOSTILE, strict=False) for word in (flag, value)]
    done = shellcheck(script_of(wanted(flags=tuple(flags))), "warning")
    assert done.returncode == 0, done.stdout


def test_short_names_become_the_fields_own():
    made = wanted(model="gemma4 e2b", piece="v5e-1", cache="fp8_e5m2", utilization=0.9)
    assert made.model == "google/gemma-4-E2B-it"
    assert made.piece.name == "v5litepod-1"
    assert made.arguments[made.arguments.index("--kv-cache-dtype") :][:2] == ("--kv-cache-dtype", "fp8")


def test_a_quantised_copy_keeps_its_own_name():
    assert wanted(model="RedHatAI/gemma-4-31B-it-FP8-dynamic").arguments[0] == "RedHatAI/gemma-4-31B-it-FP8-dynamic"


def test_a_private_engine_listens_to_its_network_and_demands_its_key():
    made = wanted()
    assert made.exposure is EngineExposure.PRIVATE
    assert made.arguments[made.arguments.index("--host") + 1] == "0.0.0.0"
    assert SERVE_WITH_KEY in run_argv(made)


def test_a_loopback_engine_listens_to_its_machine_alone():
    made = wanted(exposure="loopback", api_key_secret=None)
    assert made.arguments[made.arguments.index("--host") + 1] == "127.0.0.1"
    assert SERVE_WITH_KEY not in run_argv(made)


def test_the_container_says_what_it_was_made_from():
    container = container_of(wanted())
    assert f"specification={container.fingerprint}" in container.run
    assert container.arguments == container.run[-len(container.arguments) :]


@pytest.mark.parametrize(
    "changes",
    [{"context": 32_768}, {"flags": ("--seed", "7")}, {"restarts": 0}, {"environment": {"VLLM_X": "1"}}, {"port": 8001}],
)
def test_two_wishes_have_two_fingerprints(changes):
    assert wanted(**changes).fingerprint != wanted().fingerprint


def test_the_fingerprint_does_not_change_between_processes():
    assert wanted().fingerprint == "710ba2c5c564d6f0"


# What is refused


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"image": "vllm/vllm-tpu"}, "moves"),
        ({"image": "vllm/vllm-tpu:latest"}, "moves"),
        ({"image": "vllm/vllm-tpu:nightly"}, "moves"),
        ({"image": "vllm/vllm-tpu:v1; rm -rf /"}, "written like"),
        ({"image": "--privileged"}, "written like"),
        ({"model": "llama-3"}, "do not know the model"),
        ({"piece": "v6e-16"}, "one container serves one machine"),
        ({"piece": "v6e-3"}, "do not know the TPU slice"),
        ({"deployment": "Prod 2"}, "deployment's name"),
        ({"cache": "int3"}, "number format"),
        ({"hf_token_secret": "my-secret"}, "secret's place"),
        ({"service_account": "a@b.c"}, "service account"),
        ({"api_key_secret": None}, "needs an API key"),
        ({"flags": ("--trust-remote-code",)}, "do not set --trust-remote-code"),
        ({"flags": ("--allowed-local-media-path", "/")}, "do not set"),
        ({"flags": ("google/gemma-4-E2B-it",)}, "do not set"),
        ({"flags": ("--seed",)}, "needs a value"),
        ({"flags": ("--seed", "1", "--seed=2")}, "twice"),
        ({"flags": ("--enforce-eager=1",)}, "takes no value"),
        ({"environment": {"LD_PRELOAD": "x"}}, "do not set the variable"),
        ({"environment": {"VLLM_API_KEY": "x"}}, "do not set the variable"),
        ({"environment": {"TPU_X": "a\nb"}}, "not printable"),
    ],
)
def test_what_cannot_be_is_told_to_the_person(changes, told):
    with pytest.raises(UsageError, match=told):
        wanted(**changes)


@pytest.mark.parametrize("flag", sorted(MANAGED))
def test_a_flag_that_the_specification_makes_names_the_word_that_changes_it(flag):
    with pytest.raises(UsageError, match=MANAGED[flag]):
        wanted(flags=(flag, "1"))


@pytest.mark.parametrize("changes", [{"context": 0}, {"port": 80}, {"utilization": 1.2}, {"restarts": 99}, {"nonsense": 1}])
def test_numbers_out_of_range_and_unknown_words_are_refused(changes):
    with pytest.raises(ValidationError):
        wanted(**changes)


# What is hostile


@pytest.mark.parametrize("start", range(0, len(HOSTILE), AT_ONCE))
def test_hostile_values_reach_docker_as_one_argument_each_and_run_nothing(bench, start):
    words = HOSTILE[start : start + AT_ONCE]
    flags = tuple(word for flag, value in zip(VALUE_FLAGS, words, strict=False) for word in (flag, value))
    variables = {f"VLLM_HOSTILE_{number}": word for number, word in enumerate(words[len(VALUE_FLAGS) :])}
    made = wanted(flags=flags, environment=variables)
    assert all(any(word in told for told in run_argv(made)) for word in words)
    done = bench.run(script_of(made))
    assert done.code == 0, done.said
    assert done.of("docker", "run") == [[bench.localised(word) for word in run_argv(made)]]
    assert bench.files() == []


@given(st.lists(st.text(max_size=40), min_size=1, max_size=len(VALUE_FLAGS)))
@settings(max_examples=60, deadline=None)
def test_any_values_are_refused_or_come_out_of_a_real_shell_unchanged(words):
    flags = tuple(word for flag, value in zip(VALUE_FLAGS, words, strict=False) for word in (flag, value))
    try:
        argv = run_argv(wanted(flags=flags))
    except UsageError:
        return
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {shell_text(argv)}"], capture_output=True, check=True)
    assert tuple(done.stdout.decode().split("\0")[:-1]) == argv


@pytest.mark.parametrize("field", ["deployment", "image", "model", "piece", "hf_token_secret", "service_account", "cache"])
def test_names_that_are_no_names_are_refused(field):
    for word in (*HOSTILE, *NOT_PRINTABLE):
        with pytest.raises((UsageError, ValidationError)):
            wanted(**{field: word})


@pytest.mark.parametrize("word", NOT_PRINTABLE)
def test_values_that_would_write_two_lines_or_control_a_terminal_are_refused(word):
    with pytest.raises(UsageError):
        wanted(flags=("--seed", word))


@pytest.mark.parametrize("field", ["project", "zone", "machine", "network"])
def test_a_site_with_hostile_names_is_refused(field):
    for word in (*HOSTILE, *NOT_PRINTABLE, "us-east5-a\n"):
        with pytest.raises((UsageError, ValidationError)):
            Site(**{**SITE.model_dump(), field: word})


def test_labels_that_would_add_others_are_refused():
    with pytest.raises(UsageError):
        gcloud_argv(wanted(), SITE.model_copy(update={"labels": {"deployment": "prod,owner=me"}}))


def test_the_gcloud_command_read_by_a_real_shell_is_the_argv(tmp_path):
    argv = gcloud_argv(wanted(), SITE)
    (tmp_path / "gcloud").write_text("#!/bin/bash\nprintf '%s\\0' gcloud \"$@\"\n")
    (tmp_path / "gcloud").chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", gcloud_text(argv)], capture_output=True, check=True, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}
    )
    assert tuple(done.stdout.decode().split("\0")[:-1]) == argv


def test_a_value_that_looks_like_a_flag_stays_a_value():
    made = wanted(flags=("--seed", "--trust-remote-code", "--served-model-name", "--api-key=x"))
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    for flag in (*MANAGED, *WITH_VALUE, "--max-num-batched-tokens", "--tool-call-parser", "--reasoning-parser"):
        parser.add_argument(flag)
    for flag in ("--disable_chunked_mm_input", "--enable-auto-tool-choice", "--trust-remote-code"):
        parser.add_argument(flag, action="store_true")
    told = parser.parse_args(made.arguments)
    assert (told.seed, told.served_model_name) == ("--trust-remote-code", "--api-key=x")
    assert told.trust_remote_code is False


# What is secret


@pytest.mark.parametrize(
    "field", ["deployment", "model", "image", "piece", "cache", "hf_token_secret", "api_key_secret", "service_account"]
)
def test_a_token_in_any_place_is_refused_and_not_repeated(field):
    with pytest.raises((UsageError, ValidationError)) as refused:
        wanted(**{field: HF_TOKEN})
    assert HF_TOKEN not in str(refused.value) + repr(refused.value)
    assert HF_TOKEN[5:25] not in repr(getattr(refused.value, "telling", ""))


@pytest.mark.parametrize(
    "changes",
    [
        {"flags": ("--seed", HF_TOKEN)},
        {"flags": (f"--seed={HF_TOKEN}",)},
        {"flags": (HF_TOKEN,)},
        {"flags": (f"--{HF_TOKEN}",)},
        {"environment": {"VLLM_X": HF_TOKEN}},
        {"environment": {HF_TOKEN: "1"}},
        {"model": f"google/{HF_TOKEN}"},
        {"image": f"vllm/vllm-tpu:{HF_TOKEN}"},
        {"context": HF_TOKEN},
    ],
)
def test_a_token_among_flags_and_variables_is_refused_and_not_repeated(changes):
    with pytest.raises((UsageError, ValidationError)) as refused:
        wanted(**changes)
    assert HF_TOKEN not in str(refused.value) + repr(getattr(refused.value, "telling", ""))


def test_every_allowed_flag_is_a_flag():
    for flag in itertools.chain(SWITCHES, WITH_VALUE):
        assert re.fullmatch(r"--[a-z][a-z-]+", flag)
    assert not (SWITCHES | WITH_VALUE) & set(MANAGED)


def test_it_is_stored_and_read_back_without_loss():
    made = wanted(cache="fp8", flags=("--limit-mm-per-prompt", '{"image":0}'), environment={"TPU_X": "é'\""})
    again = EngineSpecification.model_validate_json(made.model_dump_json())
    assert again == made
    assert again.fingerprint == made.fingerprint
