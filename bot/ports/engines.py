"""The engines of deployments: what each is wanted to be, and how the machine below it is reached."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from pydantic import SecretStr

from bot.nouns import Deployment, EngineStart, Wish
from bot.ports.authority import Authorised
from bot.ports.machine import EngineControl, Host, Shell


class Wishes(Protocol):
    """What engines are wanted to be, the newest first. At least 20 of each deployment are kept."""

    async def current(self, team_id: str, deployment: str) -> Wish | None:
        """What is wanted now; None when this deployment was never made by us."""

    async def past(self, team_id: str, deployment: str) -> tuple[Wish, ...]:
        """All that are kept, the current one first."""

    async def put(self, team_id: str, wish: Wish) -> None:
        """Make this the current one. Repeated for the same work and fingerprint, it changes nothing."""

    async def note_start(self, team_id: str, deployment: str, start: EngineStart) -> None:
        """Remember how long a start took that came to an answer. Repeated for the same work and fingerprint, nothing changes."""

    async def starts(self, team_id: str, deployment: str) -> tuple[EngineStart, ...]:
        """The starts that are remembered, the newest first."""


class Hosts(Protocol):
    """How the machines of deployments are reached. One key pair for each deployment; its private half is kept in Secret Manager
    and nowhere else.
    """

    async def public_key(self, leave: Authorised, deployment: str) -> str:
        """The line of metadata `ssh-keys` that lets us in ("gemma:ssh-ed25519 AAAA... comment"); the pair is made once."""

    async def host(self, deployment: Deployment) -> Host:
        """How its machine is reached now.

        Raises RetryLater while it boots (no address, host keys not told yet), PersonMovesNext when no machine is known, it is
        gone, or we have no key for it; each says what to do.
        """


class Tunnels(Protocol):
    """Local ports that lead to engines through SSH, held by `gemma tunnel`. Each is of use on its own machine alone."""

    async def port(self, team_id: str, deployment: str) -> int | None:
        """The port on 127.0.0.1 that leads to this deployment's engine from here; None while no tunnel does."""

    async def hold(self, team_id: str, deployment: str, port: int) -> None:
        """Say that this port leads there, for 20 s: whoever holds the tunnel says it again and again."""

    async def drop(self, team_id: str, deployment: str) -> None:
        """The tunnel is gone."""


class Ways(Protocol):
    """How the server of a deployment is asked from here."""

    async def way(self, deployment: Deployment) -> Deployment:
        """The same deployment with the address to ask now: that of its tunnel where it needs one.

        Raises PersonMovesNext when it needs one and none is there.
        """

    async def key(self, deployment: Deployment) -> SecretStr | None:
        """The key that its engine was given, from Secret Manager; None when it was given none by us."""


START_DEADLINE = timedelta(minutes=60)
"""Our choice: cold starts of 26B and 31B took about 30 minutes (tpu-inference PR#3408), pulling the image up to 30 more."""


@dataclass(frozen=True)
class Engines:
    """All of it together. `shell` is what `control` runs its commands through; the tunnel uses it too.

    `start_deadline` is how long a start may take before it counts as failed.
    """

    wishes: Wishes
    hosts: Hosts
    control: EngineControl
    shell: Shell
    start_deadline: timedelta = START_DEADLINE
