"""The bodies that are sent to /v1/chat/completions and /tokenize."""

from collections.abc import Sequence
from typing import Any

from bot.model.answering.messages import wire_messages, wire_tools
from bot.nouns import AnswerLimits, Message, ServedModel, Tool
from bot.ports import PromptTooLongError

Json = dict[str, Any]


def asked(model: ServedModel, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits) -> Json:
    """The body of a call.

    It always bounds the answer, says whether to think (a server may do so by default), and never forces a tool: vLLM ignores
    that for Gemma 4 without a word (vllm#50477). A schema goes to the server and, as words, to the model.
    """
    if model.context is not None and limits.max_tokens >= model.context:
        raise PromptTooLongError(
            f"An answer of {limits.max_tokens:,} tokens leaves no room in Gemma's window of {model.context:,}",
            window=model.context,
        )
    schema = limits.answer_schema
    held = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    return {
        "model": model.id,
        "messages": wire_messages(messages, schema),
        **_offered(tools),
        "max_tokens": limits.max_tokens,
        **({} if limits.temperature is None else {"temperature": limits.temperature}),
        **({} if schema is None else {"response_format": held}),
        **_thinking(on=limits.thinking),
    }


def streamed(body: Json) -> Json:
    """The body of the same call as a stream, with its usage at the end.

    With the ids of tokens each one brings a chunk. Without them vLLM sends nothing from `<|tool_call>` to the end of the call
    [measured: 14 s without a byte], which looks like a dead stream.
    """
    return {**body, "stream": True, "stream_options": {"include_usage": True}, "return_token_ids": True}


def counted(model: ServedModel, messages: Sequence[Message], tools: Sequence[Tool]) -> Json:
    """The body of /tokenize for the same prompt, without thinking (which changes it by a handful of tokens)."""
    return {"model": model.id, "messages": wire_messages(messages), **_offered(tools), **_thinking(on=False)}


def _offered(tools: Sequence[Tool]) -> Json:
    """The tools, if any: an empty list is refused by some versions."""
    return {"tools": wire_tools(tools)} if tools else {}


def _thinking(*, on: bool) -> Json:
    """Whether the template opens a thought."""
    return {"chat_template_kwargs": {"enable_thinking": on}}
