"""The stand-in on call: it calls the tools that a question needs, and says only what their results say."""

import json
from typing import Any

from sandbox.vllm.on_call import on_call


def tool(name: str, *fields: str) -> dict[str, Any]:
    properties = {field: {"type": "string"} for field in fields}
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


TOOLS = [
    tool("status", "deployment"),
    tool("metrics", "since"),
    tool("changes"),
    tool("memory", "context"),
    tool("machine_destroy", "machine"),
]


def asked(question: str, *more: dict[str, Any], tools: list[dict[str, Any]] | None = TOOLS) -> Any:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": f"[2026-11-30 03:00 UTC] {question}"}, *more]}
    return on_call({**body, "tools": tools} if tools else body)


def made(question: str) -> list[tuple[str, dict[str, str]]]:
    return [(call.name, json.loads(call.arguments)) for call in asked(question).tool_calls]


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text}


def test_a_question_gets_the_look_ups_that_it_needs():
    assert made("why is prod slow?") == [("status", {}), ("metrics", {}), ("changes", {})]
    assert made("why was it slow in the last 2h?") == [("status", {}), ("metrics", {"since": "2h"}), ("changes", {})]
    assert made("is 64K safe?") == [("memory", {"context": "64K"})]
    assert made("destroy prod-2 please") == [("machine_destroy", {"machine": "prod-2"})]


def test_the_answer_is_the_words_of_the_results_and_no_others():
    came = asked("why is prod slow?", result('r1 status (03:00 UTC)\nprod is slow · 23 waiting\n{"waiting":"23"}'))
    assert (came.text, came.tool_calls) == ("prod is slow · 23 waiting", ())


def test_what_stood_in_no_result_is_left_out_when_it_is_told_so():
    told = {"role": "user", "content": "These stand in no result: 23. Write the whole answer again without that."}
    came = asked("why?", result("r1 status (03:00 UTC)\n23 waiting\nall else is well"), told)
    assert came.text == "all else is well"


def test_what_was_asked_of_a_person_is_said_as_that():
    came = asked("destroy prod-2", result("r1 machine destroy prod-2 (03:00 UTC)\nA person is asked for a yes to exactly this."))
    assert "nothing has happened" in came.text


def test_without_tools_it_is_another_talk():
    assert asked("why is prod slow?", tools=None) is None
