"""Any order of requests, presses, repeats, lost workers, changed roles and restarts, against a real Valkey.

Two things always hold: nothing is written outside without a yes that was spent for exactly that, by somebody who could give it;
and wherever a yes is spent its work exists, for both are one step.
"""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule, run_state_machine_as_test
from pydantic import BaseModel
from redis.asyncio import Redis

from bot.errors import BotError
from bot.nouns import Actor, Effect, Role, SeenBy
from bot.operations.approvals import NO, YES
from bot.operations.asking import ask_operation
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Registry
from bot.operations.values import GivenName
from bot.ports import Grants, Services
from bot.requests import Door, Request
from bot.store import keys
from bot.store.approvals import ApprovalStore
from bot.store.work import Work, WorkStore
from bot.view import View, line
from handlers.slack.payloads import from_command
from tests.doubles.ports import NOW, TEAM, HeldClock, House

AHEAD = timedelta(days=3650)
"""Redis forgets by its own clock what expired by ours, so ours is ahead of it."""

pytestmark = pytest.mark.wire
PEOPLE = ("U1ANNA", "U2BEN", "U3DANA")
CONSENTS = {"confirm": Consent.CONFIRM, "second": Consent.SECOND_PERSON}
KINDS = st.sampled_from(sorted(CONSENTS))
HOW = st.sampled_from(("yes", "yes", "because", "no"))


class Which(Arguments):
    name: GivenName


class Done(BaseModel):
    name: str


@dataclass
class Outside:
    """The stand-in that is written to. It notes with which yes each write came."""

    now: Request | None = None
    writes: list[tuple[str, Request]] = field(default_factory=list)

    @property
    def registry(self) -> Registry:
        async def run(_context: Context, arguments: Which) -> Done:
            assert self.now is not None
            self.writes.append((arguments.name, self.now))
            return Done(name=arguments.name)

        async def preview(_context: Context, arguments: Which) -> Preview:
            return Preview(needs=CONSENTS[arguments.name.split("-")[0]], verdict=line(f"It stops {arguments.name}"))

        def show(_done: Done, _context: Context) -> View:
            return View(verdict=line("done"))

        halt = Operation(
            "halt", "", "", "halt", Which, Effect.DESTROYS, Role.OPERATOR, SeenBy.CHANNEL, run, show, preview=preview
        )
        return (halt, YES, NO, ask_operation(lambda: self.registry))


@dataclass
class Asked:
    """What the test knows of a question, by its own book and not by the product's."""

    asker: str
    name: str
    second: bool
    lifts: bool
    expires: Any
    answer: str | None = None
    by: str | None = None


class YesMachine(RuleBasedStateMachine):
    """Drives the product's own gate and stores; `asked` is the book beside it."""

    written = 0
    """Writes over all runs: a test in which nothing is ever written would hold anything."""

    questions: Bundle[str] = Bundle("questions")
    said: Bundle[Request] = Bundle("said")

    def __init__(self, url: str) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.url = url
        self.outside, self.house = Outside(), House(clock=HeldClock(NOW + AHEAD))
        self.roles = {"U1ANNA": Role.OPERATOR, "U2BEN": Role.OPERATOR, "U3DANA": Role.VIEWER}
        self.asked: dict[str, Asked] = {}
        self.count = 0

    @initialize()
    def begin(self) -> None:
        self.redis = Redis.from_url(self.url)
        self.do(self.redis.flushdb())
        self.connect()

    def connect(self) -> None:
        self.work = WorkStore(self.redis, lease_s=0.002, kick_s=0)
        self.approvals = ApprovalStore(self.redis, queue="steps", kick_s=0)

    def do(self, what: Any) -> Any:
        return self.loop.run_until_complete(what)

    def services(self) -> Services:
        may = {role: tuple(user for user, has in self.roles.items() if has is role) for role in Role}
        grants = Grants(admins=may[Role.ADMIN], operators=may[Role.OPERATOR])
        return replace(self.house.services, grants=grants, approvals=self.approvals, work=self.work)

    def run(self, request: Request) -> Outcome | None:
        self.outside.now = request
        try:
            outcome: Outcome = self.do(execute(self.outside.registry, self.services(), request))
        except BotError:
            return None
        finally:
            self.outside.now = None
        return outcome

    def type(self, user: str, words: str) -> tuple[Request, Outcome | None]:
        """A slash command, from Slack's payload to the answer."""
        self.count += 1
        body = {"team_id": TEAM, "user_id": user, "channel_id": "C1", "trigger_id": f"{self.count}.1", "text": words}
        said = from_command(body, self.house.clock.now())
        assert said is not None
        assert self.do(self.work.accept(said.request, work_id=f"r-{said.request.id}", kind="request", queue="reads"))
        return said.request, self.run(said.request)

    def note(self, outcome: Outcome | None, user: str, name: str, *, lifts: bool) -> Any:
        question = outcome.asked if outcome is not None else None
        if lifts and outcome is not None and outcome.result is not None:
            question = outcome.result["question"]["id"]
        if question is None:
            return None
        life = timedelta(hours=1) if lifts else timedelta(minutes=30)
        second = lifts or name.startswith("second")
        self.asked[question] = Asked(user, name, second, lifts, self.house.clock.now() + life)
        return question

    @rule(target=questions, user=st.sampled_from(PEOPLE), kind=KINDS, which=st.integers(0, 3))
    def ask(self, user: str, kind: str, which: int) -> Any:
        name = f"{kind}-{which}"
        before = len(self.outside.writes)
        _, outcome = self.type(user, f"halt {name}")
        assert len(self.outside.writes) == before
        made = self.note(outcome, user, name, lifts=False)
        assert (made is not None) == (self.roles[user] >= Role.OPERATOR)
        return made if made is not None else multiple()

    @rule(target=questions, user=st.sampled_from(PEOPLE), kind=KINDS, which=st.integers(0, 3))
    def ask_them(self, user: str, kind: str, which: int) -> Any:
        name = f"{kind}-{which}"
        _, outcome = self.type(user, f"request words halt {name}")
        made = self.note(outcome, user, name, lifts=True)
        assert (made is not None) == (self.roles[user] < Role.OPERATOR)
        return made if made is not None else multiple()

    @rule(target=said, user=st.sampled_from(PEOPLE), question=questions, how=HOW)
    def answer(self, user: str, question: str, how: str) -> Request:
        words = {"yes": f"yes {question}", "no": f"no {question}", "because": f"yes {question} because it burns"}[how]
        request, _ = self.type(user, words)
        self.expect(user, question, how)
        return request

    def expect(self, user: str, question: str, how: str) -> None:
        """What an answer does, by the rules of the design and in no other words than these."""
        one = self.asked[question]
        if one.answer is not None or self.house.clock.now() >= one.expires:
            return
        may = self.roles[user] >= Role.OPERATOR
        if how == "no":
            one.answer = "no" if may or user == one.asker else None
        elif may and (not one.second or user != one.asker or how == "because"):
            one.answer, one.by = "yes", user

    @rule(target=said, asker=st.sampled_from(PEOPLE), by=st.sampled_from(PEOPLE), kind=KINDS, how=HOW, killed=st.booleans())
    def whole_way(self, asker: str, by: str, kind: str, how: str, killed: bool) -> Any:
        """Asked, answered and worked on without a pause, as most are."""
        which = len(self.asked)
        made = self.ask(asker, kind, which) if self.roles[asker] >= Role.OPERATOR else self.ask_them(asker, kind, which)
        said = self.answer(by, made, how)
        self.do_all_work(killed)
        return said

    @rule(request=said)
    def repeat(self, request: Request) -> None:
        """The same payload once more: it is known. And were it run again all the same, it would change nothing."""
        assert not self.do(self.work.accept(request, work_id=f"r-{request.id}", kind="request", queue="reads"))
        writes = len(self.outside.writes)
        held = {question: one.answer for question, one in self.asked.items() if one.answer is not None}
        outcome = self.run(request)
        self.expect(request.actor.user_id, request.words.split()[1], "no" if request.words[:2] == "no" else _how(request))
        assert outcome is None or outcome.started is None or outcome.started not in held
        assert len(self.outside.writes) == writes

    @rule(user=st.sampled_from(PEOPLE), question=questions)
    def forge(self, user: str, question: str) -> None:
        """A request that says it has a yes, with other words than were asked; and a yes to a question that nobody stored."""
        before = len(self.outside.writes)
        self.type(user, "yes ask-000000000000 because it burns")
        one = self.asked[question]
        words = "halt second-9" if one.answer == "yes" else f"halt {one.name}"
        forged = self.house.request(words, Actor(team_id=TEAM, user_id=user), Door.COMMAND, approval=question)
        self.run(forged)
        assert len(self.outside.writes) == before

    @rule(user=st.sampled_from(PEOPLE), role=st.sampled_from((Role.VIEWER, Role.OPERATOR, Role.ADMIN)))
    def change_role(self, user: str, role: Role) -> None:
        self.roles[user] = role

    @rule(minutes=st.sampled_from((1, 20, 45)))
    def time_passes(self, minutes: int) -> None:
        self.house.clock.move(minutes=minutes)

    @rule()
    def restart(self) -> None:
        """New processes, and a Valkey that has forgotten its scripts."""
        self.do(self.redis.script_flush())
        self.do(self.redis.aclose())
        self.redis = Redis.from_url(self.url)
        self.connect()

    @rule(killed=st.booleans())
    def do_all_work(self, killed: bool) -> None:
        """Workers take what there is to do. Killed before they could say that it is done, others take it again."""
        self.do(asyncio.sleep(0.003))
        for question in self.asked:
            work: Work | None = self.do(self.work.claim(question))
            if work is not None:
                self.do_one(question, work, killed)

    def do_one(self, question: str, work: Work, killed: bool) -> None:
        assert self.asked[question].answer == "yes"
        outcome = self.run(work.request)
        assert outcome is None or outcome.asked is None
        if not killed:
            self.do(self.work.advance(work, "done"))

    @invariant()
    def a_spent_yes_has_its_work_and_nothing_else_has(self) -> None:
        for question, one in self.asked.items():
            answer, by = self.do(self.redis.hmget(keys.approval(question), ["answer", "by"]))
            assert (answer.decode() if answer else None) == one.answer
            assert bool(self.do(self.redis.exists(keys.work(question)))) == (one.answer == "yes")
            if one.answer == "yes":
                assert by.decode() == one.by

    @invariant()
    def each_write_had_a_yes_for_exactly_that(self) -> None:
        for name, request in self.outside.writes:
            one = self.asked[request.approval or ""]
            assert one.answer == "yes"
            assert (one.name, one.asker) == (name, request.actor.user_id)

    def teardown(self) -> None:
        YesMachine.written += len(self.outside.writes)
        if hasattr(self, "redis"):
            self.do(self.redis.aclose())
        self.loop.close()


def _how(request: Request) -> str:
    return "because" if "because" in request.words else "yes"


def test_nothing_is_written_without_a_spent_yes_and_a_spent_yes_always_has_its_work(valkey: str) -> None:
    run: Any = run_state_machine_as_test
    run(
        lambda: YesMachine(valkey),
        settings=settings(
            max_examples=200,
            stateful_step_count=30,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert YesMachine.written > 100
