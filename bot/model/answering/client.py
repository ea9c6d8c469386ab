"""The served model over vLLM's OpenAI-compatible API."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import MappingProxyType, TracebackType

from openai import AsyncOpenAI, AsyncStream
from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.model.address import WHAT
from bot.model.answering.connection import Connections
from bot.model.answering.listening import listen
from bot.model.answering.refusals import FAILURES, no_such_path, nothing, refusal, translated
from bot.model.answering.request import asked, counted, streamed
from bot.model.answering.speech import Pieces
from bot.model.answering.spoken import Spoken
from bot.model.answering.turns import turn_of
from bot.model.reach import Reach
from bot.model.wire import not_vllm
from bot.nouns import AnswerLimits, Deployment, Message, ServedModel, Tool, Turn
from bot.ports import Engine, Ways

CHAT = "/chat/completions"
SIZE_S = 15.0
"""Seconds for /tokenize: the tokenizer does about a million tokens a second, and the call is a read."""


@dataclass(frozen=True)
class _Server:
    """Where to ask, and what the model is called there."""

    api: AsyncOpenAI
    root: str
    place: str
    model: ServedModel


class VllmModel:
    """Implements `bot.ports.Model`. One instance serves all deployments of one event loop; close it with `aclose`.

    `engine` tells what a server serves. `api_keys` maps a deployment's name to its key, which goes to that deployment's server
    and nowhere else. `allow_plain_http` names hosts that may be asked over plain http besides this machine; `ways` knows
    tunnels and the keys that engines of ours were given.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        api_keys: Mapping[str, SecretStr] = MappingProxyType({}),
        allow_plain_http: Collection[str] = (),
        connections: Connections | None = None,
        ways: Ways | None = None,
    ) -> None:
        """Keep what was passed; nothing is opened before the first call."""
        self._engine = engine
        self._reach = Reach(api_keys, frozenset(allow_plain_http), ways)
        self._connections = connections or Connections()
        self._served: dict[tuple[str, str], ServedModel] = {}

    async def __aenter__(self) -> "VllmModel":
        """Itself; leaving closes its connections."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    async def window(self, deployment: Deployment) -> int | None:
        """What the server says now; it may have been started anew with another --max-model-len."""
        return (await self._served_model(deployment, fresh=True)).context

    async def size(self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int | None:
        """The count of /tokenize, which counts beyond the window too [measured]. None when the server has no such path."""
        server = await self._server(deployment)
        body = counted(server.model, messages, tools)
        try:
            async with asyncio.timeout(SIZE_S):
                said = await server.api.post(f"{server.root}/tokenize", cast_to=object, body=body)
        except FAILURES as error:
            if no_such_path(error):
                return None
            raise self._failed(error, server, deployment) from error
        count = said.get("count") if isinstance(said, Mapping) else None
        if not isinstance(count, int):
            raise not_vllm(server.place)
        return count

    async def converse(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> Turn:
        """One turn, not streamed: vLLM's parsers make fewer mistakes then, and calls are needed as a whole anyway."""
        server = await self._server(deployment)
        body = asked(server.model, messages, tools, limits)
        try:
            async with asyncio.timeout(limits.total_s):
                said = await server.api.post(CHAT, cast_to=object, body=body)
        except FAILURES as error:
            raise self._failed(error, server, deployment) from error
        if not isinstance(said, Mapping):
            raise not_vllm(server.place)
        if said.get("error"):
            raise refusal(_code(said["error"]), said, server.place)
        return _usable(Spoken.whole(said), tools, server.place)

    async def stream(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> AsyncGenerator[str | Turn, None]:
        """Pieces of prose, then the turn. When repetition is cut, the connection is closed so that the server stops too."""
        server = await self._server(deployment)
        body = streamed(asked(server.model, messages, tools, limits))
        spoken, pieces = Spoken(), Pieces(tools_offered=bool(tools))
        ends_at = asyncio.get_running_loop().time() + limits.total_s
        try:
            async with asyncio.timeout(min(limits.first_s, limits.total_s)):
                chunks = await server.api.post(CHAT, cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object])
            async with aclosing(listen(chunks, spoken, pieces, limits, ends_at, server.place)) as heard:
                async for piece in heard:
                    yield piece
        except FAILURES as error:
            raise self._failed(error, server, deployment) from error
        turn = _usable(spoken, tools, server.place)
        rest = pieces.rest(turn.text)
        if rest:
            yield rest
        yield turn

    def _failed(self, error: Exception, server: _Server, deployment: Deployment) -> Exception:
        """Our error. What the server serves is asked anew next time: it may have been replaced."""
        self._served.pop(_where(deployment), None)
        return translated(error, server.place)

    async def _server(self, deployment: Deployment) -> _Server:
        """Where to ask; raises before anything is sent when the address or the key cannot be used."""
        address = await self._reach.address(deployment)
        key = await self._reach.key(deployment, address.place)
        model = await self._served_model(deployment)
        return _Server(self._connections.client(address, key), address.root, address.place, model)

    async def _served_model(self, deployment: Deployment, *, fresh: bool = False) -> ServedModel:
        """The model that the deployment names if the server lists it, else the first that it lists."""
        where = _where(deployment)
        known = self._served.get(where)
        if known is None or fresh:
            models = await self._engine.models(deployment)
            if not models:
                raise PersonMovesNext(f"{WHAT} of {deployment.name} lists no model", next_step="Is it still starting?")
            known = next((one for one in models if one.id == deployment.model_id), models[0])
            self._served[where] = known
        return known


def _where(deployment: Deployment) -> tuple[str, str]:
    """Which model of which server: one server may list several."""
    return deployment.base_url or "", deployment.model_id or ""


def _usable(spoken: Spoken, tools: Sequence[Tool], place: str) -> Turn:
    """The turn; RetryLater when there is nothing in it."""
    turn = turn_of(spoken, tools)
    if turn is None:
        raise nothing(place)
    return turn


def _code(error: object) -> int:
    """The status inside an error body that came with HTTP 200."""
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500
