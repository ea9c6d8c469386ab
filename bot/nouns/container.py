"""A container on a machine: as it is wanted, and as it was found."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from bot.nouns.base import Noun


class Container(Noun):
    """One engine container as it is wanted, with everything that is needed to start it and nothing secret.

    `run` is the whole argv that starts it ("docker", "run", ...); `arguments` what the engine itself is given, for comparison;
    `secrets_script` is shell text for root that fetches its secrets into memory, empty when it needs none.
    `port` is where it listens on its machine; `fingerprint` tells two wishes apart.
    """

    name: str
    deployment: str
    image: str
    run: tuple[str, ...]
    arguments: tuple[str, ...]
    environment: dict[str, str] = Field(default_factory=dict)
    secrets_script: str = ""
    port: int
    fingerprint: str


class ContainerState(StrEnum):
    """Where a container stands; RESTARTING: it ended, and docker is about to start it again. UNKNOWN: a word we do not know."""

    ABSENT = "absent"
    CREATED = "created"
    RUNNING = "running"
    RESTARTING = "restarting"
    PAUSED = "paused"
    EXITED = "exited"
    DEAD = "dead"
    UNKNOWN = "unknown"


class Drift(Noun):
    """One difference: `what` ("--max-model-len", "image"), what is `wanted` and what `found`; None: not there at all."""

    what: str
    wanted: str | None
    found: str | None


class ContainerStatus(Noun):
    """A container as docker tells of it. None: docker does not say.

    `exit_code` is of the last end (137: killed, often for memory); `out_of_memory` what docker says of the host's memory;
    `since` when it came into this state, aware; `restarts` how often docker started it again. `ours` says whether it bears our
    labels. `drift` is empty when it is what is wanted or nothing was wanted; `in_the_way` names other containers that may hold
    the TPU.
    """

    name: str
    state: ContainerState
    at: datetime
    exit_code: int | None = None
    out_of_memory: bool | None = None
    error: str = ""
    since: datetime | None = None
    restarts: int | None = None
    image: str | None = None
    image_id: str | None = None
    arguments: tuple[str, ...] = ()
    deployment: str | None = None
    ours: bool = False
    drift: tuple[Drift, ...] = ()
    in_the_way: tuple[str, ...] = ()


class Preparation(Noun):
    """How far what a start needs has come on its machine. `doing` says it in plain words ("pulling the image: 7 of 12 layers").

    `failed` is why it came to nothing, in the machine's own words without secrets, and `log` its last lines then.
    """

    done: bool
    doing: str = ""
    failed: str | None = None
    log: tuple[str, ...] = ()
