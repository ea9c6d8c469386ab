"""How an engine is asked from here: directly, through a tunnel, or not yet; and with the key that it was given."""

from dataclasses import dataclass, field

import pytest
from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.machine.ways import KEY_LIFE_S, EngineWays, needs_tunnel, port_of
from bot.nouns import Deployment
from bot.ports import Authorised, NoSuchSecretError
from tests.doubles.engines import SPECIFICATION, Rig, wanted, wish
from tests.doubles.ports import NOW, HeldClock

KEY = "planted-key-of-prod"


@dataclass
class Held:
    """Tunnels by deployment."""

    ports: dict[str, int] = field(default_factory=dict)

    async def port(self, team_id: str, deployment: str) -> int | None:
        assert team_id == "T1"
        return self.ports.get(deployment)

    async def hold(self, team_id: str, deployment: str, port: int) -> None:
        raise AssertionError((team_id, deployment, port))

    async def drop(self, team_id: str, deployment: str) -> None:
        raise AssertionError((team_id, deployment))


@dataclass
class Vault:
    """One secret; `asked` counts."""

    asked: int = 0
    there: bool = True

    async def store(self, leave: Authorised, name: str, value: SecretStr) -> str:
        raise AssertionError((leave, name, value))

    async def access(self, name: str, version: str = "latest") -> SecretStr:
        assert (name, version) == ("key", "latest")
        self.asked += 1
        if not self.there:
            raise NoSuchSecretError("There is no such secret.")
        return SecretStr(KEY)


@dataclass
class Bench:
    rig: Rig = field(default_factory=lambda: Rig(HeldClock()))
    tunnels: Held = field(default_factory=Held)
    vault: Vault = field(default_factory=Vault)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.ways = EngineWays("T1", self.rig, self.tunnels, self.vault, time=lambda: self.seconds)


def at(base_url: str | None, machine: str | None = "prod-1") -> Deployment:
    return Deployment(name="prod", base_url=base_url, machine=machine, zone="us-east5-a")


@pytest.mark.parametrize(
    ("base_url", "machine", "needs"),
    [
        ("ssh://prod-1:8000", "prod-1", True),
        ("http://10.0.0.2:8000", "prod-1", True),
        ("http://203.0.113.4:8000", "prod-1", True),
        ("http://10.0.0.2:8000", None, False),
        ("http://127.0.0.1:8000", "prod-1", False),
        ("http://[::1]:8000", "prod-1", False),
        ("http://localhost:8000", "prod-1", False),
        ("http://gemma.internal:8000", "prod-1", False),
        ("https://10.0.0.2", "prod-1", False),
        ("http://[broken", "prod-1", False),
        (None, "prod-1", False),
    ],
)
def test_a_tunnel_is_needed_where_the_address_leads_nowhere_safely(
    base_url: str | None, machine: str | None, needs: bool
) -> None:
    assert needs_tunnel(at(base_url, machine)) is needs


def test_the_port_is_that_of_the_address_else_vllms() -> None:
    assert (port_of(at("ssh://prod-1:9000")), port_of(at("ssh://prod-1"))) == (9000, 8000)


async def test_what_can_be_asked_directly_is() -> None:
    deployment = at("https://gemma.example.com")
    assert await Bench().ways.way(deployment) == deployment


async def test_a_tunnel_takes_the_place_of_the_address_and_without_one_it_is_said_what_to_start() -> None:
    made = Bench()
    with pytest.raises(PersonMovesNext, match="no tunnel leads there") as told:
        await made.ways.way(at("ssh://prod-1:8000"))
    assert "gemma tunnel" in told.value.telling.next_step
    made.tunnels.ports["prod"] = 41_234
    assert (await made.ways.way(at("ssh://prod-1:8000"))).base_url == "http://127.0.0.1:41234"


async def test_the_key_is_the_one_that_the_specification_names_and_is_asked_for_seldom() -> None:
    made = Bench()
    made.rig.wished = [wish(SPECIFICATION, NOW)]
    for _ in range(3):
        key = await made.ways.key(at("ssh://prod-1:8000"))
    assert key is not None
    assert (key.get_secret_value(), made.vault.asked) == (KEY, 1)
    made.seconds += KEY_LIFE_S
    await made.ways.key(at("ssh://prod-1:8000"))
    assert made.vault.asked == 2
    assert KEY not in repr(made.ways.__dict__)


async def test_an_engine_that_we_did_not_start_or_that_has_no_key_gets_none() -> None:
    made = Bench()
    assert await made.ways.key(at("https://gemma.example.com")) is None
    made = Bench()
    made.rig.wished = [wish(wanted(exposure="loopback", api_key_secret=None), NOW)]
    assert await made.ways.key(at("ssh://prod-1:8000")) is None
    assert made.vault.asked == 0


async def test_a_key_that_is_not_there_is_told_and_not_remembered() -> None:
    made = Bench()
    made.rig.wished = [wish(SPECIFICATION, NOW)]
    made.vault.there = False
    with pytest.raises(NoSuchSecretError):
        await made.ways.key(at("ssh://prod-1:8000"))
    made.vault.there = True
    assert await made.ways.key(at("ssh://prod-1:8000")) is not None
