"""What the start-up script does at boot, told from the script itself: secrets, image, container, and the phases it publishes."""

import re
from collections.abc import Callable

from sandbox.clock import Clock
from sandbox.machine.commands import Commands
from sandbox.machine.docker import Answer, FakeDocker
from sandbox.machine.words import split

PHASE = "gemma/phase"
_RUN = re.compile(r"^  (docker run .*) > /dev/null$", re.MULTILINE)
_IMAGE = re.compile(r"^readonly IMAGE=(\S+)$", re.MULTILINE)
FAILED_LINE = "startup-script: gemma-engine: failed: "


async def _untold(_: str) -> None:
    """Nobody watches at boot."""


class Boot:
    """One boot of one machine. `publish` takes the guest attribute's value: a phase and a Unix time."""

    def __init__(self, clock: Clock, docker: FakeDocker, system: Commands, publish: Callable[[str], None]) -> None:
        """Nothing runs yet."""
        self._clock = clock
        self._docker = docker
        self._system = system
        self._publish = publish

    async def run(self, script: str) -> None:
        """The script from its first line to its last; a script that is none of ours does nothing but be checked."""
        self._tell("booting")
        checked = await self._system.root_script(script)
        if checked.code:
            self._fail("secrets" if "fetch_secret" in script else "booting", checked)
            return
        run = _RUN.search(script)
        if run is None:
            return
        if "fetch_secret" in script:
            self._tell("secrets")
        await self._engine(split(run[1])[1:], _IMAGE.findall(script)[0])

    async def _engine(self, words: list[str], image: str) -> None:
        if image not in self._docker.images:
            self._tell("pulling")
            pulled = await self._docker.call(["pull", image], _untold)
            if pulled.code:
                self._fail("pulling", pulled)
                return
        self._tell("starting")
        name = words[words.index("--name") + 1]
        begun = await self._docker.call(["start", name] if name in self._docker.containers else words, _untold)
        if begun.code:
            self._fail("starting", begun)
            return
        self._tell("loading")
        container = self._docker.containers[name]
        await self._clock.sleep((container.started - self._clock.now()).total_seconds() + container.script.seconds)
        state = container.now(self._clock.now()).status
        self._tell("ready" if container.ready_at() is not None and state == "running" else f"failed: the container is {state}")

    def _tell(self, phase: str) -> None:
        now = self._clock.now()
        self._publish(f"{phase} {int(now.timestamp())}")
        self._system.journal.append((now, "google_metadata_script_runner[812]", f"startup-script: gemma-engine: {phase}"))

    def _fail(self, phase: str, answer: Answer) -> None:
        self._system.journal.append((self._clock.now(), "google_metadata_script_runner[812]", answer.err.strip()))
        self._tell(f"failed: {phase}")
