"""The body of a call: always bounded, never forced, thinking said."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.model.answering.request import asked, counted, streamed
from bot.nouns import AnswerLimits, Message, ServedModel, SystemMessage, Tool, UserMessage
from bot.ports import PromptTooLongError

RECORDED = Path(__file__).parents[3] / "fixtures" / "vllm" / "tiny_gemma4"
GEMMA = ServedModel(id="tiny-gemma4", context=2048)
ASKED: list[Message] = [SystemMessage(text="You are a bot."), UserMessage(text="hello world, list the pods")]


def body(tools: tuple[Tool, ...] = (), **limits: Any) -> dict[str, Any]:
    """The body with these limits."""
    return asked(GEMMA, ASKED, tools, AnswerLimits(**{"max_tokens": 60, **limits}))


def test_an_answer_always_has_a_bound_and_says_whether_to_think() -> None:
    assert body() == {
        "model": "tiny-gemma4",
        "messages": [{"role": "system", "content": "You are a bot."}, {"role": "user", "content": "hello world, list the pods"}],
        "max_tokens": 60,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert body(thinking=True)["chat_template_kwargs"] == {"enable_thinking": True}
    assert body(temperature=0.0)["temperature"] == 0.0


def test_a_tool_is_never_forced(get_pods: Tool) -> None:
    assert "tool_choice" not in body((get_pods,))
    assert body((get_pods,))["tools"][0]["function"]["name"] == "get_pods"
    assert "tools" not in body()


def test_a_schema_goes_to_the_server_as_recorded_and_to_the_model_in_words() -> None:
    recorded = json.loads((RECORDED / "json_schema.request.json").read_text())
    schema = recorded["response_format"]["json_schema"]["schema"]
    made = body(answer_schema=schema)
    assert made["response_format"] == {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    assert json.dumps(schema, separators=(",", ":")) in made["messages"][-1]["content"]
    assert made["max_tokens"] == recorded["max_tokens"]


def test_an_answer_as_long_as_the_window_is_not_asked_for() -> None:
    with pytest.raises(PromptTooLongError, match="leaves no room"):
        body(max_tokens=2048)


def test_a_stream_asks_for_its_usage_and_for_a_chunk_with_each_token() -> None:
    more = {"stream": True, "stream_options": {"include_usage": True}, "return_token_ids": True}
    assert streamed(body()) == {**body(), **more}


def test_the_count_is_asked_for_the_same_messages_and_tools(get_pods: Tool) -> None:
    recorded = json.loads((RECORDED / "tokenize_chat.request.json").read_text())
    made = counted(GEMMA, ASKED, ())
    assert {name: made[name] for name in recorded} == recorded
    assert counted(GEMMA, ASKED, (get_pods,))["tools"] == body((get_pods,))["tools"]
