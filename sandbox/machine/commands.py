"""What the machine does when it is told something: docker, the journal, and the script that fetches secrets."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from bot.serving.places import SECRETS
from sandbox.clock import Clock
from sandbox.machine.docker import Answer, FakeDocker
from sandbox.machine.options import UnknownOption, read
from sandbox.machine.units import Units

JOURNAL = {
    **dict.fromkeys(("--no-pager", "--quiet", "--utc", "--dmesg"), False),
    **dict.fromkeys(("--output", "--lines", "--since", "--unit"), True),
}
_FETCH = re.compile(r"^fetch_secret (projects/[^/\s]+/secrets/([\w-]+)) ([\w-]+)$", re.MULTILINE)
_PULL = re.compile(r"^  docker pull (\S+) \|\|", re.MULTILINE)
Say = Callable[[str], Awaitable[None]]


class Commands:
    """`readable` are the secrets that the machine's account may read (None: all); `journal` its log; `scripts` what root ran."""

    def __init__(self, clock: Clock, docker: FakeDocker) -> None:
        """A machine that booted just now."""
        self._clock = clock
        self._docker = docker
        self.readable: set[str] | None = None
        self.fetched: list[str] = []
        self.scripts: list[str] = []
        self.units = Units(self._carry_out)
        booted = clock.now()
        self.journal: list[tuple[datetime, str, str]] = [
            (booted + timedelta(seconds=second), unit, text)
            for second, unit, text in (
                (0, "kernel", "Linux version 6.8.0-1015-gcp"),
                (4, "kernel", "accel accel0: TPU driver ready"),
                (9, "systemd[1]", "Started docker.service - Docker Application Container Engine."),
                (12, "google_metadata_script_runner[812]", "startup-script: gemma-engine: booting"),
            )
        ]

    async def run(self, words: list[str], script: Callable[[], Awaitable[str]], say: Say) -> Answer:
        """One command of the user; all but `true` needs root."""
        match words:
            case ["true"]:
                return Answer(0)
            case ["sudo", "-n", "docker", *rest]:
                return await self._docker.call(rest, say)
            case ["sudo", "-n", "journalctl", *rest]:
                return self._journal(rest)
            case ["sudo", "-n", "install", "-m", "0700", "/dev/stdin", path]:
                self.units.files[path] = await script()
                return Answer(0)
            case ["sudo", "-n", "systemd-run", *rest]:
                return self.units.begin(rest)
            case ["sudo", "-n", "systemctl", verb, *rest]:
                return self.units.control(verb, rest)
            case ["sudo", "-n", "bash", "-s"]:
                return await self.root_script(await script())
            case ["docker", *_]:
                return Answer(1, err="permission denied while trying to connect to the Docker daemon socket\n")
        return Answer(127, err=f"bash: line 1: {words[0] if words else ''}: command not found\n")

    def _journal(self, words: list[str]) -> Answer:
        try:
            asked = read(words, JOURNAL)
        except UnknownOption as error:
            return Answer(1, err=f"journalctl: unrecognized option '{error}'\n")
        now = self._clock.now()
        lines = [row for row in self.journal if row[0] <= now]
        if "--unit" in asked.options:
            return self.units.journal(asked.last("--unit"), int(asked.last("--lines", "10")))
        if "--dmesg" in asked.options:
            lines = [row for row in lines if row[1] == "kernel"]
        since = asked.last("--since")
        if since:
            begin = datetime.fromtimestamp(int(since.removeprefix("@")), UTC)
            lines = [row for row in lines if row[0] >= begin]
        lines = lines[-int(asked.last("--lines", "10")) :]
        return Answer(0, "".join(f"{at:%Y-%m-%dT%H:%M:%S}+0000 machine {unit}: {text}\n" for at, unit, text in lines))

    async def _carry_out(self, script: str, say: Say) -> Answer:
        """What a unit's script does: the secrets, then the image unless it is there."""
        done = await self.root_script(script)
        if done.code:
            return done
        pulls = _PULL.search(script)
        if pulls is None or pulls[1] in self._docker.images:
            return Answer(0)
        await say("gemma-engine: pulling\n")
        return await self._docker.call(["pull", pulls[1]], say)

    async def root_script(self, script: str) -> Answer:
        """A script that a real bash can read; of what it would do only the secrets matter here."""
        self.scripts.append(script)
        checked = await asyncio.create_subprocess_exec(
            "bash", "-n", stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        _, complaint = await checked.communicate(script.encode())
        if checked.returncode:
            return Answer(2, err=complaint.decode())
        for place, name, file in _FETCH.findall(script):
            if self.readable is not None and name not in self.readable:
                told = f"gemma-engine: cannot read {place}: does the machine have the role Secret Manager Secret Accessor on it?"
                return Answer(1, err=told + "\n")
            self.fetched.append(file)
        self._docker.mounts.add(SECRETS)
        return Answer(0)
