"""One container by the clock: what it is at a moment, and what it has written until then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sandbox.machine.starts import Script, stream_of

NEVER = "0001-01-01T00:00:00Z"


@dataclass(frozen=True)
class Written:
    """One line of its log."""

    at: datetime
    stream: str
    text: str


@dataclass(frozen=True)
class Now:
    """What it is at one moment: docker's word, the code of its end, when this began, and how often docker started it again."""

    status: str
    exit_code: int
    since: datetime
    restarts: int


@dataclass
class FakeContainer:
    """Made by `docker run`. `retries` is how often a failed start is tried again by docker itself."""

    name: str
    id: str
    image: str
    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    environment: tuple[str, ...]
    labels: Mapping[str, str]
    retries: int
    created: datetime
    script: Script
    started: datetime
    stopped: datetime | None = None
    earlier: list[Written] = field(default_factory=list)
    code: int = 0
    last_words: list[Written] = field(default_factory=list)

    def die(self, at: datetime, code: int, words: Sequence[str]) -> None:
        """End by itself with this code, after these lines; docker does not try again, as after a start that came up."""
        stamped = [text.replace("<time>", at.strftime("%m-%d %H:%M:%S")) for text in words]
        self.stopped, self.code, self.last_words = at, code, [Written(at, stream_of(one), one) for one in stamped]

    def begin(self, at: datetime, script: Script) -> None:
        """Start again; what was written stays."""
        self.earlier += self.written(at)[len(self.earlier) :]
        self.started, self.stopped, self.script = at, None, script
        self.code, self.last_words = 0, []

    def now(self, at: datetime) -> Now:
        """What it is at this moment."""
        moment = min(at, self.stopped) if self.stopped else at
        length = self.script.seconds
        if self.script.exit_code is None:
            tries, ended = 0, None
        else:
            tries = min(int((moment - self.started).total_seconds() / max(length, 1e-6)), self.retries + 1)
            ended = self.started + timedelta(seconds=length * (self.retries + 1)) if tries > self.retries else None
        restarts = min(tries, self.retries)
        if ended is not None:
            return Now("exited", self.script.exit_code or 0, ended, restarts)
        if self.stopped is not None:
            return Now("exited", self.code, self.stopped, restarts)
        return Now("running", 0, self.started + timedelta(seconds=length * restarts), restarts)

    def ready_at(self) -> datetime | None:
        """When it answers; None when this start comes to nothing."""
        return self.started + timedelta(seconds=self.script.seconds) if self.script.exit_code is None else None

    def written(self, at: datetime) -> list[Written]:
        """Its log until this moment."""
        until = min(at, self.stopped) if self.stopped else at
        lines = list(self.earlier)
        for number in range(self.now(until).restarts + 1):
            begun = self.started + timedelta(seconds=self.script.seconds * number)
            for offset, text in self.script.lines:
                moment = begun + timedelta(seconds=offset)
                if moment <= until:
                    stamped = text.replace("<time>", moment.strftime("%m-%d %H:%M:%S"))
                    lines.append(Written(moment, stream_of(text), stamped))
        return lines + [one for one in self.last_words if one.at <= at]

    def inspected(self, at: datetime) -> dict[str, Any]:
        """As `docker container inspect` shows it, the fields that matter."""
        now = self.now(at)
        running = now.status == "running"
        return {
            "Id": self.id,
            "Created": _docker_time(self.created),
            "State": {
                "Status": now.status,
                "Running": running,
                "Paused": False,
                "Restarting": False,
                "OOMKilled": False,
                "Dead": False,
                "ExitCode": now.exit_code,
                "Error": "",
                "StartedAt": _docker_time(now.since if running else self.started),
                "FinishedAt": NEVER if running and not now.restarts else _docker_time(now.since),
            },
            "Image": f"sha256:{self.id}",
            "Name": f"/{self.name}",
            "RestartCount": now.restarts,
            "Config": {
                "Env": [*self.environment, "PATH=/usr/local/bin:/usr/bin:/bin", "VLLM_TARGET_DEVICE=tpu"],
                "Cmd": list(self.command),
                "Image": self.image,
                "Entrypoint": list(self.entrypoint),
                "Labels": dict(self.labels),
            },
        }


def option_of(arguments: Sequence[str], name: str, default: str) -> str:
    """The value of an engine's flag."""
    return arguments[arguments.index(name) + 1] if name in arguments[:-1] else default


def _docker_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z"
