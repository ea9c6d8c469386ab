"""`ask`: a question in plain words, answered by Gemma in its thread, with every figure checked."""

import asyncio
import contextlib
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

from pydantic import BaseModel, model_validator

from bot.errors import NotConnectedError, PersonMovesNext, RetryLater
from bot.nouns import Answer, Effect, Exchange, Heard, Role, SeenBy
from bot.operations import choice, course, triage
from bot.operations.ask_view import SURE, stopped, view_of, waiting
from bot.operations.operation import Arguments, Context, Operation, Queue, Started
from bot.operations.unneeded import UNNEEDED
from bot.operations.values import Sentence
from bot.ports import Advanced, Answerer, Inquiry, Thread
from bot.requests import Door, Request
from bot.view import Button, Line, View, bold, line

PATH = "ask"
KEPT_FOR = timedelta(minutes=15)
"""How long a question waits for a Gemma that does not answer (design section 6)."""
TRIES = 3
"""Failures of the model in a row before the person is told what can be said without it."""
SOON_S = 2.0
LOOK_AGAIN_S = 10.0
ROOT_S = 0.5
IN_LINE_S = 15.0
"""Between two looks of one who waits in line: whoever ends wakes the next, so this is for turns whose process died just then."""
LOOK_S = 1.0
"""Between two looks for a press of Stop while Gemma is asked."""
SHOWN = 70
"""Characters of a question that stand in its first message."""
TOLD_EVERY = 6
"""Of these looks one tells anew how things stand: about once a minute, for each asks the whole machine."""
ROOT_TRIES = 20
"""Looks for the first message of a question that was asked outside a thread: it makes the thread."""


class AskArguments(Arguments):
    """The question as it was typed. Its last word `stats` asks how fast the answer was made."""

    question: Sentence
    stats: bool = False

    @model_validator(mode="before")
    @classmethod
    def _stats_last(cls, given: Any) -> Any:
        said = given.get("question") if isinstance(given, dict) else None
        if not isinstance(said, str) or "stats" in given:
            return given
        words = said.split()
        asked = len(words) > 1 and words[-1].lower() == "stats" and words[-2].lower() not in {"the", "my", "these", "of", "any"}
        return {**given, "question": said.rstrip()[: -len("stats")].rstrip(" ,"), "stats": True} if asked else given


class Asked(BaseModel):
    """The question and its answer."""

    question: str
    stats: bool
    answer: Answer


async def run(context: Context, arguments: AskArguments) -> Asked | Started:
    """Begin it as work, so that it can be followed, stopped and survives; where there is no store, answer here and now."""
    answerer = answerer_of(context)
    if context.services.long_work is not None:
        said = "on it" if _thread_in(context) is not None else f"“{_short(arguments.question)}”, on it"
        started = await course.begin(context, PATH, arguments, said, queue=Queue.ANSWERS)
        await _stand_in_line(context, started.work_id)
        return started
    inquiry = await _inquiry(context, arguments)
    return Asked(question=arguments.question, stats=arguments.stats, answer=await answerer.answer(inquiry))


async def _stand_in_line(context: Context, work_id: str) -> None:
    """At once, so that answers follow the order of the questions and not that of the workers."""
    thread = _thread_in(context)
    if context.services.conversations is not None and thread is not None:
        await context.services.conversations.my_turn(thread, work_id, _asked_at(context))


def answerer_of(context: Context) -> Answerer:
    """Who answers. Raises NotConnectedError where no Gemma is configured."""
    if context.services.answerer is None:
        raise NotConnectedError("Gemma", "MODEL_BASE_URL")
    return context.services.answerer


async def _inquiry(context: Context, arguments: AskArguments, thread: Thread | None = None) -> Inquiry:
    """The question with what was said before it. That the thread cannot be read is no reason not to answer."""
    request = context.request
    if request is None:
        request = Request(
            id="0", door=Door.TERMINAL, actor=context.actor, place=context.place, words=arguments.question, at=context.now
        )
    conversations, threads = context.services.conversations, context.services.threads
    root: Heard | None = None
    if threads is not None and context.place.thread is not None:
        try:
            root = await threads.root(context.place.channel, context.place.thread)
        except (RetryLater, PersonMovesNext):
            root = None
    earlier = () if conversations is None or thread is None else await conversations.exchanges(thread)
    return Inquiry(
        request=request,
        question=arguments.question,
        deployment=await choice.deployment(context, None),
        earlier=earlier,
        root=root,
        stats=arguments.stats,
    )


def _thread_in(context: Context) -> Thread | None:
    """The thread that a question was asked in. None where nobody saw it asked: by a command, or by a button
    in what only one person sees."""
    ts = context.place.thread or context.place.message
    by_command = context.request is not None and context.request.door is Door.COMMAND
    if ts is None or by_command or context.place.ephemeral:
        return None
    return Thread(team_id=context.services.team_id, channel=context.place.channel, thread=ts)


def _asked_at(context: Context) -> float:
    return context.request.at.timestamp() if context.request is not None else 0.0


def thread_of(of: course.Course) -> Thread | None:
    """The thread of a question: the one it was asked in, or the one that its first message begins. None: not known yet."""
    within = _thread_in(of.context)
    if within is not None or of.root is None:
        return within
    channel, _, ts = of.root.partition(" ")
    return Thread(team_id=of.context.services.team_id, channel=channel, thread=ts)


async def _has_turn(of: course.Course, thread: Thread | None) -> bool:
    conversations = of.context.services.conversations
    if conversations is None or thread is None:
        return True
    return await conversations.my_turn(thread, of.work_id, _asked_at(of.context))


async def begin(of: course.Course) -> course.Move | course.Ended:
    """Wait for one's turn, then gather what was said before."""
    thread, looks = thread_of(of), int(of.notes.get("looks", "0"))
    if thread is None and looks < ROOT_TRIES:
        return course.Move("new", notes={"looks": str(looks + 1)}, wait_s=ROOT_S)
    if not await _has_turn(of, thread):
        return course.Move("new", wait_s=IN_LINE_S, progress=waiting(of.work_id))
    inquiry = await _inquiry(of.context, of.arguments, thread)
    return course.Move("go", notes={"inquiry": inquiry.model_dump_json(), "kept": ""})


async def go(of: course.Course) -> course.Move | course.Ended:
    """One step of the answerer. What it kept is written down with the transition, so nothing is asked twice."""
    inquiry = Inquiry.model_validate_json(of.notes["inquiry"])
    try:
        came = await _unless_stopped(of, answerer_of(of.context).advance(inquiry, of.notes.get("kept", "")))
    except RetryLater as error:
        return await _failed(of, inquiry, str(error))
    if came is None:
        return course.Move("go", wait_s=0)
    if came.answer is None:
        return course.Move("go", notes={"kept": came.kept, "failures": "0"}, progress=_looking(of, came.looking))
    return await _ended(of, inquiry, came.answer)


async def _unless_stopped(of: course.Course, step: Coroutine[Any, Any, Advanced]) -> Advanced | None:
    """The step; or None as soon as somebody asked to stop, and the model is hung up on. A look costs one read a second."""
    taking = asyncio.create_task(step)
    try:
        while True:
            done, _ = await asyncio.wait({taking}, timeout=LOOK_S)
            if await of.context.services.work.asked_to_stop(of.work_id):
                return None
            if done:
                return await taking
    finally:
        taking.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await taking


async def _ended(of: course.Course, inquiry: Inquiry, answer: Answer) -> course.Ended:
    """Remember what was said, then say it: whoever takes over says the same."""
    conversations, thread = of.context.services.conversations, thread_of(of)
    if conversations is not None and thread is not None:
        said = Exchange(
            id=of.work_id,
            question=inquiry.question,
            asked_by=inquiry.request.actor.user_id,
            at=inquiry.request.at,
            answer="\n".join(answer.lines),
            readings=answer.readings,
        )
        await conversations.remember(thread, said)
    return course.Ended(view_of(answer, stats=inquiry.stats), settled=_settled(of, answer))


async def _failed(of: course.Course, inquiry: Inquiry, why: str) -> course.Move | course.Ended:
    """Gemma does not answer: tried again soon; then the person is told what rules say without it, and the question waits."""
    failures = int(of.notes.get("failures", "0")) + 1
    notes = {"failures": str(failures)}
    since = of.context.request.at if of.context.request is not None else of.context.now
    if of.context.now - since >= KEPT_FOR and failures >= TRIES:
        gone = line("I kept the question for 15 minutes; now it is dropped. Ask again when Gemma answers.")
        return course.Ended(await _without_gemma(of, inquiry, why, gone))
    if failures < TRIES:
        return course.Move("go", notes=notes, wait_s=SOON_S)
    if (failures - TRIES) % TOLD_EVERY:
        return course.Move("go", notes=notes, wait_s=LOOK_AGAIN_S)
    kept = line("Your question is kept for 15 minutes and answered here as soon as Gemma answers.")
    shown = await _without_gemma(of, inquiry, why, kept)
    not_needed = Button(label="Not needed", words=f"{UNNEEDED.path} {of.work_id}")
    progress = shown.model_copy(update={"buttons": (*shown.buttons, not_needed)})
    return course.Move("go", notes=notes, wait_s=LOOK_AGAIN_S, progress=progress)


async def _without_gemma(of: course.Course, inquiry: Inquiry, why: str, about_the_question: Line) -> View:
    """What can be said without the model, and what becomes of the question."""
    found = await triage.look(of.context, inquiry.deployment, why)
    return found.model_copy(update={"lines": (*found.lines, about_the_question)})


async def afterwards(of: course.Course) -> None:
    """The next question of the thread has its turn at once."""
    conversations, thread = of.context.services.conversations, thread_of(of)
    if conversations is not None and thread is not None:
        await conversations.wake_next(thread, of.work_id)


async def stop(of: course.Course) -> course.Ended:
    """Nothing outside has to be undone."""
    return course.Ended(stopped(of.work_id))


def _looking(of: course.Course, what: str) -> View | None:
    """What it looks at now. Few of these: all edits of a workspace share one limit."""
    stop = Button(label=f"Stop {of.work_id}", words=f"{UNNEEDED.path} {of.work_id}")
    return None if not what else View(verdict=line(bold(f"{of.work_id}: {what[:1].lower()}{what[1:]}…")), buttons=(stop,))


def _short(question: str) -> str:
    """A question in one line of a phone."""
    flat = " ".join(question.split())
    return flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 1]}…"


def _settled(of: course.Course, answer: Answer) -> View:
    """What the first message says in the end: what was asked and looked at."""
    looked = ", ".join(dict.fromkeys(one.words for one in answer.readings)) or "nothing"
    asked = "" if _thread_in(of.context) is not None else f"“{_short(of.arguments.question)}” "
    return View(verdict=line(f"{of.work_id}: {asked}answered below"), lines=(line(f"Looked at: {looked}"[:300]),))


def show(found: Asked, context: Context) -> View:
    """The answer, for who waited for it. Where no talk is remembered, nothing can be asked about it."""
    view = view_of(found.answer, stats=found.stats)
    remembered = context.services.conversations is not None
    return view if remembered else view.model_copy(update={"buttons": tuple(one for one in view.buttons if one.words != SURE)})


ASK: Operation[AskArguments, Asked] = Operation(
    path=PATH,
    summary="a question in plain words, answered from what Gemma looks up",
    when_to_use="To ask why something is slow, what changed, whether something is safe: each figure of the answer is checked.",
    example="ask why is prod slow?",
    arguments=AskArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.CHANNEL,
    queue=Queue.READS,
    timeout=180.0,
    run=run,
    show=show,
    steps={"new": begin, "go": go, course.STOP: stop, course.AFTERWARDS: afterwards},
    was=("query_queued_gemma4", "query_queued_gemma4_with_stats"),
)
