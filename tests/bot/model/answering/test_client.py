"""The client against the stand-in, over real sockets and the real openai SDK."""

import logging

import pytest
from pydantic import SecretStr

from bot.errors import ModelMovesNext, NotConnectedError, PersonMovesNext, RetryLater
from bot.model import VllmEngine
from bot.model.answering import VllmModel
from bot.nouns import AnswerLimits, Deployment, Finish, Message, ServedModel, SystemMessage, Tool, ToolResult, UserMessage
from bot.ports import Model, PromptTooLongError
from sandbox.clock import HeldClock
from sandbox.vllm import Answer, Fault, VllmStandIn

pytestmark = pytest.mark.wire
CHAT = "/v1/chat/completions"
ASKED: list[Message] = [SystemMessage(text="You are a bot."), UserMessage(text="Which pods are down?")]
SHORT = AnswerLimits(max_tokens=200, first_s=5, silence_s=5, total_s=10)
HASTY = AnswerLimits(max_tokens=200, first_s=0.2, silence_s=0.2, total_s=0.4)


async def test_a_question_with_a_tool_from_call_to_answer(
    model: VllmModel, prod: Deployment, server: VllmStandIn, get_pods: Tool
) -> None:
    port: Model = model
    server.script(Answer.parsed("call"), Answer("Two pods are down."))
    first = await port.converse(prod, ASKED, [get_pods], SHORT)
    (call,) = first.calls
    assert call.arguments == {"limit": 5, "namespace": "default"}
    thread = [*ASKED, first, ToolResult(call_id=call.id, text="pod-a CrashLoopBackOff")]
    second = await port.converse(prod, thread, [get_pods], SHORT)
    assert (second.text, second.calls, second.finish) == ("Two pods are down.", (), Finish.STOP)
    assert second.usage is not None
    sent = server.chat.asked[-1]["messages"]
    assert sent[:2] == server.chat.asked[0]["messages"]
    assert sent[2]["content"] is None
    assert sent[3]["tool_call_id"] == sent[2]["tool_calls"][0]["id"] == call.id
    assert server.chat.asked[0]["tools"] == server.chat.asked[1]["tools"]


async def test_window_and_sizes_are_the_servers_own(
    model: VllmModel, prod: Deployment, server: VllmStandIn, get_pods: Tool
) -> None:
    assert await model.window(prod) == 4096
    size = await model.size(prod, ASKED, [get_pods])
    turn = await model.converse(prod, ASKED, [get_pods], SHORT)
    assert turn.usage is not None
    assert size == turn.usage.prompt


async def test_a_size_beyond_the_window_is_counted_where_the_refusal_only_says_at_least(
    model: VllmModel, prod: Deployment
) -> None:
    long = [UserMessage(text="pod " * 9000)]
    size = await model.size(prod, long)
    assert size is not None
    assert size > 9000
    with pytest.raises(PromptTooLongError) as raised:
        await model.converse(prod, long, [], SHORT)
    assert raised.value.window == 4096


async def test_a_server_that_cannot_count_has_no_size(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    server.faults.order(Fault(kind="error", path="/tokenize", status=404))
    assert await model.size(prod, ASKED) is None


async def test_the_model_is_told_when_its_call_was_lost(
    model: VllmModel, prod: Deployment, server: VllmStandIn, get_pods: Tool
) -> None:
    server.script(Answer(stop_reason=50))
    with pytest.raises(ModelMovesNext, match="no call arrived"):
        await model.converse(prod, ASKED, [get_pods], SHORT)


@pytest.mark.parametrize("body", ['{"choices":[]}', "{}", '{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}'])
async def test_a_200_with_nothing_in_it_is_asked_again_later(
    model: VllmModel, prod: Deployment, server: VllmStandIn, body: str
) -> None:
    server.script(Answer(body=body))
    with pytest.raises(RetryLater, match="answered with nothing in it"):
        await model.converse(prod, ASKED, [], SHORT)


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        ("[1]", PersonMovesNext, "not a vLLM"),
        ('"hello"', PersonMovesNext, "not a vLLM"),
        ("<html>", RetryLater, "cannot be read"),
        ('{"error":{"message":"engine died","code":500}}', RetryLater, "answers 500"),
        ('{"error":"overloaded"}', RetryLater, "answers 500"),
    ],
)
async def test_a_200_with_something_else_in_it_says_what_it_means(
    model: VllmModel, prod: Deployment, server: VllmStandIn, body: str, kind: type[Exception], says: str
) -> None:
    server.script(Answer(body=body))
    with pytest.raises(kind, match=says):
        await model.converse(prod, ASKED, [], SHORT)


async def test_a_server_without_tool_calling_says_how_to_start_it(clock: HeldClock, model: VllmModel, get_pods: Tool) -> None:
    plain = VllmStandIn(clock, tool_calling=False)
    there = Deployment(name="plain", base_url=await plain.start())
    with pytest.raises(PersonMovesNext) as raised:
        await model.converse(there, ASKED, [get_pods], SHORT)
    assert "--enable-auto-tool-choice" in raised.value.telling.next_step
    assert (await model.converse(there, ASKED, [], SHORT)).text
    await plain.stop()


async def test_a_server_that_was_started_anew_with_another_model_is_asked_for_that_one(
    clock: HeldClock, model: VllmModel, prod: Deployment, server: VllmStandIn
) -> None:
    assert await model.window(prod) == 4096
    port = int(server.url.rpartition(":")[2])
    await server.stop()
    other = VllmStandIn(clock, model="google/gemma-4-12B-it", window=8192, port=port)
    await other.start()
    with pytest.raises(PersonMovesNext) as raised:
        await model.converse(prod, ASKED, [], SHORT)
    assert raised.value.telling.next_step == "It serves google/gemma-4-12B-it."
    assert (await model.converse(prod, ASKED, [], SHORT)).text
    assert await model.window(prod) == 8192
    await other.stop()


async def test_the_model_that_the_deployment_names_is_asked_when_the_server_lists_it(
    model: VllmModel, prod: Deployment, server: VllmStandIn
) -> None:
    await model.converse(prod.model_copy(update={"model_id": "google/gemma-4-tiny"}), ASKED, [], SHORT)
    await model.converse(prod.model_copy(update={"model_id": "an-older-name"}), ASKED, [], SHORT)
    assert {body["model"] for body in server.chat.asked} == {"google/gemma-4-tiny"}


@pytest.mark.parametrize("kind", ["error", "drop", "hang"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_each_fault_of_the_server_is_asked_again_later_and_the_next_call_works(
    model: VllmModel, prod: Deployment, server: VllmStandIn, kind: str, when: str
) -> None:
    server.faults.order(Fault.model_validate({"kind": kind, "path": CHAT, "when": when, "at_call": 1}))
    with pytest.raises(RetryLater) as raised:
        await model.converse(prod, ASKED, [], HASTY)
    assert raised.value.arrived is None
    assert server.url.removeprefix("http://") in raised.value.telling.failed
    assert (await model.converse(prod, ASKED, [], SHORT)).text


async def test_a_server_that_is_down_was_surely_not_asked(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    await model.window(prod)
    await server.scenario("down")
    with pytest.raises(RetryLater) as raised:
        await model.converse(prod, ASKED, [], SHORT)
    assert raised.value.arrived is False


async def test_no_address_and_plain_http_to_elsewhere_are_refused_before_anything_is_sent(model: VllmModel) -> None:
    with pytest.raises(NotConnectedError):
        await model.converse(Deployment(name="prod"), ASKED, [], SHORT)
    with pytest.raises(PersonMovesNext, match="plain http"):
        await model.window(Deployment(name="prod", base_url="http://10.0.0.7:8000"))


async def test_without_a_key_none_is_sent_and_a_wrong_one_is_for_a_person(
    clock: HeldClock, server: VllmStandIn, prod: Deployment
) -> None:
    guarded = VllmStandIn(clock, api_key="k")
    there = Deployment(name="other", base_url=await guarded.start())
    async with VllmEngine(clock, api_keys={"other": SecretStr("k")}) as engine, VllmModel(engine) as model:
        with pytest.raises(PersonMovesNext, match="key is not accepted"):
            await model.converse(there, ASKED, [], SHORT)
    await guarded.stop()


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "clé"])
async def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(
    clock: HeldClock, prod: Deployment, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with VllmEngine(clock) as engine, VllmModel(engine, api_keys={"prod": SecretStr(key)}) as model:
            with pytest.raises(PersonMovesNext, match="characters that no key has") as raised:
                await model.converse(prod, ASKED, [], SHORT)
    assert not key or key not in repr(raised.value.telling) + caplog.text


async def test_proxies_and_addresses_of_the_environment_are_not_used(
    clock: HeldClock, prod: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/v1")
    async with VllmEngine(clock) as engine, VllmModel(engine) as model:
        assert (await model.converse(prod, ASKED, [], SHORT)).text


class TwoModels(VllmEngine):
    """An engine whose server lists a second model."""

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        """Both of them."""
        return (*await super().models(deployment), ServedModel(id="tuned"))


async def test_two_models_of_one_server_are_each_asked_by_name(clock: HeldClock, prod: Deployment) -> None:
    async with TwoModels(clock) as engine, VllmModel(engine) as model:
        await model.converse(prod, ASKED, [], SHORT)
        with pytest.raises(PersonMovesNext, match="does not serve"):  # the stand-in knows the first one only
            await model.converse(prod.model_copy(update={"model_id": "tuned"}), ASKED, [], SHORT)


async def test_an_error_field_that_is_empty_is_no_error(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    server.script(Answer(body='{"error":null,"choices":[{"message":{"content":"Fine."},"finish_reason":"stop"}]}'))
    assert (await model.converse(prod, ASKED, [], SHORT)).text == "Fine."
