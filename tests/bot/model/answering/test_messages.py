"""What is sent, and that appending to a conversation changes nothing that was sent before."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import WeMoveNext
from bot.model.answering.control_tokens import CONTROL_TOKENS, has_control_token
from bot.model.answering.messages import prefix_kept, prompt_bytes, wire_messages, wire_tools
from bot.nouns import Finish, Message, SystemMessage, Tool, ToolCall, ToolResult, Turn, UserMessage

RECORDED = Path(__file__).parents[3] / "fixtures" / "vllm" / "tiny_gemma4"
ORDERS, ASKED = SystemMessage(text="You are a bot."), UserMessage(text="hello world, list the pods")


def call(number: int = 1) -> ToolCall:
    """A call as it is kept."""
    return ToolCall(id=f"call_{number}", name="get_pods", written='{"namespace": "default"}', arguments={"namespace": "default"})


def called(*calls: ToolCall, text: str = "", reasoning: str = "") -> Turn:
    """A turn that made these calls."""
    return Turn(calls=calls or (call(),), text=text, reasoning=reasoning, finish=Finish.CALLS)


def found(number: int = 1, text: str = "pod-a Running") -> ToolResult:
    """What came of one."""
    return ToolResult(call_id=f"call_{number}", text=text)


def test_a_tool_turn_is_sent_as_the_recorded_request_had_it() -> None:
    recorded: dict[str, Any] = json.loads((RECORDED / "multi_turn_tool.request.json").read_text())
    assert wire_messages([ORDERS, ASKED, called(), found()]) == recorded["messages"]


def test_tools_are_sent_as_the_recorded_request_had_them() -> None:
    recorded = json.loads((RECORDED / "multi_turn_tool.request.json").read_text())["tools"]
    function = recorded[0]["function"]
    tool = Tool(name=function["name"], description=function["description"], parameters=function["parameters"])
    assert wire_tools([tool]) == recorded


def test_beside_calls_the_content_is_null_whatever_was_said() -> None:
    turn = wire_messages([ASKED, called(text="Checking."), found()])[1]
    assert turn["content"] is None
    assert "Checking." not in json.dumps(turn)


def test_reasoning_goes_back_beside_calls_until_the_next_question() -> None:
    loop: list[Message] = [ASKED, called(reasoning="I need pods."), found()]
    assert wire_messages(loop)[1]["reasoning"] == "I need pods."
    later = wire_messages([*loop, Turn(text="All good.", reasoning="They run."), UserMessage(text="sure?")])
    assert not [message for message in later if "reasoning" in message]


def test_reasoning_beside_prose_is_never_sent() -> None:
    assert "reasoning" not in wire_messages([Turn(text="Hello.", reasoning="Be kind."), ASKED])[0]


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([], "nothing in it waits"),
        ([ORDERS], "nothing in it waits"),
        ([ASKED, Turn(text="Hello.")], "nothing in it waits"),
        ([ASKED, ORDERS, ASKED], "a system message"),
        ([ASKED, found()], "does not follow its call"),
        ([ASKED, called(), found(2)], "does not follow its call"),
        ([ASKED, called(call(1), call(2)), found(2), found(1)], "does not follow its call"),
        ([ASKED, called(call(1), call(2)), found(1)], "a call has no result"),
        ([ASKED, called(), ASKED], "a call has no result"),
        ([ASKED, called(), found(), found()], "does not follow its call"),
    ],
)
def test_what_is_no_conversation_is_not_sent(messages: list[Message], says: str) -> None:
    with pytest.raises(WeMoveNext, match=says):
        wire_messages(messages)


def test_a_schema_stands_in_the_last_message_in_words() -> None:
    sent = wire_messages([ORDERS, ASKED], {"type": "object", "required": ["ok"]})
    assert sent[0] == {"role": "system", "content": "You are a bot."}
    assert sent[1]["content"].startswith("hello world, list the pods\n\nAnswer with one JSON object")
    assert '{"type":"object","required":["ok"]}' in sent[1]["content"]


HOSTILE = st.lists(st.one_of(st.sampled_from(CONTROL_TOKENS), st.text(max_size=5))).map("".join)


@settings(deadline=None)
@given(HOSTILE)
def test_no_text_of_others_carries_a_control_token_to_the_model(text: str) -> None:
    hostile = ToolCall(id="call_1", name="get_pods", written=json.dumps({"n": text}, ensure_ascii=False), problem="no")
    sent = wire_messages([SystemMessage(text=text), UserMessage(text=text), called(hostile, reasoning=text), found(text=text)])
    assert not has_control_token(json.dumps(sent, ensure_ascii=False).replace('\\"', '"'))


WORDS = st.text(max_size=12)
STEPS = st.lists(
    st.one_of(
        st.builds(lambda text: [UserMessage(text=text)], WORDS),
        st.builds(lambda text: [Turn(text=text), UserMessage(text="more?")], WORDS),
        st.builds(lambda text, reasoning: [called(text=text, reasoning=reasoning), found(text=text)], WORDS, st.just("")),
    ),
    max_size=6,
)


@settings(deadline=None)
@given(STEPS)
def test_what_was_sent_is_sent_again_byte_for_byte_as_turns_are_appended(steps: list[list[Message]]) -> None:
    tools = [Tool(name="get_pods", description="List pods", parameters={"type": "object", "properties": {}})]
    thread: list[Message] = [ORDERS, ASKED]
    for step in steps:
        longer = [*thread, *step]
        assert prefix_kept(thread, longer, tools)
        assert b"".join(prompt_bytes(longer, tools)).startswith(b"".join(prompt_bytes(thread, tools)))
        thread = longer


def test_within_one_question_reasoning_keeps_the_prefix_and_the_next_question_drops_it() -> None:
    loop: list[Message] = [ORDERS, ASKED, called(reasoning="I need pods."), found()]
    longer = [*loop, called(call(2), reasoning="And more."), found(2)]
    assert prefix_kept(loop, longer)
    next_question = [*longer, Turn(text="All good."), UserMessage(text="sure?")]
    assert not prefix_kept(longer, next_question)
    assert prompt_bytes(next_question)[:2] == prompt_bytes(longer)[:2]


def test_a_stored_conversation_is_sent_as_the_same_bytes() -> None:
    thread: list[Message] = [ORDERS, ASKED, called(reasoning="I need pods."), found()]
    stored = [type(message).model_validate_json(message.model_dump_json()) for message in thread]
    assert prompt_bytes(stored) == prompt_bytes(thread)


def test_a_changed_tool_changes_the_prefix() -> None:
    one = [Tool(name="a", description="A", parameters={})]
    two = [Tool(name="a", description="B", parameters={})]
    assert prompt_bytes([ASKED], one)[0] != prompt_bytes([ASKED], two)[0]
