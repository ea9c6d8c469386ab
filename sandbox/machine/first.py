"""What stands on prod-1 when the sandbox begins: our key, an engine that has served for hours, and what it was wanted to be."""

from datetime import datetime, timedelta

from redis.asyncio import Redis

from bot.machine.access import new_key_pair
from bot.machine.hosts import secret_of
from bot.nouns import EngineStart, Wish
from bot.serving.container import run_argv
from bot.serving.specification import EngineExposure, EngineSpecification
from bot.store.wishes import WishStore
from sandbox.google.project import Project
from sandbox.google.secret_store import SecretStore
from sandbox.machine.server import MachineStandIn
from sandbox.vllm import VllmStandIn

UP_FOR = timedelta(hours=3)
WORK = "ask-first"
SPECIFICATION = EngineSpecification(
    deployment="prod",
    model="31B",
    image="vllm/vllm-tpu:v0.32.0",
    piece="v6e-4",
    context=65_536,
    exposure=EngineExposure.LOOPBACK,
    hf_token_secret="projects/sandbox-project/secrets/gemma-hf-token",
)
STARTS_MIN = (9, 11, 14)
"""How long the last starts took, the newest first."""


def let_in(project: Project, secrets: SecretStore) -> None:
    """The bot made a key pair for prod: its private half lies in Secret Manager, its public one in the machine's metadata."""
    pair = new_key_pair("prod")
    secrets.create(project.name, secret_of("prod"), {"replication": {"automatic": {}}, "labels": {"managed-by": "gemma-chatops"}})
    secrets.add(project.name, secret_of("prod"), pair.private.get_secret_value().encode())
    record = next(one for one in project.nodes.records.values() if one.message.name.endswith("/prod-1"))
    record.message.metadata["ssh-keys"] = pair.metadata_line()


def bring_up(machine: MachineStandIn, engine: VllmStandIn, now: datetime) -> None:
    """The container has run for hours; `engine` is the server in it."""
    machine.take(engine)
    container = machine.docker.bring_up(run_argv(SPECIFICATION))
    container.created = container.started = now - UP_FOR


async def wish(redis: Redis, team_id: str, now: datetime) -> None:
    """What it was wanted to be, and how long starts took here."""
    store = WishStore(redis)
    made = Wish(
        deployment="prod",
        specification=SPECIFICATION.model_dump_json(),
        fingerprint=SPECIFICATION.fingerprint,
        at=now - UP_FOR,
        by="U0ANNA",
        work=WORK,
        why="deploy prod",
    )
    await store.put(team_id, made)
    for number, minutes in reversed([*enumerate(STARTS_MIN)]):
        at = now - UP_FOR - number * timedelta(days=1)
        await store.note_start(
            team_id, "prod", EngineStart(at=at, seconds=minutes * 60, work=f"{WORK}-{number}", fingerprint=made.fingerprint)
        )
