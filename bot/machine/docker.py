"""Docker's command line: what is asked of it, and what its answers mean. Pure.

Fields as `docker container inspect` and `docker ps --format json` give them (Docker 20.10 to 28; Engine API "ContainerInspect").
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from bot.diagnosis.secrets import redact
from bot.errors import PersonMovesNext, RetryLater
from bot.machine.drift import drift_of
from bot.nouns import Container, ContainerState, ContainerStatus
from bot.ports import Ran
from bot.serving.container import LABELS, US
from bot.serving.places import CONTAINER

SUDO = ("sudo", "-n")
"""The user that metadata keys make is no member of the group docker, but may use sudo without a password."""
STOP_GRACE_S = 30
"""Seconds between SIGTERM and SIGKILL: vLLM ends its running requests in them."""
_NEVER = re.compile(r"0001-01-01T")
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_NO_SUCH = re.compile(r"No such (?:container|object|image)", re.IGNORECASE)
_SECRET_FLAG = re.compile(r"(?:key|token|secret|password|passphrase|credentials?)$", re.IGNORECASE)
_ENGINES = re.compile(r"vllm|tpu|jax|gemma|sglang|jetstream", re.IGNORECASE)
"""Words in the image of a container that may hold the TPU (tpu-inference#1866: a forgotten vllm-tpu did)."""


def inspect() -> tuple[str, ...]:
    """Everything about our container, as JSON."""
    return (*SUDO, "docker", "container", "inspect", CONTAINER)


def others() -> tuple[str, ...]:
    """All running containers, one JSON object a line."""
    return (*SUDO, "docker", "ps", "--no-trunc", "--format", "{{json .}}")


def image_is_there(image: str) -> tuple[str, ...]:
    """Whether the image is on the machine (0) or not (1)."""
    return (*SUDO, "docker", "image", "inspect", "--format", "{{.Id}}", image)


def run(wanted: Container) -> tuple[str, ...]:
    """Make and start the container."""
    return (*SUDO, *wanted.run)


def start() -> tuple[str, ...]:
    """Start the container that is there."""
    return (*SUDO, "docker", "start", CONTAINER)


def stop() -> tuple[str, ...]:
    """End it, with grace."""
    return (*SUDO, "docker", "stop", "-t", str(STOP_GRACE_S), CONTAINER)


def remove() -> tuple[str, ...]:
    """Remove it, running or not."""
    return (*SUDO, "docker", "rm", "--force", CONTAINER)


def is_absent(ran: Ran) -> bool:
    """Whether docker says that there is no such thing."""
    return not ran.ok and bool(_NO_SUCH.search(ran.stderr))


def status_of(ran: Ran, at: datetime, wanted: Container | None, in_the_way: tuple[str, ...]) -> ContainerStatus:
    """The answer of `inspect` as a status. Raises RetryLater when it is no JSON of docker's."""
    if is_absent(ran):
        return ContainerStatus(name=CONTAINER, state=ContainerState.ABSENT, at=at, in_the_way=in_the_way)
    try:
        told = orjson.loads(ran.stdout)[0]
        return _status(told, at, wanted, in_the_way)
    except (orjson.JSONDecodeError, IndexError, KeyError, TypeError, AttributeError):
        raise RetryLater("Docker's answer could not be read.", next_step="Try again in a minute.") from None


def _status(told: Mapping[str, Any], at: datetime, wanted: Container | None, in_the_way: tuple[str, ...]) -> ContainerStatus:
    state, config = told["State"], told["Config"]
    labels = config.get("Labels") or {}
    arguments = without_secrets(engine_arguments([*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ())]))
    word = state_of(state.get("Status", ""))
    image = config.get("Image")
    ended = word in {ContainerState.EXITED, ContainerState.DEAD, ContainerState.RESTARTING}
    return ContainerStatus(
        name=CONTAINER,
        state=word,
        at=at,
        exit_code=state.get("ExitCode") if ended else None,
        out_of_memory=state.get("OOMKilled"),
        error=redact(str(state.get("Error") or "")).text[:500],
        since=moment(state.get("FinishedAt" if ended else "StartedAt")) or moment(told.get("Created")),
        restarts=told.get("RestartCount"),
        image=image,
        image_id=told.get("Image"),
        arguments=arguments,
        deployment=labels.get(LABELS[1]),
        ours=labels.get(LABELS[0]) == US,
        drift=drift_of(wanted, image, arguments, config.get("Env") or ()) if wanted is not None else (),
        in_the_way=in_the_way,
    )


def state_of(word: str) -> ContainerState:
    """Docker's word as ours; "removing" is DEAD to us."""
    if word == "removing":
        return ContainerState.DEAD
    try:
        return ContainerState(word)
    except ValueError:
        return ContainerState.UNKNOWN


def engine_arguments(command: Iterable[str]) -> tuple[str, ...]:
    """What the engine was given: what follows our script, or `vllm serve`, or `-m vllm...api_server`; else everything."""
    words = tuple(command)
    for at, word in enumerate(words):
        if word.endswith('exec vllm serve "$@"'):
            return words[at + 2 :]
        if word == "serve" and at and words[at - 1].rpartition("/")[2] == "vllm":
            return words[at + 1 :]
        if word.startswith("vllm.entrypoints.") and at and words[at - 1] == "-m":
            return words[at + 1 :]
    return words


def without_secrets(arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments with secrets hidden: who starts an engine by hand writes `--api-key KEY`, and we show arguments to people."""
    shown: list[str] = []
    for word in arguments:
        before = shown[-1] if shown else ""
        names_it = before.startswith("--") and "=" not in before and _SECRET_FLAG.search(before) is not None
        shown.append("[hidden]" if names_it and not word.startswith("--") else redact(word).text)
    return tuple(shown)


def moment(text: object) -> datetime | None:
    """Docker's time, UTC; None for its "never" (the year 1) and for what is no time."""
    match = _TIME.match(text) if isinstance(text, str) else None
    if match is None or _NEVER.match(match[0]):
        return None
    return datetime.fromisoformat(match[1] + (match[2] or "")[:7] + match[3].replace("Z", "+00:00")).astimezone(UTC)


def in_the_way(ran: Ran) -> tuple[str, ...]:
    """Names of running containers, not ours by name, that look like engines: they may hold the TPU."""
    found = []
    for line in ran.stdout.splitlines():
        try:
            told = orjson.loads(line)
            name, image = str(told["Names"]), str(told["Image"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue
        if name != CONTAINER and _ENGINES.search(f"{name} {image}"):
            found.append(name)
    return tuple(found)


def refused(doing: str, host: str, ran: Ran) -> PersonMovesNext:
    """Docker's no, in its own words without secrets."""
    said = (ran.stderr.strip() or ran.stdout.strip()).splitlines()
    words = redact(said[-1]).text[:300] if said else f"it ended with {ran.exit_code if ran.exit_code is not None else ran.signal}"
    return PersonMovesNext(f"{doing} on {host} failed: {words}", next_step="Look at `logs system` and `engine status`.")
