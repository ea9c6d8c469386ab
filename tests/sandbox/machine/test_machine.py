"""The stand-in machine: strict about what it is told, and alive by the clock."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import asyncssh
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis import diagnose
from bot.machine.access import new_key_pair
from bot.serving.quoting import shell_text
from bot.serving.startup import read
from sandbox.clock import HeldClock
from sandbox.machine import Ending, MachineStandIn
from sandbox.machine.container import FakeContainer
from sandbox.machine.docker import FakeDocker
from sandbox.machine.options import UnknownOption
from sandbox.machine.options import read as read_options
from sandbox.machine.starts import Facts, script
from sandbox.machine.words import NotQuoted, split
from tests.bot.machine.machine_bench import wanted
from tests.bot.serving.hostile_words import HOSTILE

START = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
FACTS = Facts("prod-1", "google/gemma-4-31B-it", "v6e-4", 4, 32_768, 67_328)


async def unsaid(_):
    """Nobody listens."""


@pytest.fixture
def clock():
    return HeldClock(START)


@pytest.fixture
def docker(clock):
    made = FakeDocker(clock, "prod-1", pull_s=0)
    made.images.add(wanted().image)
    made.mounts.add("/run/gemma-engine")
    return made


async def call(docker, *words):
    return await docker.call(list(words), unsaid)


# Words and options


@pytest.mark.parametrize(
    ("command", "words"), [("", []), (" a  b ", ["a", "b"]), ("''", [""]), ("a'b c'd", ["ab cd"]), ("'it'\"'\"'s'", ["it's"])]
)
def test_quoted_words_are_read_as_a_shell_reads_them(command, words):
    assert split(command) == words


@pytest.mark.parametrize(
    "command", [word for word in HOSTILE[:30] if set(word) & set(";$`|&<>*?#~!(){}\\") and word[0] != "'"] + ["'open", '"a"', "é"]
)
def test_what_a_shell_would_act_upon_is_refused(command):
    with pytest.raises(NotQuoted):
        split(command)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30), max_size=6))
def test_what_we_quote_is_read_as_it_was_meant(words):
    assert split(shell_text(words)) == words


@pytest.mark.parametrize("words", [["--bogus"], ["--name"], ["--detach=yes"], ["-x", "image"]])
def test_an_option_that_does_not_exist_is_refused(words):
    with pytest.raises(UnknownOption):
        read_options(words, {"--name": True, "--detach": False})


async def test_docker_refuses_what_it_does_not_know(docker):
    assert "unknown flag: --bogus" in (await call(docker, "run", "--bogus", "image")).err
    assert "not a docker command" in (await call(docker, "exec", "x")).err


# Docker's life


async def test_a_name_is_given_once_and_images_and_mounts_must_be_there(docker):
    words = wanted().run[1:]
    assert (await call(docker, *words)).code == 0
    assert "already in use" in (await call(docker, *words)).err
    docker.containers.clear()
    docker.mounts.discard("/run/gemma-engine")
    assert "bind source path does not exist: /run/gemma-engine" in (await call(docker, *words)).err
    docker.mounts.add("/run/gemma-engine")
    docker.images.clear()
    assert "No such image" in (await call(docker, *words)).err


async def test_inspect_tells_the_life_of_a_container(docker, clock):
    docker.ending = Ending.HBM
    await call(docker, *wanted(restarts=0).run[1:])
    seen = []
    for seconds in (10, 900):
        await clock.advance(seconds)
        told = json.loads((await call(docker, "container", "inspect", "gemma-engine")).out)[0]
        seen.append((told["State"]["Status"], told["State"]["ExitCode"]))
    assert seen == [("running", 0), ("exited", 1)]


async def test_a_container_can_have_been_there_before(docker, clock):
    docker.images.clear()
    docker.mounts.clear()
    made = docker.bring_up(wanted(context=32_768).run)
    await clock.advance(700)
    assert made.now(clock.now()).status == "running"
    assert made.written(clock.now())[-1].text.endswith("Application startup complete.")
    assert json.loads((await call(docker, "container", "inspect", "gemma-engine")).out)[0]["Config"]["Image"] == wanted().image


async def test_a_container_cannot_be_removed_while_it_runs_unless_forced(docker):
    await call(docker, *wanted().run[1:])
    assert "container is running" in (await call(docker, "rm", "gemma-engine")).err
    assert (await call(docker, "rm", "--force", "gemma-engine")).code == 0
    assert (await call(docker, "stop", "gemma-engine")).code == 1


async def test_what_was_written_stays_over_a_restart(docker, clock):
    await call(docker, *wanted().run[1:])
    await clock.advance(30)
    await call(docker, "stop", "-t", "30", "gemma-engine")
    await clock.advance(100)
    before = (await call(docker, "logs", "gemma-engine")).out
    await call(docker, "start", "gemma-engine")
    await clock.advance(30)
    after = (await call(docker, "logs", "gemma-engine")).out
    assert after.startswith(before)
    assert len(after) > len(before)


@pytest.mark.parametrize("ending", list(Ending))
def test_each_start_is_a_log_that_we_read_as_what_it_is(ending):
    told = script(ending, FACTS)
    lines = [text.replace("<time>", f"{START + timedelta(seconds=at):%m-%d %H:%M:%S}") for at, text in told.lines]
    assert not any("<" in line and ">" in line and "<model>" in line for line in lines)
    startup = read(lines)
    assert startup.ready is (ending is Ending.READY)
    if ending is Ending.READY:
        assert (startup.model, startup.max_model_len, startup.kv_tokens) == (FACTS.model, FACTS.context, FACTS.cache_tokens)
        assert told.exit_code is None
    elif ending is not Ending.KILLED:
        assert diagnose(lines)
        assert told.exit_code == 1


def test_offsets_only_grow_and_pace_shortens_them():
    for ending in Ending:
        times = [at for at, _ in script(ending, FACTS).lines]
        assert times == sorted(times)
        assert script(ending, FACTS, 0.01).seconds == pytest.approx(script(ending, FACTS).seconds / 100)


def test_docker_starts_a_failing_container_so_often_as_it_was_told():
    made = FakeContainer("x", "0", "i", (), (), (), {}, 2, START, script(Ending.KILLED, FACTS), START)
    length = timedelta(seconds=made.script.seconds)
    states = [made.now(START + length * number + timedelta(seconds=1)) for number in range(4)]
    assert [(now.status, now.restarts) for now in states] == [("running", 0), ("running", 1), ("running", 2), ("exited", 2)]
    assert states[3].exit_code == 137
    assert len(made.written(START + length * 9)) == 3 * len(made.script.lines)


# The machine over SSH


@pytest.fixture
async def machine(clock):
    pair = new_key_pair("test")
    made = MachineStandIn(clock, pair.metadata_line, pull_s=0, api_key="planted-key")
    made.pair = pair
    await made.start()
    yield made
    await made.stop()


def connect(machine, **changes):
    host = asyncssh.import_public_key(f"ssh-ed25519 {machine.attributes['hostkeys/ssh-ed25519']}")
    options = {
        "username": "gemma",
        "client_keys": [asyncssh.import_private_key(machine.pair.private.get_secret_value())],
        "known_hosts": ([host], [], []),
        "config": [],
        "agent_path": None,
        **changes,
    }
    return asyncssh.connect("127.0.0.1", machine.port, **options)


@pytest.mark.wire
async def test_only_the_user_and_key_of_the_metadata_get_in(machine):
    async with connect(machine) as connection:
        assert (await connection.run("true")).exit_status == 0
    for changes in ({"username": "root"}, {"client_keys": [asyncssh.generate_private_key("ssh-ed25519")]}):
        with pytest.raises(asyncssh.PermissionDenied):
            await connect(machine, **changes)


@pytest.mark.wire
async def test_without_root_there_is_no_docker_and_unknown_commands_are_not_found(machine):
    async with connect(machine) as connection:
        assert "permission denied" in (await connection.run("docker ps")).stderr
        assert (await connection.run("rm -rf /")).exit_status == 127


@pytest.mark.wire
async def test_a_script_that_bash_cannot_read_is_refused(machine):
    async with connect(machine) as connection:
        done = await connection.run("sudo -n bash -s", input="if then\n")
    assert done.exit_status == 2
    assert "syntax error" in done.stderr


@pytest.mark.wire
async def test_vllm_answers_behind_the_machine_when_it_is_ready_and_no_sooner(machine, clock):
    machine.docker.images.add(wanted().image)
    machine.docker.mounts.add("/run/gemma-engine")
    await machine.docker.call(list(wanted().run[1:]), unsaid)
    await clock.advance(600)
    assert machine.port_behind("127.0.0.1", 8000) is None
    await clock.advance(60)
    await until(lambda: machine.port_behind("127.0.0.1", 8000))
    async with connect(machine) as connection, connection.forward_local_port("127.0.0.1", 0, "127.0.0.1", 8000) as listener:
        base = f"http://127.0.0.1:{listener.get_port()}"
        async with httpx.AsyncClient(base_url=base, trust_env=False) as client:
            assert (await client.get("/health")).status_code == 200
            assert (await client.get("/v1/models")).status_code == 401
            models = await client.get("/v1/models", headers={"Authorization": "Bearer planted-key"})
    assert models.json()["data"][0]["max_model_len"] == 65_536
    await machine.docker.call(["stop", "-t", "30", "gemma-engine"], unsaid)
    await until(lambda: machine.port_behind("127.0.0.1", 8000) is None)


async def until(true):
    for _ in range(300):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come true")


@pytest.mark.wire
async def test_another_port_than_the_engines_leads_nowhere(machine):
    async with connect(machine) as connection:
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.open_connection("127.0.0.1", 22)
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.open_connection("10.0.0.1", 8000)
