"""Docker's answers read: what it says, what it does not say, and what is no answer."""

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import RetryLater
from bot.machine.docker import engine_arguments, in_the_way, moment, state_of, status_of
from bot.machine.drift import as_flags, drift_of
from bot.machine.pulling import PullProgress
from bot.nouns import Container, ContainerState
from bot.ports import Ran

AT = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
WANTED = Container(
    name="gemma-engine",
    deployment="prod",
    image="a/b:1",
    run=("docker",),
    arguments=("m", "--max-model-len", "8192"),
    port=8000,
    fingerprint="f",
)


def inspected(**state):
    told = {
        "Created": "2026-11-30T13:00:00.123456789Z",
        "Image": "sha256:1",
        "RestartCount": 2,
        "State": {"Status": "running", "ExitCode": 0, "OOMKilled": False, "StartedAt": "2026-11-30T13:30:00Z", **state},
        "Config": {
            "Image": "a/b:1",
            "Env": ["PATH=/bin"],
            "Cmd": ["vllm", "serve", "m", "--max_model_len=8192"],
            "Entrypoint": None,
            "Labels": None,
        },
    }
    return Ran(0, orjson.dumps([told]).decode(), "")


def test_a_running_container_has_no_exit_code_and_its_start():
    status = status_of(inspected(), AT, WANTED, ())
    assert (status.state, status.exit_code, status.restarts) == (ContainerState.RUNNING, None, 2)
    assert status.since == datetime(2026, 11, 30, 13, 30, tzinfo=UTC)
    assert status.drift == ()


def test_an_ended_one_has_its_code_and_its_end():
    ended = inspected(Status="exited", ExitCode=137, OOMKilled=True, FinishedAt="2026-11-30T14:11:12.5+01:00", Error="x" * 900)
    status = status_of(ended, AT, None, ())
    assert (status.state, status.exit_code, status.out_of_memory) == (ContainerState.EXITED, 137, True)
    assert status.since == datetime(2026, 11, 30, 13, 11, 12, 500_000, tzinfo=UTC)
    assert len(status.error) == 500


def test_what_docker_does_not_say_is_not_made_up():
    told = {"State": {"Status": "hibernating"}, "Config": {}}
    status = status_of(Ran(0, orjson.dumps([told]).decode(), ""), AT, None, ())
    assert status.state is ContainerState.UNKNOWN
    assert (status.exit_code, status.restarts, status.since, status.image, status.ours) == (None, None, None, None, False)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[1]", '[{"State": 1, "Config": 2}]', "<html>"])
def test_what_is_no_answer_of_docker_is_worth_another_try(text):
    with pytest.raises(RetryLater):
        status_of(Ran(0, text, ""), AT, None, ())


@pytest.mark.parametrize(
    "said", ["Error: No such container: gemma-engine", "Error response from daemon: No such container: gemma-engine"]
)
def test_absent_is_a_state_in_old_and_new_words(said):
    assert status_of(Ran(1, "[]\n", said), AT, WANTED, ("x",)).state is ContainerState.ABSENT


@pytest.mark.parametrize("word", ["created", "running", "paused", "restarting", "exited", "dead"])
def test_dockers_words_are_ours(word):
    assert state_of(word).value == word


@pytest.mark.parametrize(
    ("text", "expected"), [("0001-01-01T00:00:00Z", None), ("", None), (None, None), (5, None), ("yesterday", None)]
)
def test_never_is_no_moment(text, expected):
    assert moment(text) is expected


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (["/bin/bash", "-c", 'set -eu; exec vllm serve "$@"', "engine", "m", "--seed", "1"], ("m", "--seed", "1")),
        (["vllm", "serve", "m"], ("m",)),
        (["/usr/bin/vllm", "serve", "m"], ("m",)),
        (["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"], ("--model", "m")),
        (["sleep", "serve"], ("sleep", "serve")),
        ([], ()),
    ],
)
def test_the_engines_arguments_are_found_however_it_was_started(command, arguments):
    assert engine_arguments(command) == arguments


def test_a_key_that_somebody_wrote_by_hand_is_not_shown():
    token = "hf_" + "PlantedTokenPlantedTokenPlanted01"
    told = orjson.loads(inspected(Error=f"cannot use {token}").stdout)
    words = [
        "m",
        "--api-key",
        "planted-key-by-hand",
        f"--hf-token={token}",
        "--hf_token",
        token,
        "--max-tokens-key",
        "--seed",
        "1",
        token,
    ]
    told[0]["Config"]["Cmd"] = ["vllm", "serve", *words]
    status = status_of(Ran(0, orjson.dumps(told).decode(), ""), AT, WANTED, ())
    assert "planted-key-by-hand" not in repr(status)
    assert token not in repr(status)
    assert status.arguments[:3] == ("m", "--api-key", "[hidden]")
    assert status.arguments[-3:-1] == ("--seed", "1")


def test_spellings_of_one_flag_are_no_drift():
    assert as_flags(["m", "--max_model_len=8"]) == as_flags(["--model", "m", "--max-model-len", "8"])
    assert as_flags(["m", "--enforce-eager", "--seed", "1"])["--enforce-eager"] == "on"


def test_variables_of_the_image_are_no_drift_but_ours_are():
    wanted = WANTED.model_copy(update={"environment": {"HF_HOME": "/dev/shm", "TPU_X": "1"}})
    found = drift_of(wanted, "a/b:1", WANTED.arguments, ["PATH=/x", "HF_HOME=/dev/shm", "VLLM_TARGET_DEVICE=tpu"])
    assert [(one.what, one.wanted, one.found) for one in found] == [("TPU_X", "1", None)]


def test_only_what_looks_like_an_engine_is_in_the_way():
    rows = [
        {"Names": "gemma-engine", "Image": "vllm/vllm-tpu:1"},
        {"Names": "old", "Image": "vllm/vllm-tpu:0"},
        {"Names": "jax-notebook", "Image": "python:3.12"},
        {"Names": "node-exporter", "Image": "prom/node-exporter"},
    ]
    text = "".join(orjson.dumps(row).decode() + "\n" for row in rows) + "no json\n[]\n"
    assert in_the_way(Ran(0, text, "")) == ("old", "jax-notebook")


def test_a_pull_tells_layers_as_they_come():
    progress = PullProgress()
    lines = [
        "latest: Pulling from x",
        "0123456789ab: Pulling fs layer",
        "ba9876543210: Pulling fs layer",
        "0123456789ab: Pull complete",
        "0123456789ab: Waiting",
    ]
    assert [progress.take(line) for line in lines] == [
        None,
        None,
        None,
        "pulling the image: 1 of 2 layers",
        None,
    ]


@given(st.lists(st.text(max_size=20), max_size=8), st.lists(st.text(max_size=20), max_size=8))
def test_drift_is_empty_exactly_when_the_flags_are_the_same(one, other):
    wanted = WANTED.model_copy(update={"arguments": tuple(one)})
    assert (drift_of(wanted, "a/b:1", other, ()) == ()) == (as_flags(one) == as_flags(other))
