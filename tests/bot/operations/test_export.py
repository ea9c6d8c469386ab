"""`export vm` and `export gke`: the same specification as a file; what is guessed is said, what is unknown is asked for."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import yaml

from bot.errors import NotConnectedError, RetryLater, UsageError
from bot.nouns import Deployment, Fleet, Machine, MachineState, ProvisioningModel, ServedModel, Wish, Zone
from bot.operations import OPERATIONS
from bot.operations.execute import Outcome, execute
from bot.ports import Engines, Services
from bot.serving.specification import EngineSpecification
from bot.view import plain
from tests.bot.serving.wanted_engine import shellcheck
from tests.doubles.ports import NOW, TEAM, House

PROD = Deployment(name="prod", base_url="http://127.0.0.1:8000", accelerator="v6e-4", zone="us-east5-a", machine="prod-1")
WANTED = EngineSpecification(
    deployment="prod",
    model="31B",
    image="vllm/vllm-tpu:v0.26.0",
    piece="v6e-4",
    context=65_536,
    hf_token_secret="projects/my-project/secrets/gemma-hf-token",
    api_key_secret="projects/my-project/secrets/gemma-api-key-prod",
    flags=("--seed", "7"),
)


@dataclass
class Wished:
    """Implements `current` of `bot.ports.Wishes`."""

    wish: Wish | Exception | None = None

    async def current(self, team_id: str, deployment: str) -> Wish | None:
        assert (team_id, deployment) == (TEAM, "prod")
        if isinstance(self.wish, Exception):
            raise self.wish
        return self.wish


@dataclass
class World:
    """One deployment with a project, and what is wanted of it."""

    house: House = field(default_factory=House)
    wishes: Wished = field(default_factory=Wished)
    project: str | None = "my-project"

    def __post_init__(self) -> None:
        self.house.names.known = [PROD]

    @property
    def services(self) -> Services:
        nothing: Any = None
        wishes: Any = self.wishes
        return replace(self.house.services, project=self.project, engines=Engines(wishes, nothing, nothing, nothing))

    def wants(self, specification: EngineSpecification = WANTED) -> None:
        said = specification.model_dump_json()
        self.wishes.wish = Wish(
            deployment="prod", specification=said, fingerprint=specification.fingerprint, at=NOW, by="U1ANNA", work="deploy-1"
        )

    def serves(self, version: str | None = "0.26.0") -> None:
        self.house.engine.served = (ServedModel(id="google/gemma-4-31B-it", context=65_536),)
        self.house.engine.said_version = version

    def stands(self, provisioning: ProvisioningModel | None = ProvisioningModel.SPOT) -> None:
        machine = Machine(
            backend="tpu_api",
            name="prod-1",
            zone=Zone(name="us-east5-a"),
            state=MachineState.READY,
            accelerator="v6e-4",
            provisioning=provisioning,
        )
        self.house.cloud.answer = Fleet(at=NOW, machines=(machine,), requests=(), zones_asked=1)

    async def say(self, words: str) -> Outcome:
        return await execute(OPERATIONS, self.services, self.house.request(words))


@pytest.fixture
def world() -> World:
    return World()


def told(outcome: Outcome) -> str:
    return "\n".join(map(plain, (outcome.view.verdict, *outcome.view.lines)))


def content(outcome: Outcome) -> str:
    assert outcome.view.attachment is not None
    return outcome.view.attachment.content


async def test_what_is_wanted_is_what_is_written_down(world: World) -> None:
    world.wants()
    outcome = await world.say("export vm prod")
    assert "prod as a gcloud command · v6e-4 flex-start in us-east5-a" in told(outcome)
    assert "As it is wanted since 2026-11-30 03:00 UTC." in told(outcome)
    assert WANTED.fingerprint in content(outcome)
    assert "--seed=7" in content(outcome)
    assert "gemma-hf-token and gemma-api-key-prod" in told(outcome)
    done = shellcheck(content(outcome))
    assert done.returncode == 0, done.stdout


async def test_what_was_not_deployed_with_me_is_put_together_and_the_guesses_are_named(world: World) -> None:
    world.serves()
    world.stands()
    outcome = await world.say("export vm")
    said = told(outcome)
    assert "Nobody deployed it with me" in said
    assert "image vllm/vllm-tpu:v0.26.0, from the version that its server tells" in said
    assert "v6e-4 spot in us-east5-a" in said
    assert "It never ends by itself" in said
    assert "prod-1 stands now, so Google refuses this name" in said
    assert "--provisioning-model=spot" in content(outcome)
    assert "--max-model-len 65536" in content(outcome)


@pytest.mark.parametrize("version", [None, "0.32.1.dev50+g1a2b3c", "v0.26.0", "0.26"])
async def test_what_is_not_known_is_named_and_nothing_is_written_down(world: World, version: str | None) -> None:
    world.serves(version)
    with pytest.raises(UsageError, match="I do not know image of prod") as asked:
        await world.say("export vm prod")
    assert asked.value.usage == "/gemma export vm prod image=vllm/vllm-tpu:v0.26.0"


async def test_a_silent_server_leaves_more_to_say(world: World) -> None:
    with pytest.raises(UsageError, match="model, image and context"):
        await world.say("export gke prod")
    outcome = await world.say("export vm prod 31B 32K image=vllm/vllm-tpu:v0.26.0 flex for 4h")
    assert "--max-run-duration=14400s" in content(outcome)
    assert "until it ends by itself after 4 h" in told(outcome)


async def test_values_stand_in_the_place_of_what_is_wanted(world: World) -> None:
    world.wants()
    outcome = await world.say("export vm prod v6e-8 16K fp8 on-demand zone=us-east5-b machine=prod-9")
    for part in (
        "--accelerator-type=v6e-8",
        "--max-model-len 16384",
        "--kv-cache-dtype fp8",
        "--zone=us-east5-b",
        "prod-9-request",
    ):
        assert part in content(outcome)
    assert "--seed=7" in content(outcome)
    assert outcome.view.attachment is not None
    assert outcome.view.attachment.name == "prod-9-create.sh"


async def test_a_wish_that_cannot_be_read_is_no_wish(world: World) -> None:
    world.wishes.wish = RetryLater("Redis does not answer.")
    world.serves()
    assert "Nobody deployed it with me" in told(await world.say("export vm prod"))


@pytest.mark.parametrize("words", ["export vm prod", "export gke prod"])
async def test_no_secret_is_in_it(world: World, words: str) -> None:
    world.wants()
    said = content(await world.say(words))
    assert "Bearer %s" in said or words == "export gke prod"
    assert "hf_" not in said
    assert "It holds no secret" in told(await world.say(words))


@pytest.mark.parametrize("words", ["export vm prod", "export gke prod"])
async def test_without_a_project_it_says_what_to_set(world: World, words: str) -> None:
    world.project = None
    with pytest.raises(NotConnectedError, match="GOOGLE_CLOUD_PROJECT"):
        await world.say(words)


@pytest.mark.parametrize(
    "image", ["vllm/vllm-tpu", "vllm/vllm-tpu:latest", "a;touch", "$(id)", "hf" + "_abcdefghijklmnopqrstuvwxyz", "x" * 400]
)
async def test_an_image_that_is_none_is_refused_and_a_secret_not_repeated(world: World, image: str) -> None:
    world.wants()
    with pytest.raises(UsageError) as refused:
        await world.say(f"export vm prod image='{image}'")
    assert "hf_abc" not in f"{refused.value} {refused.value.telling}"


async def test_a_slice_of_several_machines_is_refused(world: World) -> None:
    world.wants()
    with pytest.raises(UsageError, match="one container serves one machine"):
        await world.say("export gke prod v6e-16")


async def test_manifests_say_that_nobody_tried_them(world: World) -> None:
    world.wants()
    outcome = await world.say("export gke prod spot")
    assert "Not tried" in told(outcome)
    documents = list(yaml.safe_load_all(content(outcome)))
    assert [one["kind"] for one in documents] == [
        "ServiceAccount",
        "SecretProviderClass",
        "Deployment",
        "Service",
        "NetworkPolicy",
    ]
    head = content(outcome).partition("apiVersion")[0]
    assert "--spot" in head
    assert "Nobody has applied this" in head
    assert all(line.startswith("#") for line in head.splitlines())


async def test_an_engine_on_loopback_is_given_a_network_and_a_key_in_a_cluster(world: World) -> None:
    world.wants(EngineSpecification.model_validate({**WANTED.model_dump(), "exposure": "loopback", "api_key_secret": None}))
    outcome = await world.say("export gke prod")
    assert "it listens to the cluster's network, with a key" in told(outcome)
    assert "gemma-api-key-prod/versions/latest" in content(outcome)
    assert "api-key" not in content(await world.say("export vm prod"))
