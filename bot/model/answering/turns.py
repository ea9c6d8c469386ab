"""Makes a turn out of what was spoken, by the rules that vLLM's gemma4 parsers made necessary."""

from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from bot.errors import ModelMovesNext
from bot.model.answering.calls import spoken_calls, written_calls
from bot.model.answering.control_tokens import broken_up
from bot.model.answering.fitting import fitted_to
from bot.model.answering.json_text import read_json
from bot.model.answering.speech import speech_in
from bot.model.answering.spoken import Spoken
from bot.nouns import Finish, Repair, Tool, ToolCall, Turn

TOOL_RESPONSE_TOKEN = 50
"""Id of `<|tool_response>`: newer Gemma 4 configs stop there, to wait for the result of a call."""
_LOST_CALL = "You stopped for the result of a tool, but no call arrived. Make the call again, or answer in words."
_SAYS_SOMETHING = (Finish.STOP, Finish.CALLS, Finish.OTHER, Finish.WAITS_FOR_TOOL)
"""After these there must be words or calls; at the length limit or cut for repetition there may be none."""
_FINISHES = {"stop": Finish.STOP, "tool_calls": Finish.CALLS, "length": Finish.LENGTH, "repetition": Finish.REPETITION}


def turn_of(spoken: Spoken, tools: Sequence[Tool]) -> Turn | None:
    """The turn; None when the server said nothing that can be used (ollama#18275: HTTP 200 and nothing in it).

    Raises ModelMovesNext when it stopped for the result of a call that never came.
    """
    calls, repairs, content = _calls(spoken, tools)
    speech = speech_in(content)
    text, reasoning = speech.text, "\n".join(filter(None, (spoken.reasoning, speech.thought)))
    repairs += ((Repair.LEAKED_TOKENS,) if speech.leaked else ()) + ((Repair.REPETITION,) if speech.repeated else ())
    finish = _finish(spoken, calls, repeated=speech.repeated)
    if not text and not calls and finish is not Finish.LENGTH and not speech.repeated and reasoning.strip():
        answer = speech_in(reasoning)  # streamed after a tool result it stands there as a whole (vllm#49717)
        text, reasoning, repairs = answer.text, "", (*repairs, Repair.ANSWER_FROM_REASONING)
    if not text and not calls and finish in _SAYS_SOMETHING:
        if finish in (Finish.WAITS_FOR_TOOL, Finish.CALLS):
            raise ModelMovesNext(_LOST_CALL)
        return None
    return Turn(text=text, calls=calls, reasoning=reasoning, finish=finish, usage=spoken.usage, repairs=repairs)


def answer_object(turn: Turn, schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON object that was asked for by `answer_schema`. Raises ModelMovesNext with what is wrong with it.

    A fence around it is taken off. The server need not have held the model to the schema (vllm#54881, #50938).
    """
    text = turn.text.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rsplit("```", 1)[0]
    try:
        found = read_json(text)
    except ValueError as error:
        raise ModelMovesNext("The answer is not one JSON object. Answer with the object alone.") from error
    fitted = fitted_to(found, schema, schema)
    wrong = best_match(Draft202012Validator(schema).iter_errors(fitted))
    if wrong is not None or not isinstance(fitted, dict):
        reason = broken_up(wrong.message[:200]) if wrong is not None else "it is no object"
        raise ModelMovesNext(f"The answer does not fit the JSON schema: {reason}. Answer with the object alone.")
    return fitted


def _calls(spoken: Spoken, tools: Sequence[Tool]) -> tuple[tuple[ToolCall, ...], tuple[Repair, ...], str]:
    """The calls of the server's parser, else those written as text; repairs; and the text beside them."""
    calls, repairs = spoken_calls(spoken, tools)
    if calls:
        return calls, repairs, spoken.content
    (calls, repairs), content = written_calls(spoken, tools)
    return calls, repairs, content


def _finish(spoken: Spoken, calls: Sequence[ToolCall], *, repeated: bool) -> Finish:
    """Why it stopped."""
    said = _FINISHES.get(spoken.finish or "", Finish.OTHER)
    if said is Finish.LENGTH and not repeated:
        return said
    if calls:
        return said if said in (Finish.LENGTH, Finish.OTHER, Finish.REPETITION) else Finish.CALLS
    if repeated:
        return Finish.REPETITION
    return Finish.WAITS_FOR_TOOL if spoken.stop_reason == TOOL_RESPONSE_TOKEN else said
