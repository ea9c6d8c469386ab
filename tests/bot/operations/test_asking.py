"""Who may say yes: a second person, those with the role, in an emergency the asker alone; and where it may be changed."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from house_doubles import HouseInMemory
from pydantic import BaseModel

from bot.errors import RefusedError, UsageError
from bot.nouns import Actor, Deployment, Effect, Role, SeenBy
from bot.operations.approvals import NO, YES
from bot.operations.asking import ask_operation
from bot.operations.command_line import parse
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview, Registry
from bot.operations.planned import PLANNED
from bot.operations.telling import told
from bot.operations.values import GivenName
from bot.ports import Grants, Question
from bot.requests import Door, Place, Request
from bot.view import View, line, plain
from handlers.old_tools import COMING

GRANTS = Grants(admins=("UADMIN",), operators=("UOPS", "UOPS2"))


class Which(Arguments):
    deployment: GivenName | None = None


class Done(BaseModel):
    by: str


@dataclass
class Book:
    """Questions in memory; `works` is what a yes began."""

    questions: dict[str, Question] = field(default_factory=dict)
    declined: set[str] = field(default_factory=set)
    works: list[Request] = field(default_factory=list)

    async def ask(self, question: Question) -> None:
        self.questions.setdefault(question.id, question)

    async def get(self, question_id: str) -> Question | None:
        return self.questions.get(question_id)

    async def waiting(self, team_id: str, now: datetime) -> tuple[Question, ...]:
        del team_id
        return tuple(one for one in self.questions.values() if one.spent_by is None and one.expires_at > now)

    async def spend(self, question: Question, by: Actor) -> bool:
        if self.questions[question.id].spent_by is not None or question.id in self.declined:
            return False
        self.questions[question.id] = question.model_copy(update={"spent_by": by.user_id})
        self.works.append(question.request.model_copy(update={"id": question.id, "approval": question.id}))
        return True

    async def decline(self, question: Question, by: Actor) -> bool:
        del by
        self.declined.add(question.id)
        return True


@dataclass
class Stage:
    """One operation that writes down when it ran, and everybody who may press something."""

    world: Any
    needs: Consent = Consent.SECOND_PERSON
    role: Role = Role.OPERATOR
    book: Book = field(default_factory=Book)
    house: HouseInMemory = field(default_factory=lambda: HouseInMemory(grants=GRANTS))
    ran: list[str] = field(default_factory=list)

    @property
    def registry(self) -> Registry:
        async def run(context: Context, _arguments: Which) -> Done:
            self.ran.append(context.actor.user_id)
            return Done(by=context.actor.user_id)

        async def preview(_context: Context, _arguments: Which) -> Preview:
            return Preview(needs=self.needs, verdict=line("It stops prod"))

        def show(_done: Done, _context: Context) -> View:
            return View(verdict=line("done"))

        stop = Operation("halt", "", "", "halt", Which, Effect.DESTROYS, self.role, SeenBy.CHANNEL, run, show, preview=preview)
        return (stop, YES, NO, ask_operation(lambda: self.registry))

    async def say(self, user: str, words: str, channel: str = "C1") -> Outcome:
        services = replace(self.world.services(), house=self.house.house(), approvals=self.book, audit=self.house)
        actor, place = Actor(team_id="T1", user_id=user), Place(channel=channel)
        asked = Request(id=f"{user}-{words}"[:40], door=Door.COMMAND, actor=actor, place=place, words=words, at=self.world.now)
        return await execute(self.registry, services, asked)

    async def work(self) -> Outcome:
        """Do what a yes began."""
        services = replace(self.world.services(), house=self.house.house(), approvals=self.book, audit=self.house)
        return await execute(self.registry, services, self.book.works[-1])


@pytest.fixture
def stage(world: Any) -> Stage:
    return Stage(world)


async def test_an_on_call_breaks_the_glass_with_a_reason_and_the_admins_hear_of_it(stage: Stage) -> None:
    asked = (await stage.say("UOPS", "halt")).asked
    with pytest.raises(RefusedError, match="A second person") as refused:
        await stage.say("UOPS", f"yes {asked}")
    assert f"/gemma yes {asked} because REASON" in refused.value.telling.next_step
    outcome = await stage.say("UOPS", f"yes {asked} because the site is down")
    assert "the site is down" in plain(outcome.view.verdict)
    assert "@UADMIN" in plain(outcome.view.lines[0])
    await stage.work()
    assert stage.ran == ["UOPS"]
    *_, yes, ran = stage.house.entries
    assert (yes["operation"], yes["because"]) == ("yes", "the site is down")
    assert (ran["who"], ran["yes_by"]) == ("UOPS", "UOPS")


@pytest.mark.parametrize("typed", ["because", "because   ", "because="])
async def test_a_glass_is_not_broken_without_a_reason(stage: Stage, typed: str) -> None:
    asked = (await stage.say("UOPS", "halt")).asked
    with pytest.raises((RefusedError, UsageError)):
        await stage.say("UOPS", f"yes {asked} {typed}")
    assert not stage.book.works


async def test_a_viewer_breaks_nothing(stage: Stage) -> None:
    asked = (await stage.say("UOPS", "halt")).asked
    with pytest.raises(RefusedError, match="Only operators"):
        await stage.say("UDANA", f"yes {asked} because I want to")
    assert not stage.book.works


async def test_a_second_person_with_a_reason_mentions_nobody(stage: Stage) -> None:
    asked = (await stage.say("UOPS", "halt")).asked
    outcome = await stage.say("UOPS2", f"yes {asked} because I looked at it")
    assert not outcome.view.lines


async def test_a_viewers_request_runs_when_one_with_the_role_says_yes(stage: Stage) -> None:
    with pytest.raises(RefusedError) as refused:
        await stage.say("UDANA", "halt prod")
    (button,) = told(refused.value, asked="halt prod").buttons
    assert button.label == "Ask them"
    asked = (await stage.say("UDANA", button.words)).result
    assert asked is not None
    question = asked["question"]["id"]
    with pytest.raises(RefusedError, match="Only operators"):
        await stage.say("UERIK", f"yes {question}")
    assert not stage.ran
    await stage.say("UOPS", f"yes {question}")
    await stage.work()
    assert stage.ran == ["UDANA"]


async def test_the_yes_lifts_nobody_when_who_gave_it_lost_the_role_meanwhile(stage: Stage) -> None:
    asked = (await stage.say("UDANA", "request words halt")).result
    assert asked is not None
    await stage.say("UOPS", f"yes {asked['question']['id']}")
    stage.house.grants = Grants(admins=("UADMIN",))
    with pytest.raises(RefusedError, match="Only operators"):
        await stage.work()
    assert not stage.ran


async def test_the_yes_lifts_only_the_very_request_that_was_asked(stage: Stage) -> None:
    asked = (await stage.say("UDANA", "request words halt prod")).result
    assert asked is not None
    await stage.say("UOPS", f"yes {asked['question']['id']}")
    stage.book.works[-1] = stage.book.works[-1].model_copy(update={"words": "halt"})
    with pytest.raises(RefusedError):
        await stage.work()
    assert not stage.ran


async def test_an_operators_yes_does_not_reach_what_needs_an_admin(world: Any) -> None:
    stage = Stage(world, role=Role.ADMIN)
    asked = (await stage.say("UDANA", "request words halt")).result
    assert asked is not None
    with pytest.raises(RefusedError, match="Only admins"):
        await stage.say("UOPS", f"yes {asked['question']['id']}")


async def test_a_request_that_waited_too_long_is_not_run(stage: Stage) -> None:
    asked = (await stage.say("UDANA", "request words halt")).result
    assert asked is not None
    stage.world.now += timedelta(hours=2)
    with pytest.raises(UsageError, match="expired"):
        await stage.say("UOPS", f"yes {asked['question']['id']}")


async def test_who_may_do_it_is_told_to_do_it(stage: Stage) -> None:
    with pytest.raises(UsageError, match="yourself"):
        await stage.say("UOPS", "request words halt")


async def test_a_deployment_is_changed_from_its_own_channels_only(world: Any) -> None:
    world.deployments = [Deployment(name="prod", channels=("CPROD",)), Deployment(name="lab")]
    stage = Stage(world, needs=Consent.AT_ONCE)
    for words in ("halt prod", "halt"):
        with pytest.raises(RefusedError, match="#CPROD only"):
            await stage.say("UOPS", words)
    assert not stage.ran
    await stage.say("UOPS", "halt lab")
    await stage.say("UOPS", "halt prod", channel="CPROD")
    assert len(stage.ran) == 2


@pytest.mark.parametrize("word", sorted(PLANNED))
def test_a_word_that_is_not_built_says_so(stage: Stage, word: str) -> None:
    with pytest.raises(UsageError, match=f"“{word}” is not built yet"):
        parse(stage.registry, f"{word} something else")


def test_the_old_tools_that_are_still_to_come_use_words_that_are_planned_or_there(stage: Stage) -> None:
    for word in COMING.values():
        first = word.split()[0]
        assert first in PLANNED or first in {"machine", "health"}, word
