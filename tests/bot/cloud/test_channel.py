"""Plain text goes to this machine only."""

from typing import Any

import pytest
from google.auth import credentials

from bot.cloud.channel import is_loopback, open_channel
from bot.errors import PersonMovesNext

anonymous: Any = credentials.AnonymousCredentials


@pytest.mark.parametrize("address", ["127.0.0.1:8470", "127.8.8.8:1", "localhost:1", "[::1]:443", "127.0.0.1"])
def test_loopback_addresses_are_known(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address", ["tpu.googleapis.com:443", "10.0.0.1:80", "0.0.0.0:80", "localhost.evil.example:1", "127.0.0.1.nip.io:80", ""]
)
def test_everything_else_is_not_loopback(address: str) -> None:
    assert not is_loopback(address)


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "unix:///tmp/x", "dns:///tpu.googleapis.com"])
async def test_an_address_with_a_scheme_is_refused_with_the_right_form(address: str) -> None:
    with pytest.raises(PersonMovesNext) as caught:
        await open_channel(address, None)
    assert "host:port" in caught.value.telling.next_step


async def test_another_machine_gets_tls_and_never_plain_text(unused_tcp_port: int) -> None:
    channel = await open_channel(f"tpu.example:{unused_tcp_port}", anonymous())
    assert channel is not None
    await channel.close()
