"""The engine's container over SSH: as wanted or told why not, whatever breaks on the way."""

from datetime import timedelta

import pytest

from bot.errors import PersonMovesNext, RetryLater
from bot.machine.start_report import look, report
from bot.nouns import ContainerState
from bot.ports import Authorised, LogSource
from bot.serving.proposals import lower_utilization
from sandbox.machine import Ending
from sandbox.machine.container import FakeContainer
from sandbox.machine.starts import Facts, script
from tests.bot.machine.machine_bench import LEAVE, START, Bench, wanted

pytestmark = pytest.mark.wire


def put(bench, name, image, labels=()):
    """Somebody else's container."""
    facts = Facts("m", "m", "v6e-4", 4, 8192, 1000)
    bench.machine.docker.containers[name] = FakeContainer(
        name, "0" * 64, image, (), ("vllm", "serve", "m"), (), dict(labels), 0, START, script(Ending.READY, facts), START
    )


async def test_nothing_there_is_a_status(bench):
    status = await bench.engine.status(bench.host(), wanted())
    assert (status.state, status.drift, status.exit_code) == (ContainerState.ABSENT, (), None)


async def test_a_start_fetches_secrets_pulls_and_runs_what_is_wanted(bench):
    status = await bench.start()
    assert status.state is ContainerState.RUNNING
    assert status.drift == ()
    assert (status.ours, status.deployment, status.image, status.since) == (True, "prod", "vllm/vllm-tpu:v0.26.0", START)
    assert status.arguments == wanted().arguments
    assert bench.machine.system.fetched == ["hf-token", "api-key"]
    assert bench.docker_words() == ["pull", "run"]
    assert bench.told[0] == "fetching secrets into the machine's memory"
    assert bench.told[-1] == "starting the engine"


async def test_a_second_start_of_the_same_leaves_it_alone(bench):
    await bench.start()
    await bench.start()
    assert bench.docker_words() == ["pull", "run"]


async def test_drift_is_told_flag_by_flag(bench):
    await bench.start()
    other = wanted(context=32_768, image="vllm/vllm-tpu:v0.32.0", flags=("--seed", "7"), environment={"TPU_X": "1"})
    status = await bench.engine.status(bench.host(), other)
    assert [(one.what, one.wanted, one.found) for one in status.drift] == [
        ("image", "vllm/vllm-tpu:v0.32.0", "vllm/vllm-tpu:v0.26.0"),
        ("--max-model-len", "32768", "65536"),
        ("--seed", "7", None),
        ("TPU_X", "1", None),
    ]


async def test_old_flags_are_never_started_again_the_old_container_is_removed_first(bench):
    await bench.start()
    status = await bench.start(context=32_768)
    assert status.drift == ()
    assert bench.docker_words() == ["pull", "run", "rm", "run"]


async def test_an_ended_container_as_wanted_is_started_not_made_anew(bench):
    await bench.start()
    stopped = await bench.engine.stop(bench.host(), LEAVE)
    assert (stopped.state, stopped.exit_code) == (ContainerState.EXITED, 0)
    assert (await bench.start()).state is ContainerState.RUNNING
    assert bench.docker_words() == ["pull", "run", "stop", "start"]


async def test_restart_stop_and_remove_do_what_they_say_and_nothing_twice(bench):
    await bench.start()
    await bench.engine.restart(bench.host(), wanted(), LEAVE)
    await bench.engine.remove(bench.host(), LEAVE)
    assert (await bench.engine.remove(bench.host(), LEAVE)).state is ContainerState.ABSENT
    assert (await bench.engine.stop(bench.host(), LEAVE)).state is ContainerState.ABSENT
    assert bench.docker_words() == ["pull", "run", "stop", "start", "rm"]


async def test_another_engine_on_the_machine_stops_a_start_before_it_fails_obscurely(bench):
    put(bench, "old-vllm", "vllm/vllm-tpu:nightly")
    with pytest.raises(PersonMovesNext, match="old-vllm"):
        await bench.start()
    assert bench.docker_words() == []


async def test_other_containers_are_not_in_the_way(bench):
    put(bench, "node-exporter", "prom/node-exporter:v1.8.0")
    assert (await bench.start()).in_the_way == ()


@pytest.mark.parametrize("verb", ["stop", "remove"])
async def test_a_container_of_somebody_else_needs_a_second_person(bench, verb):
    put(bench, "gemma-engine", "vllm/vllm-tpu:v0.20.0")
    with pytest.raises(PersonMovesNext, match="not made by this bot"):
        await getattr(bench.engine, verb)(bench.host(), LEAVE)
    with pytest.raises(PersonMovesNext, match="not made by this bot"):
        await bench.start()
    assert bench.docker_words() == []
    await getattr(bench.engine, verb)(bench.host(), Authorised("w-1", others=True))


async def test_a_container_made_by_hand_shows_its_arguments(bench):
    put(bench, "gemma-engine", "vllm/vllm-tpu:v0.20.0")
    status = await bench.engine.status(bench.host(), wanted())
    assert status.arguments == ("m",)
    assert not status.ours
    assert "image" in {one.what for one in status.drift}


async def test_secrets_that_the_machine_may_not_read_stop_the_start_and_keep_the_old_engine(bench):
    await bench.start()
    bench.machine.system.readable = {"hf"}
    with pytest.raises(PersonMovesNext, match="Secret Accessor"):
        await bench.start(context=32_768)
    assert (await bench.engine.status(bench.host())).state is ContainerState.RUNNING
    assert bench.docker_words() == ["pull", "run"]


async def test_a_full_disk_while_pulling_is_told_in_dockers_words(bench):
    bench.machine.docker.pull_error = "write /var/lib/docker/tmp/x: no space left on device"
    with pytest.raises(PersonMovesNext, match="no space left on device"):
        await bench.start()
    assert (await bench.engine.status(bench.host())).state is ContainerState.ABSENT


@pytest.mark.parametrize("fault", ["drop_before", "drop_after"])
@pytest.mark.parametrize("number", range(1, 18))
async def test_cut_at_any_command_a_repeat_ends_with_exactly_one_container_as_wanted(fault, number):
    bench = await Bench.open()
    try:
        await bench.start(context=32_768)
        bench.machine.docker.acted.clear()
        setattr(bench.machine.faults, fault, number + bench.machine.number)
        for _ in range(3):
            try:
                status = await bench.start()
                break
            except RetryLater:
                continue
        assert status.state is ContainerState.RUNNING
        assert status.drift == ()
        assert list(bench.machine.docker.containers) == ["gemma-engine"]
        assert bench.docker_words().count("run") == 1
    finally:
        await bench.close()


async def test_reads_survive_one_cut_connection(bench):
    await bench.start()
    bench.machine.faults.drop_after = bench.machine.number + 1
    assert (await bench.engine.status(bench.host())).state is ContainerState.RUNNING


async def test_after_a_reboot_the_secrets_are_fetched_again(bench):
    await bench.start()
    await bench.machine.reboot()
    assert (await bench.start()).state is ContainerState.RUNNING
    assert bench.machine.system.fetched == ["hf-token", "api-key"] * 2


# Logs and phases


async def phases(bench):
    return (await look(bench.engine, bench.host())).start


async def test_an_earlier_failure_in_the_log_is_not_told_as_todays(bench):
    bench.machine.docker.ending = Ending.HBM
    await bench.start(restarts=0)
    await bench.clock.advance(900)
    assert (await phases(bench)).failed
    await bench.start(restarts=0)
    await bench.clock.advance(2)
    assert (await phases(bench)).state in {"waiting", "process"}
    await bench.clock.advance(700)
    assert (await phases(bench)).state == "ready"


async def test_a_start_goes_through_its_phases_with_times(bench):
    await bench.start()
    seen = []
    for seconds in (1, 80, 60, 30, 300, 200):
        await bench.clock.advance(seconds)
        seen.append((await phases(bench)).state)
    assert list(dict.fromkeys(seen)) == ["process", "weights", "compile", "ready"]
    told = await phases(bench)
    assert told.startup.phase("weights").started_at > START
    assert told.startup.phase("ready").ended_at == START + timedelta(seconds=652)
    assert told.finding is None


@pytest.mark.parametrize(
    ("ending", "name", "code"),
    [
        (Ending.HBM, "program_too_large", 1),
        (Ending.HF_403, "huggingface", 1),
        (Ending.DISK_FULL, "disk_full", 1),
        (Ending.KILLED, "killed", 137),
    ],
)
async def test_a_failed_start_is_diagnosed(bench, ending, name, code):
    bench.machine.docker.ending = ending
    await bench.start(restarts=0)
    await bench.clock.advance(900)
    status = await bench.engine.status(bench.host())
    assert (status.state, status.exit_code) == (ContainerState.EXITED, code)
    told = await phases_of_last_start(bench, status)
    assert told.failed
    assert name in told.finding.name


async def test_a_program_that_did_not_fit_is_told_with_figures_from_which_a_fix_can_be_calculated(bench):
    bench.machine.docker.ending = Ending.HBM
    await bench.start(restarts=0, utilization=0.95)
    await bench.clock.advance(900)
    finding = (await look(bench.engine, bench.host())).start.finding
    wanted_mib, free_mib = (float(finding.figures[name].rstrip("M")) for name in ("wanted", "free"))
    fix = lower_utilization("31B", "v6e-4", 65_536, "bf16", 0.95, wanted_mib - free_mib)
    assert (wanted_mib, free_mib, fix.utilization) == (384.11, 346.77, 0.92)
    again = await bench.start(restarts=0, utilization=fix.utilization)
    assert again.drift == ()
    assert again.arguments[again.arguments.index("--gpu-memory-utilization") + 1] == "0.92"


async def phases_of_last_start(bench, status):
    return report(status, await bench.engine.logs(bench.host(), LogSource.ENGINE, tail=5_000))


async def test_docker_tries_again_so_often_and_then_it_stays_down(bench):
    bench.machine.docker.ending = Ending.KILLED
    await bench.start(restarts=2)
    await bench.clock.advance(150)
    again = await bench.engine.status(bench.host())
    assert (again.state, again.restarts) == (ContainerState.RUNNING, 1)
    await bench.clock.advance(900)
    down = await bench.engine.status(bench.host())
    assert (down.state, down.restarts) == (ContainerState.EXITED, 2)


async def test_a_stopped_engine_did_not_fail(bench):
    await bench.start()
    await bench.clock.advance(700)
    await bench.engine.stop(bench.host(), LEAVE)
    assert (await phases_of_last_start(bench, await bench.engine.status(bench.host()))).state == "stopped"


async def test_the_log_has_both_streams_in_the_order_of_time(bench):
    await bench.start()
    await bench.clock.advance(700)
    piece = await bench.engine.logs(bench.host(), LogSource.ENGINE, tail=5_000)
    times = [line[:30] for line in piece.lines]
    assert times == sorted(times)
    assert any("Loading safetensors" in line for line in piece.lines)
    assert piece.lines[-1].endswith("Application startup complete.")
    assert not piece.truncated


async def test_the_log_is_bounded_and_says_when_there_was_more(bench):
    await bench.start()
    await bench.clock.advance(700)
    piece = await bench.engine.logs(bench.host(), LogSource.ENGINE, tail=12)
    assert len(piece.lines) == 12
    assert piece.truncated
    late = await bench.engine.logs(bench.host(), LogSource.ENGINE, tail=5_000, since=START + timedelta(seconds=600))
    assert 0 < len(late.lines) < 40


async def test_no_container_has_an_empty_log(bench):
    assert (await bench.engine.logs(bench.host(), LogSource.ENGINE)).lines == ()


@pytest.mark.parametrize(
    ("source", "holds", "not_"), [(LogSource.SYSTEM, "docker.service", "\0"), (LogSource.KERNEL, "TPU driver", "docker.service")]
)
async def test_the_machines_own_logs_are_read_bounded(bench, source, holds, not_):
    await bench.clock.advance(60)
    piece = await bench.engine.logs(bench.host(), source, tail=50)
    assert any(holds in line for line in piece.lines)
    assert not any(not_ in line for line in piece.lines)
    assert (await bench.engine.logs(bench.host(), source, tail=1)).truncated
    assert (await bench.engine.logs(bench.host(), source, since=START + timedelta(hours=1))).lines == ()


# Secrets


async def test_no_planted_secret_is_in_any_captured_byte(bench, caplog):
    token = "hf_" + "PlantedTokenPlantedTokenPlanted01"
    bench.machine.docker.pull_error = f"unauthorized: token {token} is not valid"
    with caplog.at_level("DEBUG"), pytest.raises(PersonMovesNext) as told:
        await bench.start()
    bench.machine.docker.pull_error = ""
    bench.machine.system.journal.append((START, "kernel", f"oops HF_TOKEN={token}"))
    await bench.start()
    log = await bench.engine.logs(bench.host(), LogSource.KERNEL)
    secret = bench.pair.private.get_secret_value().splitlines()[1]
    seen = [
        str(told.value),
        repr(told.value.telling),
        repr(log),
        *bench.told,
        *bench.machine.commands,
        caplog.text,
        *bench.metadata,
    ]
    assert any("[hidden:" in one for one in seen)
    assert not [one for one in seen if token in one or secret in one or "PRIVATE KEY" in one]
    assert not [script for script in bench.machine.system.scripts if token in script]
