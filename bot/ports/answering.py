"""Questions in plain words: who answers them, and where the talk of a thread is remembered."""

from collections.abc import Sequence
from typing import Any, Protocol

from bot.nouns import Answer, Conformance, Deployment, Exchange, Heard, Noun
from bot.requests import Request


class Thread(Noun):
    """One talk: a thread in a channel, or in direct messages. `thread` is the ts of its first message."""

    team_id: str
    channel: str
    thread: str


class Inquiry(Noun):
    """A question as it goes to the model. `request` says who asks, and where; `deployment` whose Gemma answers.

    `earlier` are the questions of this thread before, oldest first; `root` its first message, if another program wrote it.
    `stats`: measure the times of each token, which costs a streamed answer.
    """

    request: Request
    question: str
    deployment: Deployment
    earlier: tuple[Exchange, ...] = ()
    root: Heard | None = None
    stats: bool = False


class Advanced(Noun):
    """One finished step towards an answer. `kept` is what the next step needs (JSON); `looking` says in words what is looked
    up next, when that is new.

    With an `answer` it is over.
    """

    kept: str
    looking: str = ""
    answer: Answer | None = None


class Answerer(Protocol):
    """Gemma, with the operations as its tools. It reads as the asker may read; what it would change it can only propose.

    Raises what `bot.ports.Model` raises when the model cannot be asked; nothing is lost then: `kept` is still good.
    """

    async def advance(self, inquiry: Inquiry, kept: str = "") -> Advanced:
        """Take one step: one call of the model, or one look-up. Repeating it with the same `kept` does no harm."""

    async def answer(self, inquiry: Inquiry) -> Answer:
        """All steps at once, for who has no store (the terminal, evals)."""

    async def word(self, deployment: Deployment, task: str, results: Sequence[dict[str, Any]]) -> Answer:
        """Words on results that are known already, each figure checked against them; no tools.

        `task` says what to write in one sentence or two; `results` are dicts as operations give them, each with an "id".
        """


class Conversations(Protocol):
    """The talk of each thread: whose turn it is, and what was said. Records live for a day after the last word."""

    async def my_turn(self, thread: Thread, work_id: str, order: float) -> bool:
        """Stand in line (`order` ascending, once) and say whether this work is the one that answers now.

        A turn ends when its work is done, so that answers stand in the order of their questions.
        """

    async def wake_next(self, thread: Thread, ended: str) -> None:
        """The work `ended` has said its last word: whoever is next in line is looked at now, not only when it looks itself."""

    async def exchanges(self, thread: Thread) -> tuple[Exchange, ...]:
        """What was asked and answered in this thread, oldest first; the latest few are kept."""

    async def remember(self, thread: Thread, exchange: Exchange) -> None:
        """Keep one; the same again changes nothing."""


class Threads(Protocol):
    """What stands in a thread of Slack."""

    async def root(self, channel: str, thread: str) -> Heard | None:
        """The first message, if another program wrote it; None for a person's or our own. Errors as for `bot.ports.Slack`."""


class Conformances(Protocol):
    """What each deployment's server was last seen to do right (`doctor` tells it)."""

    async def last(self, team_id: str, deployment: str) -> Conformance | None:
        """The last look, or None when there was none."""

    async def keep(self, team_id: str, found: Conformance) -> None:
        """Remember a look in the place of the one before."""
