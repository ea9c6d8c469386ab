"""Streams against the stand-in: prose as it comes, and every way in which a stream can end badly."""

import asyncio
import contextlib
from contextlib import aclosing

import pytest

from bot.errors import BotError, RetryLater
from bot.model.answering import VllmModel
from bot.nouns import AnswerLimits, Deployment, Finish, Message, Repair, Tool, Turn, UserMessage
from bot.ports import PromptTooLongError
from sandbox.clock import Clock
from sandbox.vllm import Answer, Break, Fault, VllmStandIn

pytestmark = pytest.mark.wire
CHAT = "/v1/chat/completions"
ASKED: list[Message] = [UserMessage(text="Which pods are down?")]
SHORT = AnswerLimits(max_tokens=200, first_s=5, silence_s=5, total_s=10)
ENGINE_DEAD = (
    'data: {"error":{"message":"EngineCore died: prompt was my secret","type":"InternalServerError","param":null,"code":500}}\n\n'
)
DONE = "data: [DONE]\n\n"


async def heard(model: VllmModel, prod: Deployment, limits: AnswerLimits = SHORT) -> tuple[str, BotError | None]:
    """What was given out before it ended, and with which error."""
    said = ""
    try:
        async for piece in model.stream(prod, ASKED, [], limits):
            said += piece if isinstance(piece, str) else ""
    except BotError as error:
        return said, error
    return said, None


async def test_prose_comes_in_pieces_and_then_as_a_turn(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    server.script(Answer("Two pods are down.", reasoning="Let me see."))
    said = [piece async for piece in model.stream(prod, ASKED, [], SHORT)]
    *pieces, turn = said
    assert len(pieces) > 1
    assert "".join(str(piece) for piece in pieces) == "Two pods are down."
    assert isinstance(turn, Turn)
    assert (turn.text, turn.reasoning, turn.finish) == ("Two pods are down.", "Let me see.", Finish.STOP)
    assert turn.usage is not None
    assert turn.usage.completion == 7


async def test_an_answer_left_in_the_reasoning_comes_as_the_last_piece(
    model: VllmModel, prod: Deployment, server: VllmStandIn
) -> None:
    server.script(Answer(deltas=({"reasoning": "All pods"}, {"reasoning": " are healthy."})))
    piece, turn = [piece async for piece in model.stream(prod, ASKED, [], SHORT)]
    assert piece == "All pods are healthy."
    assert isinstance(turn, Turn)
    assert turn.repairs == (Repair.ANSWER_FROM_REASONING,)


async def test_streamed_calls_arrive_in_the_turn_and_not_as_text(
    model: VllmModel, prod: Deployment, server: VllmStandIn, get_pods: Tool
) -> None:
    server.script(Answer.parsed("text_then_call"), Answer('{"name": "get_pods", "arguments": {"limit": "3"}}'))
    *pieces, turn = [piece async for piece in model.stream(prod, ASKED, [get_pods], SHORT)]
    assert "".join(map(str, pieces)) == "Checking."
    assert isinstance(turn, Turn)
    assert [call.arguments for call in turn.calls] == [{"namespace": "a"}]
    (turn,) = [piece async for piece in model.stream(prod, ASKED, [get_pods], SHORT)]
    assert isinstance(turn, Turn)
    assert [call.arguments for call in turn.calls] == [{"limit": 3}]


async def test_endless_repetition_ends_the_call_at_the_server_too(
    model: VllmModel, prod: Deployment, server: VllmStandIn
) -> None:
    await server.scenario("idle")
    server.script(Answer(deltas=tuple({"content": text} for text in ["Fine.", *[" \n" * 20] * 5_000]), itl_s=0.0))
    *pieces, turn = [piece async for piece in model.stream(prod, ASKED, [], SHORT)]
    assert pieces == ["Fine."]
    assert isinstance(turn, Turn)
    assert (turn.text, turn.finish) == ("Fine.", Finish.REPETITION)
    async with asyncio.timeout(5):
        while server.engine.live:
            await asyncio.sleep(0.001)
    assert server.engine.counters["request_success", (("finished_reason", "abort"),)] == 1


async def test_who_stops_listening_stops_the_model(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    await server.scenario("idle")
    server.script(Answer("one two three four", itl_s=3600.0))
    async with aclosing(model.stream(prod, ASKED, [], SHORT)) as listening:
        assert await anext(listening) == "one"
    async with asyncio.timeout(5):
        while server.engine.live:
            await asyncio.sleep(0.001)


async def test_a_stream_that_falls_silent_is_given_up_and_the_server_let_go(
    model: VllmModel, prod: Deployment, server: VllmStandIn
) -> None:
    await server.scenario("idle")
    server.script(Answer("one two three", breaks=Break(2, "silent")))
    said, error = await heard(model, prod, SHORT.model_copy(update={"silence_s": 0.1}))
    assert said == "one two"
    assert isinstance(error, RetryLater)
    assert "fell silent" in error.telling.failed
    async with asyncio.timeout(5):
        while server.engine.live:
            await asyncio.sleep(0.001)


async def test_keep_alive_comments_are_no_sign_of_life(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    await model.window(prod)  # what is served is known from the stand-in; then a proxy takes its place that only pings
    port = int(server.url.rpartition(":")[2])
    await server.stop()

    async def ping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b": ping\n\n")
                await writer.drain()
                await asyncio.sleep(0.01)

    async with await asyncio.start_server(ping, "127.0.0.1", port):
        async with asyncio.timeout(5):
            said, error = await heard(model, prod, SHORT.model_copy(update={"first_s": 0.2}))
    assert (said, type(error)) == ("", RetryLater)


async def test_a_call_that_is_still_being_made_is_a_sign_of_life(model: VllmModel, get_pods: Tool) -> None:
    """Recorded: its tokens bring chunks without words, as `return_token_ids` asks for."""
    slow = VllmStandIn(Clock())
    there = Deployment(name="slow", base_url=await slow.start())
    call = {"index": 0, "id": "a", "function": {"name": "get_pods", "arguments": "{}"}}
    slow.script(Answer(deltas=(*[{}] * 30, {"tool_calls": [call]}), finish_reason="tool_calls", itl_s=0.02))
    limits = SHORT.model_copy(update={"silence_s": 0.3})
    (turn,) = [piece async for piece in model.stream(there, ASKED, [get_pods], limits)]
    await slow.stop()
    assert isinstance(turn, Turn)
    assert [call.arguments for call in turn.calls] == [{}]


async def test_the_first_piece_may_take_longer_than_the_others_but_not_for_ever(
    model: VllmModel, prod: Deployment, server: VllmStandIn
) -> None:
    server.script(Answer("never heard", ttft_s=60.0))
    said, error = await heard(model, prod, SHORT.model_copy(update={"first_s": 0.1}))
    assert (said, type(error)) == ("", RetryLater)


async def test_an_answer_that_drips_on_ends_at_its_total_time(model: VllmModel) -> None:
    dripping = VllmStandIn(Clock())
    there = Deployment(name="slow", base_url=await dripping.start())
    words = 400
    dripping.script(Answer(" ".join(f"drop-{number}" for number in range(words)), itl_s=0.02))
    said, error = await heard(model, there, SHORT.model_copy(update={"total_s": 1.5, "silence_s": 0.5}))
    await dripping.stop()
    assert 0 < said.count("drop-") < words
    assert isinstance(error, RetryLater)


@pytest.mark.parametrize("how", ["cut", "end"])
async def test_a_stream_that_breaks_off_is_never_taken_for_an_answer(
    model: VllmModel, prod: Deployment, server: VllmStandIn, how: str
) -> None:
    server.script(Answer("one two three", breaks=Break(2, "cut" if how == "cut" else "end")))
    said, error = await heard(model, prod)
    assert said.startswith("one")
    assert isinstance(error, RetryLater)
    assert "broke off" in error.telling.failed
    assert (await heard(model, prod))[1] is None


@pytest.mark.parametrize(
    "sent",
    [
        ENGINE_DEAD,
        ENGINE_DEAD + DONE,
        "event: error\n" + ENGINE_DEAD,
        'data: {"object":"error","message":"EngineCore died","type":"InternalServerError","param":null,"code":500}\n\n',
        'event: error\ndata: {"error":"overloaded"}\n\n',
    ],
)
async def test_an_error_inside_a_stream_of_200_is_an_error(
    model: VllmModel, prod: Deployment, server: VllmStandIn, sent: str
) -> None:
    server.script(Answer("one two three", breaks=Break(2, "end", sent)))
    said, error = await heard(model, prod)
    assert said.startswith("one")
    assert isinstance(error, RetryLater)
    assert "in the middle of its answer" in error.telling.failed
    assert "secret" not in repr(error.telling)


@pytest.mark.parametrize("sent", ["data: {broken\n\n", "event: error\ndata: overloaded\n\n", "data: [1]\n\n", 'data: "x"\n\n'])
async def test_an_event_that_cannot_be_read_ends_the_answer(
    model: VllmModel, prod: Deployment, server: VllmStandIn, sent: str
) -> None:
    server.script(Answer("one two three", breaks=Break(2, "end", sent)))
    _, error = await heard(model, prod)
    assert isinstance(error, RetryLater)
    assert "broke off or cannot be read" in error.telling.failed


async def test_a_prompt_that_is_too_long_is_said_so_for_streams_too(model: VllmModel, prod: Deployment) -> None:
    with pytest.raises(PromptTooLongError):
        await anext(model.stream(prod, [UserMessage(text="pod " * 9000)], [], SHORT))


async def test_a_stream_with_nothing_in_it_is_asked_again_later(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    server.script(Answer(""))
    said, error = await heard(model, prod)
    assert (said, type(error)) == ("", RetryLater)
    assert error is not None
    assert "nothing in it" in error.telling.failed


async def test_a_server_that_hangs_before_it_answers_is_given_up(model: VllmModel, prod: Deployment, server: VllmStandIn) -> None:
    server.faults.order(Fault(kind="hang", path=CHAT))
    _, error = await heard(model, prod, SHORT.model_copy(update={"first_s": 0.1}))
    assert isinstance(error, RetryLater)
