"""How the server of a deployment is asked from here: by a tunnel where its address leads nowhere, with the key it was given."""

import ipaddress
from collections.abc import Callable
from time import monotonic
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.nouns import Deployment
from bot.ports import Secrets, Tunnels, Wishes
from bot.serving.specification import EngineSpecification

KEY_LIFE_S = 600.0
"""Our choice: a key that was changed is known everywhere after this long, and Secret Manager is asked seldom."""
SSH = "ssh"
"""The scheme of ssh://MACHINE:PORT, an engine that listens on its machine alone."""


class EngineWays:
    """Implements `bot.ports.Ways` for one workspace. Keys are kept in memory for a while and nowhere else."""

    def __init__(
        self, team_id: str, wishes: Wishes, tunnels: Tunnels, secrets: Secrets, *, time: Callable[[], float] = monotonic
    ) -> None:
        """Nothing is asked before the first call."""
        self._team_id = team_id
        self._wishes = wishes
        self._tunnels = tunnels
        self._secrets = secrets
        self._time = time
        self._keys: dict[str, tuple[float, SecretStr | None]] = {}

    async def way(self, deployment: Deployment) -> Deployment:
        """See `bot.ports.Ways.way`."""
        if not needs_tunnel(deployment):
            return deployment
        port = await self._tunnels.port(self._team_id, deployment.name)
        if port is None:
            raise PersonMovesNext(
                f"{deployment.name} can be reached through its machine only, and no tunnel leads there from here.",
                next_step="Have `gemma tunnel` run beside the other processes; it needs half a minute after a start.",
            )
        return deployment.model_copy(update={"base_url": f"http://127.0.0.1:{port}"})

    async def key(self, deployment: Deployment) -> SecretStr | None:
        """See `bot.ports.Ways.key`."""
        until, known = self._keys.get(deployment.name, (0.0, None))
        if self._time() < until:
            return known
        wish = await self._wishes.current(self._team_id, deployment.name)
        place = EngineSpecification.model_validate_json(wish.specification).api_key_secret if wish is not None else None
        key = None if place is None else await self._secrets.access(place.rpartition("/")[2])
        self._keys[deployment.name] = (self._time() + KEY_LIFE_S, key)
        return key


def needs_tunnel(deployment: Deployment) -> bool:
    """Whether the engine of this machine of ours can be asked through a tunnel only: it listens on its machine alone, or over
    plain http at an address. A host by name may be anything, so it is left to who configured it."""
    scheme, host, _ = _parts(deployment)
    if scheme == SSH:
        return True
    if scheme != "http" or deployment.machine is None or host is None:
        return False
    return _is_address(host) and not is_loopback(host)


def port_of(deployment: Deployment) -> int:
    """The port on its machine that a tunnel leads to."""
    return _parts(deployment)[2] or 8000


def _parts(deployment: Deployment) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(deployment.base_url or "")
        return parts.scheme, parts.hostname, parts.port
    except ValueError:
        parts = SplitResult("", "", "", "", "")
        return parts.scheme, None, None


def is_loopback(host: str) -> bool:
    """Whether this address can only be this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
