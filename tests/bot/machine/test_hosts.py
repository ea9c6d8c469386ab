"""How a deployment's machine is reached: one key pair that all workers share, host keys from Google, and a reason when not."""

from dataclasses import dataclass, field
from typing import Any

import asyncssh
import pytest
from pydantic import SecretStr

from bot.cloud.order_body import check_ssh_key
from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.machine.access import new_key_pair
from bot.machine.hosts import MachineHosts, secret_of
from bot.nouns import Deployment, Machine, MachineState
from bot.ports import Authorised, NoSuchSecretError
from tests.doubles.sights import PROD, machine

LEAVE = Authorised("ask-1")
HOST_KEY = new_key_pair("host").public.split()[1]


@dataclass
class Vault:
    """Secret Manager; `between` happens after the next look that found nothing, as when another worker was quicker."""

    kept: dict[str, list[SecretStr]] = field(default_factory=dict)
    between: list[Any] = field(default_factory=list)
    silent: bool = False

    async def store(self, leave: Authorised, name: str, value: SecretStr) -> str:
        assert leave == LEAVE
        self.kept.setdefault(name, []).append(value)
        return str(len(self.kept[name]))

    async def access(self, name: str, version: str = "latest") -> SecretStr:
        if self.silent and name in self.kept:
            raise PersonMovesNext("The bot lacks the permission.")
        if name not in self.kept:
            if self.between:
                self.between.pop()()
            raise NoSuchSecretError(f"There is no secret {name}.")
        return self.kept[name][-1 if version == "latest" else int(version) - 1]


@dataclass
class Nodes:
    """The part of the cloud's machines that is asked here."""

    found: Machine | None
    told: dict[str, str] = field(default_factory=lambda: {"hostkeys/ssh-ed25519": HOST_KEY})

    async def machine(self, zone: str, name: str) -> Machine | None:
        assert (zone, name) == ("us-east5-a", "prod-1")
        return self.found

    async def guest_attributes(self, zone: str, name: str, path: str = "") -> dict[str, str]:
        assert (zone, name, path) == ("us-east5-a", "prod-1", "hostkeys/")
        return self.told


def hosts(vault: Vault, found: Machine | None = None, **told: Any) -> MachineHosts:
    return MachineHosts(Nodes(found or machine(address="10.0.0.2", endpoint_port=8470), **told), vault)


def with_key() -> Vault:
    return Vault({secret_of("prod"): [new_key_pair("prod").private]})


async def test_a_pair_is_made_once_and_its_public_half_is_a_line_of_metadata() -> None:
    vault = Vault()
    line = await hosts(vault).public_key(LEAVE, "prod")
    assert check_ssh_key(line).startswith("gemma:ssh-ed25519 ")
    assert await hosts(vault).public_key(LEAVE, "prod") == line
    assert len(vault.kept["gemma-ssh-prod"]) == 1


async def test_each_deployment_has_its_own_pair() -> None:
    vault = Vault()
    assert await hosts(vault).public_key(LEAVE, "prod") != await hosts(vault).public_key(LEAVE, "bench")


async def test_two_workers_that_make_a_pair_at_once_end_with_the_same() -> None:
    vault, quicker = Vault(), new_key_pair("prod")
    vault.between.append(lambda: vault.kept.setdefault("gemma-ssh-prod", []).append(quicker.private))
    line = await hosts(vault).public_key(LEAVE, "prod")
    assert len(vault.kept["gemma-ssh-prod"]) == 2
    assert line.split()[1] == quicker.public.split()[1]
    assert (await hosts(vault).host(PROD)).private_key == quicker.private


async def test_a_key_that_google_does_not_show_yet_is_waited_for_and_found_by_the_repeat() -> None:
    vault = Vault(silent=True)
    with pytest.raises(RetryLater, match="cannot be read yet"):
        await hosts(vault).public_key(LEAVE, "prod")
    vault.silent = False
    await hosts(vault).public_key(LEAVE, "prod")
    assert len(vault.kept["gemma-ssh-prod"]) == 1


async def test_a_stored_key_that_is_none_is_our_fault_and_not_repeated() -> None:
    with pytest.raises(WeMoveNext) as told:
        await hosts(Vault({"gemma-ssh-prod": [SecretStr("planted-nonsense")]})).public_key(LEAVE, "prod")
    assert "planted" not in str(told.value)


async def test_a_host_is_where_google_says_with_the_keys_that_google_tells() -> None:
    vault = with_key()
    host = await hosts(vault).host(PROD)
    assert (host.name, host.address, host.port, host.user) == ("prod-1", "10.0.0.2", 22, "gemma")
    assert host.host_keys == (f"ssh-ed25519 {HOST_KEY}",)
    key = asyncssh.import_private_key(host.private_key.get_secret_value())
    assert (await hosts(vault).public_key(LEAVE, "prod")).split()[1] == key.export_public_key().decode().split()[1]
    assert "PRIVATE KEY" not in repr(host)


async def test_a_machine_that_boots_is_waited_for() -> None:
    for found, told in ((machine(state=MachineState.CREATING), {}), (machine(address="10.0.0.2"), {"told": {}})):
        with pytest.raises(RetryLater):
            await hosts(with_key(), found, **told).host(PROD)


@pytest.mark.parametrize("state", [MachineState.STOPPED, MachineState.ENDING, MachineState.LOST])
async def test_a_machine_that_does_not_run_is_told_with_what_to_look_at(state: MachineState) -> None:
    with pytest.raises(PersonMovesNext, match=f"prod-1 is {state}") as told:
        await hosts(with_key(), machine(state=state)).host(PROD)
    assert "machine prod-1" in told.value.telling.next_step


async def test_no_machine_a_gone_one_and_one_without_our_key_each_say_what_to_do() -> None:
    with pytest.raises(PersonMovesNext, match="on which machine") as unknown:
        await hosts(with_key()).host(Deployment(name="prod", base_url="http://127.0.0.1:8000"))
    with pytest.raises(PersonMovesNext, match="no machine prod-1 in us-east5-a any more") as gone:
        await MachineHosts(Nodes(None), with_key()).host(PROD)
    with pytest.raises(PersonMovesNext, match="no key for the machine of prod") as strange:
        await hosts(Vault()).host(PROD)
    assert all(one.value.telling.next_step for one in (unknown, gone, strange))
