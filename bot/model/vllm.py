"""vLLM over HTTP: health, models, version, metrics and answers."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Final

from pydantic import SecretStr

from bot.model.address import ServerAddress
from bot.model.answers import listed_models, said_version
from bot.model.completion import Json, completion, ends, event, expect_understood
from bot.model.exposition import UnreadableExposition, read_exposition
from bot.model.reach import Reach
from bot.model.wire import Reply, TimeOuts, Wire, not_vllm, unreadable
from bot.nouns import Deployment, EngineSample, ServedModel
from bot.ports import Clock, Ways

__all__ = ["TimeOuts", "VllmEngine"]

CHAT: Final = "/v1/chat/completions"


class VllmEngine:
    """Implements `bot.ports.Engine`. One instance serves all deployments of one event loop; close it with `aclose`.

    `api_keys` maps a deployment's name to its key, which goes to that deployment's server and nowhere else.
    `allow_plain_http` names hosts that may be asked over plain http besides this machine (a private network); `ways` knows
    tunnels and the keys that engines of ours were given.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        time_outs: TimeOuts | None = None,
        api_keys: Mapping[str, SecretStr] = MappingProxyType({}),
        allow_plain_http: Collection[str] = (),
        wire: Wire | None = None,
        ways: Ways | None = None,
    ) -> None:
        """Keep what was passed; nothing is opened before the first call."""
        self._clock = clock
        self._reach = Reach(api_keys, frozenset(allow_plain_http), ways)
        self._wire = wire or Wire(time_outs or TimeOuts())

    async def __aenter__(self) -> "VllmEngine":
        """Itself; leaving closes its connections."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    async def healthy(self, deployment: Deployment) -> bool:
        """Whether /health answers 200. False when it answers anything else; RetryLater when it does not answer."""
        return (await self._ask(deployment, "/health")).status == 200

    async def sample(self, deployment: Deployment) -> EngineSample:
        """One scrape of /metrics, stamped when the answer was there.

        RetryLater when it does not answer in time or answers half, PersonMovesNext when it is no vLLM or wants another key.
        """
        reply = (await self._ask(deployment, "/metrics")).expect_ok()
        at = self._clock.now()
        try:
            return await asyncio.to_thread(read_exposition, reply.text(), at)
        except UnreadableExposition as error:
            raise (not_vllm(reply.place) if error.foreign else unreadable(reply.place, "metrics")) from error

    async def exposition(self, deployment: Deployment) -> str:
        """The text of /metrics as it is. Errors as for `sample`."""
        return (await self._ask(deployment, "/metrics")).expect_ok().text()

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        """What /v1/models lists, in its order. Errors as for `sample`."""
        reply = (await self._ask(deployment, "/v1/models")).expect_ok()
        models = listed_models(reply.body)
        if models is None:
            raise not_vllm(reply.place)
        return models

    async def version(self, deployment: Deployment) -> str | None:
        """What /version says, such as 0.32.0; None when the server has no such path or says nothing that can be read."""
        reply = await self._ask(deployment, "/version")
        return None if reply.status == 404 else said_version(reply.expect_ok().body)

    async def chat(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> Json:
        """One whole answer of /v1/chat/completions within `deadline_s` seconds.

        PersonMovesNext when vLLM refuses the question (in its own words) or the key; RetryLater when no answer comes in time.
        """
        address, headers = await self._way(deployment, CHAT)
        return completion(await self._wire.post(address, CHAT, headers, {**body, "stream": False}, deadline_s))

    async def chat_stream(
        self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float
    ) -> AsyncIterator[dict[str, Any]]:
        """The chunks of a streamed answer as they come. Errors as for `chat`; RetryLater when it ends before [DONE]."""
        address, headers = await self._way(deployment, CHAT)
        ended = False
        async for line in self._wire.post_lines(address, CHAT, headers, {**body, "stream": True}, deadline_s):
            if isinstance(line, Reply):
                expect_understood(line)
                break
            ended = ended or ends(line)
            chunk = event(line, address.place)
            if chunk is not None:
                yield chunk
        if not ended:
            raise unreadable(address.place, "stream")

    async def _ask(self, deployment: Deployment, path: str) -> Reply:
        """One GET of this deployment's server."""
        address, headers = await self._way(deployment, path)
        return await self._wire.get(address, path, headers)

    async def _way(self, deployment: Deployment, path: str) -> tuple[ServerAddress, dict[str, str]]:
        """Where to ask, and what is sent along."""
        address = await self._reach.address(deployment)
        key = await self._reach.key(deployment, address.place, guarded=path.startswith("/v1"))
        return address, {"Authorization": f"Bearer {key}"} if key else {}
