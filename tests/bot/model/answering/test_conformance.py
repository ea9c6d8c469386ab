"""The probe against the stand-in: what each kind of server comes to."""

import json
from collections.abc import Iterator

import pytest

from bot.model.answering import VllmModel
from bot.model.answering.conformance import CHECKS, conformance, due
from bot.nouns import Conformance, Deployment, Verdict
from sandbox.clock import HeldClock
from sandbox.vllm import Answer, Break, Fault, ToolCall, VllmStandIn

pytestmark = pytest.mark.wire
PASSED, FAILED, UNKNOWN = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN


def call(name: str = "look_up", **arguments: object) -> ToolCall:
    """A call that the scripted model makes."""
    return ToolCall(name, json.dumps(arguments))


KESTREL, HERON = call(word="kestrel", times=3), call(word="heron")
SENTENCE = Answer("A heron is a grey bird that stands in water.")
GOOD = {
    "tool call": (Answer(tool_calls=(KESTREL,)),),
    "parallel calls": (Answer(tool_calls=(call(word="kestrel"), HERON)),),
    "nested arguments": (Answer(tool_calls=(call("find_logs", filter={"severity": "ERROR", "most": 5}),)),),
    "null content": (Answer(tool_calls=(HERON,)), SENTENCE),
    "stream": (SENTENCE,),
    "exact size": (Answer("yes"),),
}


def script(**instead: tuple[Answer, ...]) -> Iterator[Answer]:
    """A well-behaved model, with other answers to some checks (blanks of their names as underscores)."""
    for name, answers in GOOD.items():
        yield from instead.get(name.replace(" ", "_"), answers)


async def probed(model: VllmModel, prod: Deployment, clock: HeldClock) -> Conformance:
    """What the probe comes to."""
    return await conformance(model, prod, clock, version="0.32.0", model_id="google/gemma-4-tiny")


def verdicts(found: Conformance) -> dict[str, Verdict]:
    """Name -> verdict."""
    return {check.name: check.verdict for check in found.checks}


def seen(found: Conformance, name: str) -> str:
    """What was seen in one check."""
    return next(check.seen for check in found.checks if check.name == name)


async def test_a_server_that_does_all_right_passes_all(
    model: VllmModel, prod: Deployment, server: VllmStandIn, clock: HeldClock
) -> None:
    server.script(*script())
    found = await probed(model, prod, clock)
    assert verdicts(found) == dict.fromkeys(CHECKS, PASSED)
    assert {check.at for check in found.checks} == {clock.now()}
    assert (found.version, found.model_id, found.deployment) == ("0.32.0", "google/gemma-4-tiny", "prod")
    sent = next(body["messages"] for body in server.chat.asked if len(body["messages"]) == 4)
    assert sent[2]["content"] is None
    assert Conformance.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("instead", "check", "verdict", "says"),
    [
        ({"tool_call": (Answer("I would call it."),)}, "tool call", FAILED, "it made no call, it ended with stop"),
        ({"tool_call": (Answer(tool_calls=(KESTREL,), finish_reason="length"),)}, "tool call", FAILED, "cut off"),
        ({"tool_call": (Answer(tool_calls=(call("rm_rf"),)),)}, "tool call", FAILED, "There is no tool rm_rf"),
        ({"tool_call": (Answer(tool_calls=(HERON,)),)}, "tool call", FAILED, 'it called with {"word":"heron"}'),
        ({"tool_call": (Answer(stop_reason=50),)}, "tool call", FAILED, "no call arrived"),
        ({"parallel_calls": (Answer(tool_calls=(HERON,)),)}, "parallel calls", UNKNOWN, "one call at a time"),
        ({"parallel_calls": (Answer("No."),)}, "parallel calls", FAILED, "it made no call"),
        (
            {"nested_arguments": (Answer(tool_calls=(call("find_logs", severity="ERROR", most=5),)),)},
            "nested arguments",
            FAILED,
            "find_logs was not called",
        ),
        (
            {"nested_arguments": (Answer(tool_calls=(call("find_logs", filter={"severity": "ERROR", "most": "5"}),)),)},
            "nested arguments",
            PASSED,
            "after arguments were put right",
        ),
        ({"null_content": (Answer(tool_calls=(HERON,)), Answer(tool_calls=(HERON,)))}, "null content", FAILED, "called again"),
        ({"null_content": (Answer("It found a bird."),)}, "null content", UNKNOWN, "no call to give a result for"),
        ({"stream": (Answer("bird"),)}, "stream", FAILED, "in one piece"),
        ({"stream": (Answer("a b c", breaks=Break(1, "cut")),)}, "stream", UNKNOWN, "broke off"),
        ({"stream": (Answer(" \n" * 400),)}, "stream", FAILED, "no whole sentence"),
        ({"exact_size": (Answer(body='{"choices":[{"message":{"content":"yes"}}]}'),)}, "exact size", FAILED, "does not count"),
    ],
)
async def test_each_fault_is_seen_in_its_own_check_and_in_no_other(
    model: VllmModel,
    prod: Deployment,
    server: VllmStandIn,
    clock: HeldClock,
    instead: dict[str, tuple[Answer, ...]],
    check: str,
    verdict: Verdict,
    says: str,
) -> None:
    server.script(*script(**instead))
    found = await probed(model, prod, clock)
    assert verdicts(found) == {**dict.fromkeys(CHECKS, PASSED), check: verdict}
    assert says in seen(found, check)


async def test_tokens_and_calls_that_leak_into_text_are_seen_though_they_were_put_right(
    model: VllmModel, prod: Deployment, server: VllmStandIn, clock: HeldClock
) -> None:
    written = Answer('<|tool_call>call:look_up{word:<|"|>kestrel<|"|>,times:3}<tool_call|>')
    server.script(*script(tool_call=(written,), exact_size=(Answer("yes<turn|>"),)))
    found = await probed(model, prod, clock)
    assert verdicts(found) == {**dict.fromkeys(CHECKS, PASSED), "leaked tokens": FAILED}
    assert seen(found, "leaked tokens") == "2 of 7 turns had them in the text; they were put right"


async def test_a_server_that_is_down_leaves_all_unknown_and_is_asked_twice_at_most(
    model: VllmModel, prod: Deployment, server: VllmStandIn, clock: HeldClock
) -> None:
    server.faults.order(Fault(kind="error", path="/v1/chat/completions", status=503))
    found = await probed(model, prod, clock)
    assert set(verdicts(found).values()) == {UNKNOWN}
    assert len([one for one in server.calls if one.path == "/v1/chat/completions"]) == 2
    assert due(found, version="0.32.0", model_id="google/gemma-4-tiny")


async def test_a_server_without_tool_calling_can_still_stream_and_count(model: VllmModel, clock: HeldClock) -> None:
    plain = VllmStandIn(clock, tool_calling=False)
    there = Deployment(name="plain", base_url=await plain.start())
    found = await conformance(model, there, clock, version=None, model_id=None)
    await plain.stop()
    assert verdicts(found)["tool call"] is UNKNOWN
    assert "without tool calling" in seen(found, "tool call")
    assert [verdicts(found)[name] for name in ("stream", "exact size", "leaked tokens")] == [PASSED] * 3


async def test_it_is_looked_at_again_for_another_version_or_model_only(
    model: VllmModel, prod: Deployment, server: VllmStandIn, clock: HeldClock
) -> None:
    server.script(*script(null_content=(Answer("It found a bird."),)))
    found = await probed(model, prod, clock)
    assert due(None, version="0.32.0", model_id="google/gemma-4-tiny")
    assert not due(found, version="0.32.0", model_id="google/gemma-4-tiny")
    assert due(found, version="0.33.0", model_id="google/gemma-4-tiny")
    assert due(found, version="0.32.0", model_id="google/gemma-4-12B-it")
    assert due(found, version=None, model_id="google/gemma-4-tiny")
