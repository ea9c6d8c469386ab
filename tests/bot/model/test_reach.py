"""Where both clients ask, and with which key: found out at each call, and sent only where it is asked for."""

import json
from dataclasses import dataclass, field

import httpx
import pytest
from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.model import TimeOuts, VllmEngine
from bot.model.answering import VllmModel
from bot.model.wire import Wire
from bot.nouns import Deployment
from sandbox.clock import Clock

PROD = Deployment(name="prod", base_url="ssh://prod-1:8000", machine="prod-1")
MODELS = {"object": "list", "data": [{"id": "google/gemma-4-31B-it", "object": "model", "max_model_len": 65_536}]}


@dataclass
class Through:
    """A tunnel at port 41234, or none; and one key. `asked` are the deployments whose key was asked for."""

    stands: bool = True
    key_is: str | None = "planted-key"
    asked: list[str] = field(default_factory=list)

    async def way(self, deployment: Deployment) -> Deployment:
        if not self.stands:
            raise PersonMovesNext("no tunnel leads there")
        return deployment.model_copy(update={"base_url": "http://127.0.0.1:41234"})

    async def key(self, deployment: Deployment) -> SecretStr | None:
        self.asked.append(deployment.name)
        return SecretStr(self.key_is) if self.key_is else None


def engine(ways: Through, seen: list[httpx.Request], **keys: SecretStr) -> VllmEngine:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, stream=httpx.ByteStream(json.dumps(MODELS).encode()))

    return VllmEngine(Clock(), wire=Wire(TimeOuts(), transport=httpx.MockTransport(answer)), ways=ways, api_keys=keys)


async def test_a_deployment_is_asked_where_its_tunnel_ends_with_the_key_that_its_engine_was_given() -> None:
    seen: list[httpx.Request] = []
    assert (await engine(Through(), seen).models(PROD))[0].context == 65_536
    (asked,) = seen
    assert str(asked.url) == "http://127.0.0.1:41234/v1/models"
    assert asked.headers["authorization"] == "Bearer planted-key"


async def test_paths_that_ask_for_no_key_get_none_and_secret_manager_is_not_asked() -> None:
    seen: list[httpx.Request] = []
    ways = Through()
    assert await engine(ways, seen).healthy(PROD)
    assert "authorization" not in seen[0].headers
    assert ways.asked == []


async def test_the_key_that_an_engine_was_given_goes_before_the_configured_one_which_stays_for_others() -> None:
    seen: list[httpx.Request] = []
    configured = SecretStr("configured-key")
    await engine(Through(), seen, prod=configured).models(PROD)
    await engine(Through(key_is=None), seen, prod=configured).models(PROD)
    assert [one.headers["authorization"] for one in seen] == ["Bearer planted-key", "Bearer configured-key"]


async def test_without_a_tunnel_nothing_is_sent() -> None:
    seen: list[httpx.Request] = []
    served = engine(Through(stands=False), seen)
    for call in (served.healthy(PROD), served.models(PROD), VllmModel(served, ways=Through(stands=False)).window(PROD)):
        with pytest.raises(PersonMovesNext, match="no tunnel"):
            await call
    assert seen == []
