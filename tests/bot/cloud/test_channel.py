"""Plain text goes to this machine only, and nothing is opened by an import."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.auth import credentials

from bot.cloud.channel import is_loopback, open_channel
from bot.errors import PersonMovesNext

anonymous: Any = credentials.AnonymousCredentials
TLS_HANDSHAKE = 0x16
"""Content type of a TLS record that opens a connection (RFC 8446, 5.1)."""
HTTP2_PREFACE = b"PRI * HTTP/2.0"
"""How HTTP/2 in plain text begins (RFC 9113, 3.4)."""


class Listener:
    """Takes connections and keeps the first bytes of the first one."""

    def __init__(self) -> None:
        self.first: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.address = ""

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = await reader.read(64)
        if not self.first.done():
            self.first.set_result(data)
        writer.close()


@pytest.fixture
async def listener() -> AsyncIterator[Listener]:
    made = Listener()
    server = await asyncio.start_server(made.meet, "127.0.0.1", 0)
    made.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield made
    server.close()


async def first_bytes(listener: Listener, held: Any) -> bytes:
    """What a channel with these credentials says first."""
    channel = await open_channel(listener.address, held)
    channel.get_state(try_to_connect=True)
    async with asyncio.timeout(5):
        said = await listener.first
    await channel.close()
    return said


@pytest.mark.parametrize("address", ["127.0.0.1:8470", "127.8.8.8:1", "localhost:1", "[::1]:443", "127.0.0.1"])
def test_loopback_addresses_are_known(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address", ["tpu.googleapis.com:443", "10.0.0.1:80", "0.0.0.0:80", "localhost.evil.example:1", "127.0.0.1.nip.io:80", ""]
)
def test_everything_else_is_not_loopback(address: str) -> None:
    assert not is_loopback(address)


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "unix:///run/x", "dns:///tpu.googleapis.com"])
async def test_an_address_with_a_scheme_is_refused_with_the_right_form(address: str) -> None:
    with pytest.raises(PersonMovesNext) as caught:
        await open_channel(address, None)
    assert "host:port" in caught.value.telling.next_step


@pytest.mark.wire
async def test_credentials_travel_over_tls_only_even_on_this_machine(listener: Listener) -> None:
    assert (await first_bytes(listener, anonymous()))[0] == TLS_HANDSHAKE


@pytest.mark.wire
async def test_loopback_without_credentials_is_plain_text_and_passes_by_a_proxy(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert (await first_bytes(listener, None)).startswith(HTTP2_PREFACE)


def test_an_import_opens_no_channel_and_starts_no_thread() -> None:
    count = (
        "import threading, os; p = '/proc/self/task'; print(threading.active_count(), os.path.isdir(p) and len(os.listdir(p)))"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
        for code in (count, f"import bot.cloud.tpu, bot.cloud.connection; {count}")
    ]
    assert said[0] == said[1]
