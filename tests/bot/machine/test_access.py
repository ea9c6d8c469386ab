"""Keys and addresses: what Google tells of a machine becomes how it is reached, or a reason why not yet."""

import asyncssh
import pytest
from pydantic import SecretStr

from bot.cloud.order_body import check_metadata, check_ssh_key
from bot.errors import RetryLater, WeMoveNext
from bot.machine.access import host_keys, host_of, new_key_pair, private_key_of, ssh_port, trusted_keys
from bot.nouns import Machine, MachineState, Zone

PUBLIC = new_key_pair("host").public.split()
ATTRIBUTES = {"hostkeys/ssh-ed25519": PUBLIC[1], "hostname": "t1v-n-1-w-0"}


def node(address="10.0.0.2"):
    return Machine(
        backend="tpu_api",
        name="prod-1",
        zone=Zone(name="us-east5-a"),
        state=MachineState.READY,
        accelerator="v6e-4",
        address=address,
        endpoint_port=8470,
    )


def test_a_new_pair_is_ed25519_and_its_line_is_taken_as_metadata():
    pair = new_key_pair("prod")
    assert pair.public.startswith("ssh-ed25519 ")
    assert check_ssh_key(pair.metadata_line()) == pair.metadata_line()
    assert check_metadata({"ssh-keys": pair.metadata_line()})
    assert asyncssh.import_private_key(pair.private.get_secret_value()).get_algorithm() == "ssh-ed25519"


def test_a_private_key_could_never_get_into_metadata():
    with pytest.raises(WeMoveNext):
        check_metadata({"ssh-keys": new_key_pair("prod").private.get_secret_value()})


def test_two_pairs_differ():
    assert new_key_pair("a").public.split()[1] != new_key_pair("a").public.split()[1]


@pytest.mark.parametrize(("told", "port"), [(None, 22), (0, 22), (8470, 22), (2222, 2222)])
def test_the_port_is_ssh_s_unless_the_endpoint_names_another_than_the_tpus(told, port):
    assert ssh_port(told) == port


def test_a_machine_is_reached_by_what_google_tells():
    host = host_of(node(), ATTRIBUTES, SecretStr("x"))
    assert (host.name, host.address, host.port, host.host_keys) == ("prod-1", "10.0.0.2", 22, (" ".join(PUBLIC[:2]),))
    assert trusted_keys(host)[0].get_algorithm() == "ssh-ed25519"


@pytest.mark.parametrize(
    ("machine", "attributes"), [(node(address=None), ATTRIBUTES), (node(), {}), (node(), {"hostkeys/ssh-ed25519": "nonsense"})]
)
def test_a_machine_that_still_boots_is_waited_for(machine, attributes):
    with pytest.raises(RetryLater) as told:
        host_of(machine, attributes, SecretStr("x"))
    assert told.value.arrived is False


@pytest.mark.parametrize(
    "value",
    ["", "AAAA", PUBLIC[1] + "\nssh-rsa AAAA", "é", "AAAAC3NzaC1lZDI1NTE5AAAAIA==", " "],
    ids=["empty", "short", "two lines", "not ascii", "cut off", "blank"],
)
def test_values_that_are_no_keys_are_left_out(value):
    assert host_keys({"hostkeys/ssh-ed25519": value}) == ()


def test_an_encrypted_or_broken_private_key_is_our_fault_and_stays_unseen():
    for text in ("planted", "-----BEGIN OPENSSH PRIVATE KEY-----\nplanted\n-----END OPENSSH PRIVATE KEY-----\n"):
        with pytest.raises(WeMoveNext) as told:
            private_key_of(host_of(node(), ATTRIBUTES, SecretStr(text)))
        assert "planted" not in str(told.value)
