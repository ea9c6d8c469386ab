"""What is said to the model and by it: messages, tools, calls, and the bounds of one answer."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from bot.nouns.base import Noun


class Tool(Noun):
    """Something that the model may call. `parameters` is a JSON schema of an object, as flat as can be."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    description: str
    parameters: dict[str, Any]


class ToolCall(Noun):
    """One call that the model made.

    Either it may run, with `arguments` that fit its tool's schema, or `problem` says in words what the model is told instead.
    `written` is a JSON object as text: what the model wrote, fit to be shown to it again, byte for byte the same each time.
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    written: str
    arguments: dict[str, Any] | None = None
    problem: str | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "ToolCall":
        if (self.arguments is None) is (self.problem is None):
            raise ValueError("a call has either arguments or a problem")
        return self


class Finish(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    CALLS = "tool_calls"
    LENGTH = "length"
    """At max_tokens or the end of the window: what it said is not whole."""
    WAITS_FOR_TOOL = "waits for a tool result"
    """It stopped for the result of a call that did not reach us."""
    REPETITION = "repetition"
    """It said the same over and over and was cut."""
    OTHER = "other"


class Repair(StrEnum):
    """What had to be put right in a turn before it could be used."""

    LEAKED_TOKENS = "control tokens stood in the text"
    CALL_FROM_TEXT = "a call was written as text"
    ANSWER_FROM_REASONING = "the answer stood in the reasoning"
    DUPLICATE_CALL = "the same call was made twice in one message"
    ARGUMENTS = "arguments had quotes in their names or another type"
    REPETITION = "endless repetition was cut"


class Usage(Noun):
    """Tokens as the server counted them. Reasoning is a part of completion; None: the server does not say."""

    prompt: int
    completion: int
    reasoning: int | None = None
    cached: int | None = None


class SystemMessage(Noun):
    """The standing orders: the first message, and the only one of its kind."""

    role: Literal["system"] = "system"
    text: str


class UserMessage(Noun):
    """What a person said, with what is known about it."""

    role: Literal["user"] = "user"
    text: str


class ToolResult(Noun):
    """What came of the call `call_id`, or what was wrong with it."""

    role: Literal["tool"] = "tool"
    call_id: str = Field(min_length=1)
    text: str


class Turn(Noun):
    """One message of the model: prose, or calls. `text` is empty beside calls only when it said nothing there."""

    role: Literal["assistant"] = "assistant"
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    finish: Finish = Finish.STOP
    usage: Usage | None = None
    repairs: tuple[Repair, ...] = ()


Message = Annotated[SystemMessage | UserMessage | ToolResult | Turn, Field(discriminator="role")]


class AnswerLimits(Noun):
    """How long an answer may be, and how long it may take, in seconds.

    `first_s` is the wait for its first piece (queue and prompt included), `silence_s` the wait between two pieces of a stream,
    `total_s` the whole. `answer_schema` asks for one JSON object of this schema instead of prose. `temperature` None is the
    server's own.
    """

    max_tokens: int = Field(gt=0)
    first_s: float = Field(default=60.0, gt=0)
    silence_s: float = Field(default=20.0, gt=0)
    total_s: float = Field(default=180.0, gt=0)
    temperature: float | None = Field(default=None, ge=0, le=2)
    thinking: bool = False
    answer_schema: dict[str, Any] | None = None
