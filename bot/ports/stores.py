"""What is remembered between two requests."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from bot.nouns import Actor, Delta, Deployment, EngineSample, Noun, Role, Usual
from bot.requests import Request
from bot.view import View


class Deployments(Protocol):
    """The deployments that people know by name."""

    async def all(self, team_id: str) -> tuple[Deployment, ...]:
        """Every deployment of a workspace: from the settings, the file and the store; the default one first."""


class Cache(Protocol):
    """Answers from outside that may be used again for a while."""

    async def get(self, what: str) -> str | None:
        """What was put, while it lives."""

    async def put(self, what: str, value: str, life_s: int) -> None:
        """Remember for `life_s` seconds."""


UNSTOPPABLE = "unstoppable"
"""The note of long work that cannot be stopped half-way: why not."""


class OpenWork(Noun):
    """One piece of work as people see it. `unstoppable` says why it cannot be stopped; None: it can. `approval` is the question
    whose yes set it free, if one did."""

    id: str
    kind: str
    state: str
    words: str
    asked_by: str
    channel: str
    since: datetime
    stopping: bool = False
    unstoppable: str | None = None
    approval: str | None = None


class WorkBook(Protocol):
    """The work that is under way."""

    async def under_way(self, team_id: str) -> tuple[OpenWork, ...]:
        """Open work of a workspace, oldest first."""

    async def answer(self, work_id: str) -> tuple[Request, View] | None:
        """What was asked and answered by this work, for a day after it was."""

    async def ask_to_stop(self, work_id: str) -> bool:
        """Have it end at its next boundary. False when there is no such open work."""

    async def asked_to_stop(self, work_id: str) -> bool:
        """Whether somebody asked it to end: for steps that take long enough to look."""


class LongWork(Protocol):
    """Work that takes longer than an answer: it goes on by steps, under a name that people see."""

    async def begin(
        self, request: Request, path: str, arguments: str, notes: Mapping[str, str], *, queue: str | None = None
    ) -> str:
        """Record work of the operation `path` once for this request and return its name, such as machine-12.

        `arguments` is its JSON, `notes` what its first step finds, `queue` where its steps run; a repeat changes none of them.
        """

    async def begun(self, request: Request, path: str) -> str | None:
        """The name of the work of this operation that this request began, or None."""


class Question(Noun):
    """A question for somebody's yes, as stored: the exact request, what was shown, who must answer, and until when.

    `role` is what the operation asks of whoever says yes; `lifts` when the asker lacks it, so that the yes brings it. `spends`
    for what spends money; `usd` is what it could cost in all, None where that is not known.
    """

    v: int = 1
    id: str
    request: Request
    operation: str
    arguments: dict[str, object]
    shown: tuple[str, ...]
    second_person: bool
    role: Role = Role.OPERATOR
    proposed_by_model: bool = False
    lifts: bool = False
    spends: bool = False
    usd: float | None = None
    expires_at: datetime
    spent_by: str | None = None


class Approvals(Protocol):
    """Questions that wait for a yes. Each is answered once."""

    async def ask(self, question: Question) -> None:
        """Store a question until it expires."""

    async def get(self, question_id: str) -> Question | None:
        """The question, or None when it is unknown or long gone."""

    async def spend(self, question: Question, by: Actor) -> bool:
        """Answer yes and create the work in one step (the work's id is the question's). False: it was answered already."""

    async def waiting(self, team_id: str, now: datetime) -> tuple[Question, ...]:
        """Questions of a workspace that nobody answered yet and that are still open, the soonest to expire first."""

    async def decline(self, question: Question, by: Actor) -> bool:
        """Answer no. False: it was answered already."""


class Audit(Protocol):
    """Who did what, with whose yes, and how it ended."""

    async def note(self, team_id: str, entry: Mapping[str, str]) -> None:
        """Append one line; secrets were hidden before."""


class History(Protocol):
    """What the clock saw of each deployment: every half minute for two days by the minute, for 35 days by ten minutes."""

    async def last(self, team_id: str, deployment: str) -> EngineSample | None:
        """The newest whole scrape, or None when there is none."""

    async def earlier(self, team_id: str, deployment: str, before: datetime) -> EngineSample | None:
        """The newest kept whole scrape that is older than `before`: the other end of a window."""

    async def windows(self, team_id: str, deployment: str, since: datetime, until: datetime) -> tuple[Delta, ...]:
        """The windows of this time, oldest first, by the minute where kept, else by ten. Gaps stay gaps."""

    async def usual(self, team_id: str, deployment: str) -> Usual | None:
        """What is usual here; None until enough was seen."""

    async def keep(self, team_id: str, deployment: str, sample: EngineSample) -> None:
        """Remember a scrape, and the window since the one before it."""
