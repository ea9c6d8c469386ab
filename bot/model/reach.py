"""Where a deployment's server is asked, and with which key: what both clients need before a call."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import SecretStr

from bot.model.address import ServerAddress, sendable_key, server_address
from bot.nouns import Deployment
from bot.ports import Ways


@dataclass(frozen=True)
class Reach:
    """`ways` knows the keys that engines of ours were given; `api_keys` are those that were configured, by deployment."""

    api_keys: Mapping[str, SecretStr]
    allow_plain_http: Collection[str]
    ways: Ways | None

    async def address(self, deployment: Deployment) -> ServerAddress:
        """Raises what `server_address` raises, and PersonMovesNext when a tunnel is needed and none is there."""
        reached = deployment if self.ways is None else await self.ways.way(deployment)
        return server_address(reached, self.allow_plain_http)

    async def key(self, deployment: Deployment, place: str, *, guarded: bool = True) -> str:
        """The key to send, "" for none. vLLM guards paths below /v1 alone: for others (`guarded` False) nothing is looked up."""
        given = await self.ways.key(deployment) if self.ways is not None and guarded else None
        return sendable_key(given or self.api_keys.get(deployment.name), place)
