"""What was said and looked up for one question so far. It goes to Redis after each step and comes back as it was."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.agent.results import brief
from bot.nouns import Message, Noun, Proposal, Reading, SystemMessage, Tool, ToolCall, ToolResult, Turn, UserMessage


class Said(Noun):
    """A message as it is kept. One that answers a call says by which reading, so that it can be shown shorter later."""

    message: Message
    reading: str | None = None
    short: bool = False


class Transcript(Noun):
    """`orders` and `tools` stand in front of all else and never change within a thread for one window.

    `alert` is the first message of the thread as another program wrote it; it goes before the first thing said. The first
    `earlier` messages of `said` are questions and answers of this thread before, in pairs. `waiting` are calls that the model
    made and that were not looked up yet, in its order. `made` are the calls that ran, each by its meaning with its reading: it
    is never shortened, so that no call is made twice. Times are aware, in UTC.
    """

    v: int = 1
    began: datetime
    window: int
    tools: tuple[Tool, ...]
    orders: str
    alert: str = ""
    earlier: int = 0
    said: tuple[Said, ...] = ()
    waiting: tuple[ToolCall, ...] = ()
    readings: tuple[Reading, ...] = ()
    made: dict[str, str] = Field(default_factory=dict)
    proposal: Proposal | None = None
    turns: int = 0
    corrected: bool = False
    nudged: int = 0
    last_words: bool = False
    limit: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    counted: bool = True
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    model: str | None = None
    state: Literal["asking", "looking"] = "asking"

    def heard(self, *messages: Message) -> "Transcript":
        """With these messages at its end."""
        return self.model_copy(update={"said": (*self.said, *(Said(message=one) for one in messages))})

    def told(self, call: ToolCall, text: str, reading: str | None = None) -> "Transcript":
        """With the result of a call, which waits no more."""
        result = Said(message=ToolResult(call_id=call.id, text=text), reading=reading)
        waiting = tuple(one for one in self.waiting if one.id != call.id)
        state = "looking" if waiting else "asking"
        return self.model_copy(update={"said": (*self.said, result), "waiting": waiting, "state": state})

    def read(self, reading: Reading, meaning: str) -> "Transcript":
        """With one more reading, and the call that it came from marked as made."""
        return self.model_copy(update={"readings": (*self.readings, reading), "made": {**self.made, meaning: reading.id}})

    def spoke(self, turn: Turn) -> "Transcript":
        """With a turn of the model and what it cost."""
        usage = turn.usage
        return self.heard(turn).model_copy(
            update={
                "turns": self.turns + 1,
                "prompt_tokens": self.prompt_tokens + (usage.prompt if usage else 0),
                "completion_tokens": self.completion_tokens + (usage.completion if usage else 0),
                "counted": self.counted and usage is not None,
            }
        )

    def next_id(self) -> str:
        """The id of the next reading of this question: `r1`, `r2`, …"""
        return f"r{len(self.readings) + 1}"

    def shortened(self, room: int) -> "Transcript | None":
        """With the oldest long result shown in a few words. None when there is nothing left to shorten."""
        by_id = {one.id: one for one in self.readings}
        for place, one in enumerate(self.said):
            if one.reading is None or one.short or not isinstance(one.message, ToolResult):
                continue
            words = brief(by_id[one.reading], room)
            shorter = Said(message=one.message.model_copy(update={"text": words}), reading=one.reading, short=True)
            return self.model_copy(update={"said": (*self.said[:place], shorter, *self.said[place + 1 :])})
        return None

    def without_oldest(self) -> "Transcript | None":
        """Without the oldest question of before and its answer. None when there is none."""
        if self.earlier < 2:
            return None
        return self.model_copy(update={"said": self.said[2:], "earlier": self.earlier - 2})

    def messages(self) -> tuple[Message, ...]:
        """All that is sent: the standing orders, then what was said, the alert in front."""
        said = [one.message for one in self.said]
        if self.alert and said and isinstance(said[0], UserMessage):
            said[0] = UserMessage(text=f"{self.alert}\n\n{said[0].text}")
        return (SystemMessage(text=self.orders), *said)
