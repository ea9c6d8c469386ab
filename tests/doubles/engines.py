"""Engines on machines without a wire: the product's own docker control over a docker that lives by a held clock."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import SecretStr

from bot.errors import RetryLater
from bot.machine.engine import DockerEngine
from bot.nouns import Deployment, EngineStart, ServedModel, Wish
from bot.ports import Authorised, Engines, Host, Ran
from bot.serving.container import container_of, run_argv
from bot.serving.specification import EngineSpecification
from sandbox.clock import Clock
from sandbox.machine.commands import Commands
from sandbox.machine.docker import FakeDocker
from tests.doubles.ports import FakeEngine, HeldClock
from tests.doubles.sights import PROD

HOST = Host("prod-1", "10.0.0.2", 22, "gemma", ("ssh-ed25519 AAAA",), SecretStr("no key"))
SPECIFICATION = EngineSpecification.model_validate(
    {
        "deployment": "prod",
        "model": "31B",
        "image": "vllm/vllm-tpu:v0.26.0",
        "piece": "v6e-4",
        "context": 65_536,
        "api_key_secret": "projects/my-project/secrets/key",
    }
)
PLACE = PROD


class Killed(BaseException):
    """The process ends here."""


class Moved(Clock):
    """The held clock of the house; who sleeps by it wakes at once."""

    def __init__(self, held: HeldClock) -> None:
        self._held = held

    def now(self) -> datetime:
        return self._held.now()

    async def sleep(self, seconds: float) -> None:
        del seconds
        await asyncio.sleep(0)


@dataclass
class Rig:
    """One machine with its engine; implements `bot.ports.Wishes`, `Hosts` and `Shell`.

    `kill_at` ends the process before (`after` False) or after the call to the outside with this number, once; `calls` counts
    them. `errors` are raised by the next look for the machine. `wrong` are answers instead of the right one.
    `pace` makes starts quicker.
    """

    clock: HeldClock
    kill_at: int | None = None
    after: bool = False
    calls: int = 0
    wished: list[Wish] = field(default_factory=list)
    begun: list[EngineStart] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    pace: float = 1.0

    def __post_init__(self) -> None:
        self.docker = FakeDocker(Moved(self.clock), "prod-1", pace=self.pace, pull_s=0)
        self.system = Commands(Moved(self.clock), self.docker)
        self.engine = ServedEngine(self)

    @property
    def engines(self) -> Engines:
        return Engines(self, self, DockerEngine(self, self.clock, pause=lambda _: asyncio.sleep(0)), self)

    def serves(self, specification: EngineSpecification = SPECIFICATION, hours: float = 3) -> None:
        """As if it had been brought up that long ago, by us."""
        self.clock.move(hours=-hours)
        self.docker.bring_up(run_argv(specification))
        self.wished.insert(0, wish(specification, self.clock.now()))
        self.clock.move(hours=hours)
        self.docker.acted.clear()

    def started(self, *minutes: int) -> None:
        """Starts that came to an answer, the newest last."""
        for number, one in enumerate(minutes):
            start = EngineStart(at=self.clock.now(), seconds=one * 60, work=f"ask-{number}", fingerprint="f")
            self.begun.insert(0, start)

    def ready(self) -> bool:
        """Whether a container answers now."""
        now = self.clock.now()
        running = [one for one in self.docker.containers.values() if one.now(now).status == "running"]
        return any((at := one.ready_at()) is not None and at <= now for one in running)

    async def call(self, what: Any) -> Any:
        """One call to the outside."""
        self.calls += 1
        number = self.calls
        if number == self.kill_at and not self.after:
            raise Killed
        came = await what
        if number == self.kill_at and self.after:
            raise Killed
        return came

    async def current(self, team_id: str, deployment: str) -> Wish | None:
        return next(iter(await self.past(team_id, deployment)), None)

    async def past(self, team_id: str, deployment: str) -> tuple[Wish, ...]:
        del team_id
        return tuple(one for one in self.wished if one.deployment == deployment)

    async def put(self, team_id: str, made: Wish) -> None:
        del team_id

        async def act() -> None:
            if not any((one.work, one.fingerprint) == (made.work, made.fingerprint) for one in self.wished):
                self.wished.insert(0, made)

        await self.call(act())

    async def note_start(self, team_id: str, deployment: str, start: EngineStart) -> None:
        del team_id, deployment

        async def act() -> None:
            if not any((one.work, one.fingerprint) == (start.work, start.fingerprint) for one in self.begun):
                self.begun.insert(0, start)

        await self.call(act())

    async def starts(self, team_id: str, deployment: str) -> tuple[EngineStart, ...]:
        del team_id, deployment
        return tuple(self.begun)

    async def public_key(self, leave: Authorised, deployment: str) -> str:
        del leave, deployment
        return "gemma:ssh-ed25519 AAAA prod"

    async def host(self, deployment: Deployment) -> Host:
        if self.errors:
            raise self.errors.pop(0)
        assert deployment.machine == "prod-1"
        return HOST

    async def run(self, host: Host, argv: Sequence[str], *, timeout_s: float, max_bytes: int = 0, stdin: bytes = b"") -> Ran:
        del timeout_s, max_bytes
        assert host == HOST
        said: list[str] = []

        async def script() -> str:
            return stdin.decode()

        async def say(text: str) -> None:
            said.append(text)

        answer = await self.call(self.system.run(list(argv), script, say))
        for _ in range(5):
            await asyncio.sleep(0)
        return Ran(answer.code, "".join(said) + answer.out, answer.err)

    def lines(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("nobody follows a log here")

    @asynccontextmanager
    async def forward_local(self, host: Host, to_port: int, *, to_host: str = "", port: int = 0) -> AsyncIterator[Any]:
        del to_host, port
        assert host == HOST
        yield Way(to_port)


@dataclass
class Way:
    """A forward that leads where it should."""

    port: int

    async def lost(self) -> None:
        await asyncio.Event().wait()


@dataclass
class ServedEngine(FakeEngine):
    """The engine as it is reached over HTTP: it answers once its container is ready."""

    rig: Rig | None = None

    def __init__(self, rig: Rig) -> None:
        super().__init__()
        self.rig = rig

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        self._reached(deployment)
        return (ServedModel(id="google/gemma-4-31B-it", context=65_536),)

    async def chat(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> dict[str, Any]:
        del body, deadline_s
        rig = self._reached(deployment)
        said = rig.wrong.pop(0) if rig.wrong else "42"

        async def act() -> dict[str, Any]:
            return {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}

        answer: dict[str, Any] = await rig.call(act())
        return answer

    def _reached(self, deployment: Deployment) -> Rig:
        assert self.rig is not None
        assert deployment.base_url
        if not self.rig.ready():
            raise RetryLater("Engine: prod does not answer.")
        return self.rig


def wish(specification: EngineSpecification, at: datetime, work: str = "ask-first") -> Wish:
    """That somebody wanted this."""
    return Wish(
        deployment=specification.deployment,
        specification=specification.model_dump_json(),
        fingerprint=specification.fingerprint,
        at=at,
        by="U1ANNA",
        work=work,
        why="deploy prod",
    )


def wanted(**changes: Any) -> EngineSpecification:
    """The specification with these changes."""
    return EngineSpecification.model_validate({**SPECIFICATION.model_dump(), **changes})


def runs(rig: Rig, specification: EngineSpecification) -> bool:
    """Whether exactly one container is there, it runs, and it is what this wants."""
    (only,) = rig.docker.containers.values()
    container = container_of(specification)
    return only.now(rig.clock.now()).status == "running" and only.labels["specification"] == container.fingerprint
