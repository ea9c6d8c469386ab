"""The same shell against a real OpenSSH server with a real login shell behind it."""

import asyncio
import getpass
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.errors import PersonMovesNext, RetryLater
from bot.machine import docker, preparing
from bot.machine.access import new_key_pair
from bot.machine.connecting import Patience
from bot.machine.ssh import SshShell
from bot.ports import Authorised, Host
from bot.serving.engine_flags import WITH_VALUE
from sandbox.whole import free_port
from tests.bot.machine.machine_bench import wanted
from tests.bot.serving.hostile_words import HOSTILE, NOT_PRINTABLE

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
pytestmark = [pytest.mark.wire, pytest.mark.skipif(SSHD is None, reason="no OpenSSH server here: apt-get install openssh-server")]

CONFIG = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
AllowTcpForwarding yes
SetEnv PATH={folder}/bin:/usr/local/bin:/usr/bin:/bin
"""


class OpenSsh:
    """A server of this user's own on a free port."""

    def __init__(self, folder: Path) -> None:
        self.pair, self.port = new_key_pair("test"), free_port()
        host_key = new_key_pair("host")
        (folder / "host").write_text(host_key.private.get_secret_value())
        (folder / "host").chmod(0o600)
        (folder / "authorized").write_text(self.pair.public + "\n")
        (folder / "bin").mkdir()
        for name, then in (("sudo", 'shift; exec "$@"'), ("docker", "cd .")):
            (folder / "bin" / name).write_text(f'#!/bin/bash\nprintf "%s\\0" "$@" >> {folder}/record\n{then}\n')
            (folder / "bin" / name).chmod(0o755)
        (folder / "config").write_text(CONFIG.format(port=self.port, folder=folder))
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "config")], stderr=self.log, cwd=folder)
        self.host = Host(
            "real", "127.0.0.1", self.port, getpass.getuser(), (host_key.public.rpartition(" ")[0],), self.pair.private
        )

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.log.close()


@pytest.fixture
async def real(tmp_path):
    made = OpenSsh(tmp_path)
    yield made
    made.stop()


@pytest.fixture
async def shell(real):
    """It waits in real time for the server to listen, so its pauses are short."""
    async with SshShell(patience=Patience(tries=50, pause_s=0.1)) as made:
        yield made


async def test_five_hundred_hostile_arguments_come_out_of_the_login_shell_as_they_went_in(real, shell, tmp_path):
    words = [*HOSTILE, *NOT_PRINTABLE, ""]
    for start in range(0, len(words), 200):
        some = words[start : start + 200]
        ran = await shell.run(real.host, ("env", "-C", str(tmp_path), "printf", "%s\\0", *some), timeout_s=20)
        assert ran.ok, ran.stderr
        assert ran.stdout.split("\0")[:-1] == some
    assert not [path for path in Path(tmp_path).rglob("*") if "PWNED" in path.name]
    assert not Path("~/PWNED").expanduser().exists()


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 100))
async def test_a_hostile_specification_reaches_docker_on_a_real_machine_word_for_word(real, shell, tmp_path, start):
    """From the specification over SSH and a login shell to the argv of docker; sudo and docker only write down what they get."""
    words = HOSTILE[start : start + 100]
    flags = tuple(word for flag, value in zip(sorted(WITH_VALUE), words, strict=False) for word in (flag, value))
    variables = {f"VLLM_HOSTILE_{number}": word for number, word in enumerate(words[len(WITH_VALUE) :])}
    container = wanted(flags=flags, environment=variables)
    ran = await shell.run(real.host, docker.run(container), timeout_s=20)
    assert ran.ok, ran.stderr
    told = (tmp_path / "record").read_bytes().decode().split("\0")[:-1]
    assert told == ["-n", *container.run, *container.run[1:]]
    assert {path.name for path in tmp_path.iterdir()} == {"host", "authorized", "config", "log", "bin", "record"}


async def test_the_script_that_prepares_a_start_arrives_on_a_real_machine_byte_for_byte(real, shell, tmp_path):
    """Its folder is replaced by this one's: /run belongs to root. It comes by standard input, so it stands in no process list."""
    container, unit = wanted(), preparing.unit_of(wanted(), Authorised("ask-1"))
    place = tmp_path / "prepare.sh"
    argv = [word.replace(f"/run/{unit}.sh", str(place)) for word in preparing.put(unit)]
    ran = await shell.run(real.host, argv, timeout_s=20, stdin=preparing.script_of(container).encode())
    told = (tmp_path / "record").read_bytes().decode()
    assert (ran.ok, "fetch_secret" in told) == (True, False), ran.stderr
    assert place.read_text() == preparing.script_of(container)
    assert place.stat().st_mode & 0o777 == 0o700


async def test_codes_signals_streams_and_standard_input_come_through(real, shell):
    ran = await shell.run(real.host, ("bash", "-s"), timeout_s=10, stdin=b"cat; echo out; echo err >&2; exit 7\nleft over")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (7, "left overout\n", "err\n")
    killed = await shell.run(real.host, ("bash", "-c", "kill -9 $$"), timeout_s=10)
    assert (killed.exit_code, killed.signal, killed.ok) in {(None, "KILL", False), (137, None, False)}


async def test_time_and_size_are_bounded(real, shell):
    with pytest.raises(RetryLater, match="did not end"):
        await shell.run(real.host, ("sleep", "3"), timeout_s=0.3)
    ran = await shell.run(real.host, ("yes", "hello"), timeout_s=10, max_bytes=100_000)
    assert ran.truncated
    assert len(ran.stdout) == 100_000


async def test_a_line_that_never_ends_is_cut_and_the_rest_is_lines_again(real, shell):
    script = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo after"
    lines = [line async for line in shell.lines(real.host, ("bash", "-c", script), timeout_s=20)]
    assert [(line.cut, len(line.text)) for line in lines] == [(True, 65_536), (False, 5)]


async def test_bytes_that_are_no_text_do_not_break_reading(real, shell):
    lines = [line async for line in shell.lines(real.host, ("printf", "a\\377b\\nc\\r\\n"), timeout_s=10)]
    assert [line.text for line in lines] == ["a�b", "c"]


async def test_left_lines_end_the_command_on_the_machine(real, shell, tmp_path):
    script = f"trap '' PIPE; echo $$ > {tmp_path}/pid; while echo tick; do sleep 0.05; done"
    stream = shell.lines(real.host, ("bash", "-c", script), timeout_s=20)
    assert (await anext(stream)).text == "tick"
    pid = int((tmp_path / "pid").read_text())
    await stream.aclose()
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists():
            return
        await asyncio.sleep(0.05)
    pytest.fail("it still runs")


async def test_another_host_key_or_another_key_of_ours_is_refused(real, shell):
    assert (await shell.run(real.host, ("true",), timeout_s=10)).ok
    stranger = Host(**{**vars(real.host), "host_keys": (new_key_pair("x").public,)})
    with pytest.raises(PersonMovesNext, match="another host key"):
        await shell.run(stranger, ("true",), timeout_s=10)
    async with SshShell(patience=Patience(tries=2, pause_s=0.01)) as other:
        with pytest.raises(PersonMovesNext, match="does not let us in"):
            await other.run(Host(**{**vars(real.host), "private_key": new_key_pair("x").private}), ("true",), timeout_s=10)


async def test_a_tunnel_carries_bytes_both_ways(real, shell):
    async def echo(reader, writer):
        writer.write(b"said " + await reader.readline())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server, shell.forward_local(real.host, server.sockets[0].getsockname()[1]) as forward:
        reader, writer = await asyncio.open_connection("127.0.0.1", forward.port)
        writer.write(b"hello\n")
        assert await reader.read() == b"said hello\n"
        writer.close()
        await writer.wait_closed()


async def test_the_server_going_away_while_a_command_runs_is_told(real, shell):
    running = asyncio.create_task(shell.run(real.host, ("sleep", "60"), timeout_s=20))
    for _ in range(500):
        if any(name == "sleep" for _, name in below(real.process.pid)):
            break
        await asyncio.sleep(0.02)
    for child, name in below(real.process.pid):
        if name.startswith("sshd") or name == "sleep":
            os.kill(child, 9)
    with pytest.raises(RetryLater) as told:
        await asyncio.wait_for(running, 10)
    assert told.value.arrived is None


def below(pid: int) -> list[tuple[int, str]]:
    """(number, name) of all processes that this one or its children started."""
    told = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = stat.read_text().partition(" (")
        except OSError:
            continue
        name, _, rest = rest.rpartition(") ")
        told.append((int(number), int(rest.split()[1]), name))
    found, parents = [], {pid}
    while more := [(number, name) for number, parent, name in told if parent in parents and (number, name) not in found]:
        found += more
        parents |= {number for number, _ in more}
    return found
