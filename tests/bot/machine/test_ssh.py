"""Commands over SSH: bounded in time and size, on the right machine only, and quoted."""

import asyncio

import asyncssh
import pytest
from pydantic import SecretStr

from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.machine.access import new_key_pair
from bot.machine.connecting import Patience
from bot.machine.ssh import LONGEST_COMMAND, SshShell
from sandbox.machine import Ending
from tests.bot.machine.machine_bench import wanted
from tests.bot.serving.hostile_words import HOSTILE

pytestmark = pytest.mark.wire
TRUE = ("true",)


async def test_a_command_runs_and_tells_both_streams_and_its_code(bench):
    good = await bench.shell.run(bench.host(), TRUE, timeout_s=5)
    assert (good.exit_code, good.ok, good.truncated) == (0, True, False)
    bad = await bench.shell.run(bench.host(), ("docker", "ps"), timeout_s=5)
    assert bad.exit_code == 1
    assert "permission denied" in bad.stderr


async def test_commands_share_one_connection(bench):
    await asyncio.gather(*(bench.shell.run(bench.host(), TRUE, timeout_s=5) for _ in range(8)))
    assert len(bench.machine.connections) == 1


async def test_a_lost_connection_is_opened_anew_for_the_next_command(bench):
    async with bench.shell.forward_local(bench.host(), 8000) as forward:
        await bench.machine.reboot()
        await asyncio.wait_for(forward.lost(), 5)
    assert (await bench.shell.run(bench.host(), TRUE, timeout_s=5)).ok


async def test_another_host_key_than_google_tells_is_refused_at_once_and_nothing_is_sent(bench):
    host = bench.host()
    await bench.machine.change_host_key()
    with pytest.raises(PersonMovesNext, match="another host key"):
        await bench.shell.run(host, TRUE, timeout_s=5)
    assert bench.pauses == []
    assert not bench.machine.commands


async def test_a_machine_without_known_host_keys_is_not_connected_to(bench):
    with pytest.raises(WeMoveNext, match="No host key"):
        await bench.shell.run(bench.host(host_keys=()), TRUE, timeout_s=5)
    assert not bench.machine.connections


async def test_a_fresh_key_is_given_time_to_arrive(bench):
    bench.machine.faults.refuse_logins = 4
    assert (await bench.shell.run(bench.host(), TRUE, timeout_s=5)).ok
    assert bench.pauses == [5.0] * 4


async def test_a_key_that_never_counts_is_told_to_the_person_after_ten_tries(bench):
    bench.metadata.clear()
    with pytest.raises(PersonMovesNext, match="does not let us in"):
        await bench.shell.run(bench.host(), TRUE, timeout_s=5)
    assert bench.pauses == [5.0] * 9


async def test_another_pair_than_the_metadata_holds_is_refused(bench):
    with pytest.raises(PersonMovesNext):
        await bench.shell.run(bench.host(private_key=new_key_pair("other").private), TRUE, timeout_s=5)


async def test_nobody_there_is_worth_a_later_try_and_the_command_surely_did_not_start(bench):
    await bench.machine.stop()
    with pytest.raises(RetryLater) as told:
        await bench.shell.run(bench.host(), TRUE, timeout_s=5)
    assert told.value.arrived is False
    assert len(bench.pauses) == 9


async def test_a_silent_address_does_not_hold_us(bench):
    silent = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    shell = SshShell(patience=Patience(tries=2, connect_s=0.1, login_s=0.1), pause=bench.pause)
    with pytest.raises(RetryLater, match=r"did not answer|cannot be reached"):
        await shell.run(bench.host(port=port), TRUE, timeout_s=5)
    silent.close()


async def test_a_key_that_cannot_be_read_is_our_fault_and_not_repeated(bench):
    with pytest.raises(WeMoveNext) as told:
        await bench.shell.run(bench.host(private_key=SecretStr("planted-nonsense")), TRUE, timeout_s=5)
    assert "planted" not in str(told.value)


async def test_a_command_that_hangs_ends_with_its_time(bench):
    bench.machine.faults.hang = True
    with pytest.raises(RetryLater, match="did not end within") as told:
        await bench.shell.run(bench.host(), TRUE, timeout_s=0.2)
    assert told.value.arrived is None


@pytest.mark.parametrize("fault", ["drop_before", "drop_after"])
async def test_a_connection_cut_while_a_command_runs_may_have_done_it(bench, fault):
    setattr(bench.machine.faults, fault, 1)
    with pytest.raises(RetryLater, match="lost") as told:
        await bench.shell.run(bench.host(), TRUE, timeout_s=5)
    assert told.value.arrived is None


async def test_a_long_answer_is_cut_and_says_so(bench):
    await bench.start()
    await bench.clock.advance(700)
    ran = await bench.shell.run(bench.host(), ("sudo", "-n", "docker", "logs", "gemma-engine"), timeout_s=5, max_bytes=1_000)
    assert ran.truncated
    assert ran.exit_code is None
    assert len(ran.stdout.encode()) == 1_000


async def test_lines_come_from_both_streams_and_end_with_the_command(bench):
    bench.machine.docker.ending = Ending.HBM
    await bench.start(restarts=0)
    await bench.clock.advance(700)
    lines = [
        line async for line in bench.shell.lines(bench.host(), ("sudo", "-n", "docker", "logs", "gemma-engine"), timeout_s=5)
    ]
    assert {line.stream for line in lines} == {"stdout", "stderr"}
    assert any("RESOURCE_EXHAUSTED" in line.text for line in lines)


async def test_lines_stop_at_the_bytes_and_at_the_time_that_were_allowed(bench):
    await bench.start()
    await bench.clock.advance(700)
    logs = ("sudo", "-n", "docker", "logs", "gemma-engine")
    some = [line async for line in bench.shell.lines(bench.host(), logs, timeout_s=5, max_bytes=2_000)]
    assert sum(len(line.text.encode()) + 1 for line in some) <= 2_001
    bench.machine.faults.hang = True
    assert [line async for line in bench.shell.lines(bench.host(), logs, timeout_s=0.2)] == []


async def test_what_is_done_with_a_line_is_not_cut_short_by_the_commands_time(bench):
    await bench.start()
    await bench.clock.advance(700)
    seen = 0
    async for _ in bench.shell.lines(bench.host(), ("sudo", "-n", "docker", "logs", "gemma-engine"), timeout_s=0.2):
        seen += 1
        if seen == 1:
            await asyncio.sleep(0.25)
    assert seen >= 1


async def test_lines_may_be_left_early_and_the_shell_still_works(bench):
    await bench.start()
    await bench.clock.advance(700)
    stream = bench.shell.lines(bench.host(), ("sudo", "-n", "docker", "logs", "gemma-engine"), timeout_s=5)
    assert (await anext(stream)).text
    await stream.aclose()
    assert (await bench.shell.run(bench.host(), TRUE, timeout_s=5)).ok


async def test_five_hundred_hostile_arguments_arrive_as_one_word_each(bench):
    for start in range(0, len(HOSTILE), 100):
        argv = ("no-such-command", *HOSTILE[start : start + 100])
        ran = await bench.shell.run(bench.host(), argv, timeout_s=5)
        assert ran.exit_code == 127
    assert bench.machine.refused == []
    assert len(bench.machine.commands) == len(range(0, len(HOSTILE), 100))


async def test_what_is_not_quoted_would_be_noticed(bench):
    options = {"username": "gemma", "client_keys": [asyncssh.import_private_key(bench.pair.private.get_secret_value())]}
    async with asyncssh.connect("127.0.0.1", bench.machine.port, known_hosts=None, config=[], **options) as connection:
        assert (await connection.run("true; touch PWNED")).exit_status == 2
    assert bench.machine.refused == ["true; touch PWNED"]


async def test_a_command_longer_than_linux_takes_is_refused_before_it_is_sent(bench):
    with pytest.raises(WeMoveNext):
        await bench.shell.run(bench.host(), ("echo", "x" * LONGEST_COMMAND), timeout_s=5)
    assert not bench.machine.commands


async def test_a_tunnel_leads_to_the_engine_and_ends_with_its_block(bench):
    await bench.start()
    await bench.clock.advance(700)
    for _ in range(200):
        if bench.machine.vllm is not None and bench.machine.vllm.url:
            break
        await asyncio.sleep(0.01)
    async with bench.shell.forward_local(bench.host(), wanted().port) as forward:
        reader, writer = await asyncio.open_connection("127.0.0.1", forward.port)
        writer.write(b"GET /health HTTP/1.0\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.0 200")
        writer.close()
        port = forward.port
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_tunnel_says_when_its_connection_is_gone(bench):
    async with bench.shell.forward_local(bench.host(), 8000) as forward:
        await bench.machine.reboot()
        await asyncio.wait_for(forward.lost(), 5)


async def test_what_is_seen_of_a_host_does_not_show_its_key(bench):
    assert "PRIVATE" not in repr(bench.host()) + repr(bench.pair)
