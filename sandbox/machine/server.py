"""The machine itself: SSH on a loopback port, keys from the node's metadata, and vLLM behind a port that only it can see."""

import asyncio
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

import asyncssh

from sandbox.clock import Clock
from sandbox.machine.boot import PHASE, Boot
from sandbox.machine.commands import Commands
from sandbox.machine.container import option_of
from sandbox.machine.docker import Answer, FakeDocker
from sandbox.machine.faults import Faults
from sandbox.machine.words import NotQuoted, split
from sandbox.vllm import VllmStandIn

KEPT_COMMANDS = 5_000


class _Door(asyncssh.SSHServer):
    """Lets in whom the metadata names."""

    def __init__(self, machine: "MachineStandIn") -> None:
        self._machine = machine

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._machine.connections.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        self._machine.connections.discard(self._connection)

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return self._machine.lets_in(username, key)

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> Any:
        port = self._machine.port_behind(dest_host, dest_port)
        if port is None:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, "Connection refused")
        return self._connection.forward_connection("127.0.0.1", port)


class MachineStandIn:
    """One machine. `ssh_keys` gives the node's metadata of that name at the moment; `api_key` is what its vLLM then asks for.

    `attributes` are its guest attributes; `commands` what arrived, as the one string that SSH carries, `done` what acted, and
    `number` how many there were; `hooks` are told of each, before and after it acted.
    """

    def __init__(
        self,
        clock: Clock,
        ssh_keys: Callable[[], str],
        *,
        name: str = "prod-1",
        piece: str = "v6e-4",
        pace: float = 1.0,
        pull_s: float = 90.0,
        api_key: str | None = None,
    ) -> None:
        """Nothing listens before `start`."""
        self._clock = clock
        self._ssh_keys = ssh_keys
        self._api_key = api_key
        self._host_key = asyncssh.generate_private_key("ssh-ed25519")
        self._server: asyncssh.SSHAcceptor | None = None
        self._serving: asyncio.Task[None] | None = None
        self._socket: socket.socket | None = None
        self.docker = FakeDocker(clock, name, piece, pace=pace, pull_s=pull_s)
        self.docker.changed.append(self._follow)
        self.system = Commands(clock, self.docker)
        self.faults = Faults()
        self.hooks: list[Callable[[str, str], Awaitable[None]]] = []
        self.connections: set[asyncssh.SSHServerConnection] = set()
        self.commands: deque[str] = deque(maxlen=KEPT_COMMANDS)
        self.done: deque[str] = deque(maxlen=KEPT_COMMANDS)
        self.refused: list[str] = []
        self.attributes = self._told_keys()
        self.vllm: VllmStandIn | None = None
        self._given: VllmStandIn | None = None
        self.port = 0
        self.number = 0

    def reserve(self) -> int:
        """Take the port without listening yet, and return it."""
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", self.port))
        self.port = int(self._socket.getsockname()[1])
        return self.port

    async def start(self) -> int:
        """Listen on 127.0.0.1; the port, which stays the same when it listens anew."""
        if self._socket is None:
            self.reserve()
        taken, self._socket = self._socket, None
        self._server = await asyncssh.create_server(
            lambda: _Door(self),
            sock=taken,
            server_host_keys=[self._host_key],
            process_factory=self._process,
            encoding=None,
            allow_pty=False,
            agent_forwarding=False,
        )
        return self.port

    async def boot(self, script: str) -> None:
        """Run the start-up script, as the guest agent does at each boot; its phases become guest attributes."""

        def publish(value: str) -> None:
            self.attributes[PHASE] = value

        await Boot(self._clock, self.docker, self.system, publish).run(script)

    def take(self, engine: VllmStandIn) -> None:
        """Have the container run this server, which others made and may reach otherwise too: it goes down and up with it."""
        self.vllm = self._given = engine

    async def stop(self) -> None:
        """Close everything, its vLLM too."""
        self.system.units.end()
        await self._close_door()
        if self._serving is not None:
            self._serving.cancel()
            with suppress(asyncio.CancelledError):
                await self._serving
        await self._stop_vllm()

    async def change_host_key(self) -> None:
        """Another machine answers at this address; the guest attributes still tell of the first."""
        self._host_key = asyncssh.generate_private_key("ssh-ed25519")
        await self._close_door()
        await self.start()

    async def reboot(self) -> None:
        """Containers end, what lay in memory is gone, connections are cut."""
        now = self._clock.now()
        for container in self.docker.containers.values():
            if container.now(now).status == "running":
                container.stopped = now
        self.docker.mounts = {"/dev/shm"}
        self.system.units.end()
        self._follow()
        self.cut()

    def cut(self) -> None:
        """Cut all connections."""
        for connection in list(self.connections):
            connection.abort()

    def lets_in(self, user: str, key: asyncssh.SSHKey) -> bool:
        """Whether the metadata has this key for this user; lines are `user:type key comment`."""
        if self.faults.refuses_login():
            return False
        lines = [line.partition(":") for line in self._ssh_keys().splitlines()]
        mine = [asyncssh.import_public_key(text) for name, _, text in lines if name == user]
        return any(one.public_data == key.public_data for one in mine)

    def port_behind(self, host: str, port: int) -> int | None:
        """Where what listens on this port of the machine really listens; None when nothing does."""
        if host not in {"127.0.0.1", "localhost", "::1"} or self.vllm is None or port != self._engine_port():
            return None
        return int(self.vllm.url.rpartition(":")[2])

    def _told_keys(self) -> dict[str, str]:
        kind, text = self._host_key.export_public_key().decode().split()[:2]
        return {f"hostkeys/{kind}": text}

    async def _close_door(self) -> None:
        self.cut()
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _process(self, process: "asyncssh.SSHServerProcess[bytes]") -> None:
        """One command from its string to its end."""
        self.number += 1
        number = self.number
        command = process.command or ""
        self.commands.append(command)
        if number == self.faults.drop_before:
            self.cut()
            return
        for hook in self.hooks:
            await hook("before", command)
        await self._clock.sleep(self.faults.slow_s)
        if self.faults.hang:
            await asyncio.Event().wait()

        async def script() -> str:
            return (await process.stdin.read()).decode("utf-8", "replace")

        async def say(text: str) -> None:
            process.stdout.write(text.encode())
            await process.stdout.drain()

        answer = await self._answer(command, script, say)
        self.done.append(command)
        for hook in self.hooks:
            await hook("after", command)
        if number == self.faults.drop_after:
            self.cut()
            return
        process.stdout.write(answer.out.encode())
        process.stderr.write(answer.err.encode())
        process.exit(answer.code)

    async def _answer(self, command: str, script: Callable[[], Awaitable[str]], say: Callable[[str], Awaitable[None]]) -> Answer:
        """What a shell would make of it; anything that is not quoted is written down and refused."""
        try:
            words = split(command)
        except NotQuoted as error:
            self.refused.append(command)
            return Answer(2, err=f"bash: -c: line 1: syntax error near unexpected token `{error}'\n")
        return await self.system.run(words, script, say)

    def _engine_port(self) -> int:
        container = next(iter(self.docker.containers.values()), None)
        return int(option_of(container.command, "--port", "8000")) if container else 8000

    def _follow(self) -> None:
        """Containers changed: what serves now is looked at anew."""
        if self._serving is not None:
            self._serving.cancel()
        self._serving = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        """Have vLLM answer from when the engine is ready until it ends."""
        now = self._clock.now()
        container = next((one for one in self.docker.containers.values() if one.now(now).status == "running"), None)
        ready_at = container.ready_at() if container else None
        if self._given is not None:
            await self._switch(self._given, ready_at)
            return
        await self._stop_vllm()
        if container is None or ready_at is None:
            return
        await self._clock.sleep((ready_at - now).total_seconds())
        arguments = container.command
        window = int(option_of(arguments, "--max-model-len", "65536"))
        model = next((word for word in arguments if "/gemma" in word.lower()), "google/gemma-4-31B-it")
        vllm = VllmStandIn(self._clock, model=model, window=window, api_key=self._api_key)
        try:
            await vllm.start()
        except asyncio.CancelledError:
            await vllm.stop()
            raise
        self.vllm = vllm

    async def _switch(self, given: VllmStandIn, ready_at: datetime | None) -> None:
        """The server that was given: down from now on, up again when a container is ready; untouched when one is."""
        now = self._clock.now()
        if ready_at is not None and ready_at <= now:
            return
        self.vllm = None
        await given.scenario("down")
        if ready_at is not None:
            await self._clock.sleep((ready_at - now).total_seconds())
            await given.scenario("restarted")
            self.vllm = given

    async def _stop_vllm(self) -> None:
        vllm, self.vllm = self.vllm, None
        if vllm is not None:
            await vllm.stop()
