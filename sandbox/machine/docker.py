"""A docker that knows what we ask of it and refuses everything else, in docker's own words (28.2)."""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sandbox.clock import Clock
from sandbox.machine.container import FakeContainer, option_of
from sandbox.machine.options import Read, UnknownOption, read
from sandbox.machine.starts import Ending, Facts, Script, script
from sandbox.vllm.engine_model import CacheShape

RUN = {
    **dict.fromkeys(("--detach", "-d", "--privileged"), False),
    **dict.fromkeys(
        (
            "--name",
            "--restart",
            "--network",
            "--label",
            "--log-driver",
            "--log-opt",
            "--mount",
            "--volume",
            "--env",
            "--entrypoint",
        ),
        True,
    ),
}
LOGS = {"--timestamps": False, "--tail": True, "--since": True}
FORMAT = {"--format": True}
ACTS = frozenset({"pull", "run", "start", "stop", "rm"})
"""What changes something."""
_RETRIES = re.compile(r"on-failure:(\d+)")
_LAYERS = 12


@dataclass(frozen=True)
class Answer:
    """What a command says and how it ends."""

    code: int
    out: str = ""
    err: str = ""


Say = Callable[[str], Awaitable[None]]


class FakeDocker:
    """The daemon and its command line. `ending` is what becomes of the next start; `pull_error` what the next pull says.

    `acted` are the verbs that were to change something, in order.
    """

    def __init__(self, clock: Clock, machine: str, piece: str = "v6e-4", *, pace: float = 1.0, pull_s: float = 90.0) -> None:
        """No image, no container. `pace` makes starts quicker, `pull_s` is how long a pull takes."""
        self._clock = clock
        self._machine = machine
        self._piece = piece
        self._pace = pace
        self.pull_s = pull_s
        self.images: set[str] = set()
        self.containers: dict[str, FakeContainer] = {}
        self.mounts: set[str] = {"/dev/shm"}
        self.ending = Ending.READY
        self.pull_error = ""
        self.changed: list[Callable[[], None]] = []
        self.acted: list[str] = []

    def bring_up(self, run: Sequence[str]) -> FakeContainer:
        """Have a container as if somebody had made it before, with its image and whatever it mounts; `run` is docker's argv."""
        words = list(run)[1:]
        asked = read(words[1:], RUN)
        self.images.add(asked.words[0])
        self.mounts |= {
            dict(part.partition("=")[::2] for part in mount.split(","))["source"] for mount in asked.options["--mount"]
        }
        self._run(asked)
        return self.containers[asked.last("--name")]

    def crash(self, name: str, code: int, words: Sequence[str]) -> None:
        """A container ends by itself now, after these last lines of its log."""
        self.containers[name].die(self._clock.now(), code, words)
        for listener in self.changed:
            listener()

    async def call(self, words: list[str], say: Say) -> Answer:
        """One command line after the word docker."""
        try:
            return await self._call(words, say)
        except UnknownOption as error:
            return Answer(125, err=f"unknown flag: {error}\nSee 'docker --help'.\n")

    async def _call(self, words: list[str], say: Say) -> Answer:
        if words[:1] and words[0] in ACTS:
            self.acted.append(words[0])
        match words:
            case ["pull", image]:
                return await self._pull(image, say)
            case ["image", "inspect", *rest]:
                return self._image(read(rest, FORMAT))
            case ["container", "inspect", *rest]:
                return self._inspect(read(rest, {}))
            case ["ps", *rest]:
                return self._ps(read(rest, {"--no-trunc": False, **FORMAT}))
            case ["run", *rest]:
                return self._run(read(rest, RUN))
            case [("start" | "stop" | "rm") as verb, *rest]:
                return self._switch(verb, read(rest, {"start": {}, "stop": {"-t": True}, "rm": {"--force": False}}[verb]))
            case ["logs", *rest]:
                return self._logs(read(rest, LOGS))
            case ["version"]:
                return Answer(0, "Client: 28.2.2\nServer: 28.2.2\n")
        return Answer(1, err=f"docker: '{' '.join(words[:2])}' is not a docker command.\nSee 'docker --help'\n")

    async def _pull(self, image: str, say: Say) -> Answer:
        layers = [hashlib.sha256(f"{image}{number}".encode()).hexdigest()[:12] for number in range(_LAYERS)]
        for layer in layers:
            await say(f"{layer}: Pulling fs layer\n")
        for layer in layers:
            await self._clock.sleep(self.pull_s / _LAYERS)
            if self.pull_error:
                return Answer(1, err=f"{self.pull_error}\n")
            await say(f"{layer}: Download complete\n{layer}: Pull complete\n")
        self.images.add(image)
        return Answer(0, f"Status: Downloaded newer image for {image}\ndocker.io/{image}\n")

    def _image(self, asked: Read) -> Answer:
        (image,) = asked.words
        if image not in self.images:
            return Answer(1, "\n", f"Error response from daemon: No such image: {image}\n")
        return Answer(0, f"sha256:{_digest(image)}\n")

    def _inspect(self, asked: Read) -> Answer:
        (name,) = asked.words
        if name not in self.containers:
            return _no_such(name)
        found = self.containers[name].inspected(self._clock.now())
        return Answer(0, json.dumps([found]) + "\n")

    def _ps(self, asked: Read) -> Answer:
        if asked.last("--format") != "{{json .}}":
            raise UnknownOption("--format")
        at = self._clock.now()
        running = [one for one in self.containers.values() if one.now(at).status == "running"]
        rows = [{"ID": one.id, "Names": one.name, "Image": one.image} for one in running]
        return Answer(0, "".join(json.dumps(row) + "\n" for row in rows))

    def _run(self, asked: Read) -> Answer:
        name = asked.last("--name")
        image, *command = asked.words
        if name in self.containers:
            return _refused(
                f'Conflict. The container name "/{name}" is already in use by container "{self.containers[name].id}". '
                "You have to remove (or rename) that container to be able to reuse that name."
            )
        for mount in asked.options.get("--mount", ()):
            source = dict(part.partition("=")[::2] for part in mount.split(","))["source"]
            if source not in self.mounts:
                return _refused(f'invalid mount config for type "bind": bind source path does not exist: {source}')
        if image not in self.images:
            return _refused(f"No such image: {image}")
        self._put(self._made(name, image, command, asked))
        return Answer(0, self.containers[name].id + "\n")

    def _made(self, name: str, image: str, command: list[str], asked: Read) -> FakeContainer:
        at = self._clock.now()
        retries = _RETRIES.fullmatch(asked.last("--restart", "no"))
        return FakeContainer(
            name=name,
            id=_digest(f"{name}{at}{command}"),
            image=image,
            entrypoint=(asked.last("--entrypoint", "/bin/bash"),),
            command=tuple(command),
            environment=tuple(asked.options.get("--env", ())),
            labels=dict(label.partition("=")[::2] for label in asked.options.get("--label", ())),
            retries=int(retries[1]) if retries else 0,
            created=at,
            started=at,
            script=self._next_script(command),
        )

    def _put(self, made: FakeContainer) -> None:
        self.containers[made.name] = made
        self._tell()

    def _switch(self, verb: str, asked: Read) -> Answer:
        (name,) = asked.words
        if name not in self.containers:
            return Answer(0 if "--force" in asked.options else 1, err=f"Error response from daemon: No such container: {name}\n")
        found, at = self.containers[name], self._clock.now()
        running = found.now(at).status == "running"
        if verb == "start" and not running:
            found.begin(at, self._next_script(list(found.command)))
        elif verb == "stop" and running:
            found.stopped = at
        elif verb == "rm":
            if running and "--force" not in asked.options:
                return Answer(1, err=f'Error response from daemon: cannot remove container "{name}": container is running\n')
            del self.containers[name]
        self._tell()
        return Answer(0, name + "\n")

    def _logs(self, asked: Read) -> Answer:
        (name,) = asked.words
        if name not in self.containers:
            return _no_such(name)
        since = asked.last("--since")
        lines = self.containers[name].written(self._clock.now())
        if since:
            begin = datetime.strptime(since, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
            lines = [line for line in lines if line.at >= begin]
        lines = lines[-int(asked.last("--tail", "100000")) :]
        told = {"stdout": "", "stderr": ""}
        for line in lines:
            stamp = line.at.strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z " if "--timestamps" in asked.options else ""
            told[line.stream] += f"{stamp}{line.text}\n"
        return Answer(0, told["stdout"], told["stderr"])

    def _next_script(self, command: list[str]) -> Script:
        """How the next start goes; afterwards starts go well again."""
        ending, self.ending = self.ending, Ending.READY
        context = int(option_of(command, "--max-model-len", "65536"))
        model = next((word for word in command if "/gemma" in word.lower()), "google/gemma-4-31B-it")
        chips = int(option_of(command, "--tensor-parallel-size", "4"))
        facts = Facts(self._machine, model, self._piece, chips, context, CacheShape().tokens)
        return script(ending, facts, self._pace)

    def _tell(self) -> None:
        for listener in self.changed:
            listener()


def _no_such(name: str) -> Answer:
    return Answer(1, "[]\n", f"Error response from daemon: No such container: {name}\n")


def _refused(why: str) -> Answer:
    return Answer(125, err=f"docker: Error response from daemon: {why}\n")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
