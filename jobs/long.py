"""Long work: one short step after the other, each one transition; at the end one new message that names who asked.

Steps belong to the operation (`Operation.steps`); here they are claimed, put off, ended and told. A step that fails in passing is
put off; whatever else goes wrong ends the work, and what is told says what bills then.
"""

import asyncio
from dataclasses import replace

import orjson
import structlog
from redis.exceptions import RedisError

from bot.errors import BotError, RetryLater, WeMoveNext
from bot.nouns import Effect, SeenBy
from bot.operations import access
from bot.operations.course import AFTERWARDS, BILLS, DONE, STOP, Course, Ended, Move
from bot.operations.operation import AnyOperation, Context
from bot.operations.telling import told, unexpected
from bot.ports import Question
from bot.store.long_work import LongWorkStore
from bot.view import Button, Mention, View, bold, line, plain
from jobs.deliver import PART, Among, directly, result, route
from jobs.steps import BACKOFF_S, CLAIMS_LIMIT, LeaseLostError, Step, reference

log = structlog.get_logger()

ENDED = "ended"
"""The state in which only the final message is owed."""

STEP_S = 60.0
"""The bound on one step, far below RQ's own; what it called may have arrived, so the next try looks first."""

ROOT_PAUSE_S = 0.5
"""Between looks for the first message of the work, which its request still owes."""

NOT_STARTED = "Nothing was begun outside, so nothing bills."


async def long(step: Step) -> None:
    """Take steps until one waits, or until the end stands. Raises LeaseLostError and redis errors; all else ends here."""
    try:
        await _find_root(step)
        while step.work.state != ENDED:
            if not await _transition(step) or step.work.state == DONE:
                return
        await _tell(step)
    except RetryLater as error:
        await _put_off(step, error)
    except (BotError, LeaseLostError, RedisError):
        raise
    except Exception:
        log.exception("long work stumbled", work=step.work.id, ref=reference(step.work.id))
        if _tries(step) >= CLAIMS_LIMIT:
            raise
        await _put_off(step, RetryLater("Something of ours went wrong."))


async def _transition(step: Step) -> bool:
    """One step and the one transition it makes. False when the work waits now.

    With every transition the work gets on: `steady` is the lease under which it last did, and tries are counted anew.
    """
    operation = next(one for one in step.registry if one.path == step.work.kind)
    stopping = "1" if _stops(step, operation) else step.work.data.get("stopping", "")
    came = await _came(step, operation)
    if isinstance(came, Ended):
        settled = "" if came.settled is None else came.settled.model_dump_json()
        await step.move(ENDED, view=came.view.model_dump_json(), settled=settled, steady=str(step.work.fence), tries="0")
        return True
    notes = orjson.dumps({**_notes(step), **came.notes}).decode()
    shown = "" if came.progress is None else plain(came.progress.verdict)
    fresh = shown and shown != step.work.data.get("shown")
    if came.progress is None or not fresh:
        await step.move(came.to, wait_s=came.wait_s, notes=notes, steady=str(step.work.fence), tries="0", stopping=stopping)
        return came.wait_s is None
    await step.move(came.to, notes=notes, shown=shown, steady=str(step.work.fence), tries="0", stopping=stopping)
    await _show(step, operation, came.progress)
    if came.wait_s is not None:
        await step.move(came.to, wait_s=came.wait_s)
    return came.wait_s is None


async def _came(step: Step, operation: AnyOperation) -> Move | Ended:
    """What the step says of how to go on. Raises RetryLater, redis errors and LeaseLostError; every other fault is an end."""
    if step.work.fence - int(step.work.data.get("steady", "0")) > CLAIMS_LIMIT:
        return _broken(step)
    try:
        async with asyncio.timeout(max(STEP_S, operation.timeout)):
            return await _taken(step, operation)
    except TimeoutError:
        raise RetryLater(
            f"A step of {step.work.id} took longer than {max(STEP_S, operation.timeout):g} s.", arrived=None
        ) from None
    except (RetryLater, RedisError, LeaseLostError):
        raise
    except BotError as error:
        ref = reference(step.work.id)
        log.warning("long work failed", work=step.work.id, state=step.work.state, ref=ref, why=str(error))
        error.telling = replace(error.telling, billing=error.telling.billing or _bills(step))
        return Ended(told(error, ref))
    except Exception:
        log.exception("step of long work failed", work=step.work.id, state=step.work.state, ref=reference(step.work.id))
        return _broken(step)


async def _taken(step: Step, operation: AnyOperation) -> Move | Ended:
    course = await _course(step, operation)
    came: Move | Ended = await operation.steps[STOP if _stops(step, operation) else step.work.state](course)
    return came


def _stops(step: Step, operation: AnyOperation) -> bool:
    """Whether somebody asked to stop and that was not carried out yet."""
    return "stop" in step.work.data and not step.work.data.get("stopping") and STOP in operation.steps


async def _course(step: Step, operation: AnyOperation) -> Course:
    """The step's view of the work. Roles are looked up again only by what asks for them: the yes was given to this very work."""
    work, services = step.work, step.runtime.services
    request = work.request
    services = replace(services, grants=await access.grants_of(services))
    context = Context(
        services,
        request.actor,
        operation.role,
        request.place,
        services.clock.now(),
        " ".join(operation.words),
        request.id,
        request,
    )
    question = await _yes(step)
    arguments = operation.arguments.model_validate_json(work.data["arguments"])
    return Course(work.id, context, arguments, _notes(step), question, work.data.get("root"))


async def _yes(step: Step) -> Question | None:
    """The question whose yes set this work free, where one was asked."""
    approval = step.work.request.approval
    return await step.runtime.services.approvals.get(approval) if approval is not None else None


def _notes(step: Step) -> dict[str, str]:
    found: dict[str, str] = orjson.loads(step.work.data.get("notes", "{}"))
    return found


def _bills(step: Step) -> str:
    return _notes(step).get(BILLS, NOT_STARTED)


def _broken(step: Step) -> Ended:
    """Our own fault, with what bills now."""
    view = unexpected(reference(step.work.id))
    return Ended(view.model_copy(update={"lines": (line(_bills(step)), *view.lines)}))


async def _put_off(step: Step, error: RetryLater) -> None:
    """Look again later, each time a little later."""
    tries = _tries(step) + 1
    wait = error.after_s if error.after_s is not None else BACKOFF_S[min(tries, len(BACKOFF_S)) - 1]
    log.info("put off", work=step.work.id, state=step.work.state, ref=reference(step.work.id), why=str(error))
    await step.move(step.work.state, wait_s=wait, tries=str(tries), steady=str(step.work.fence))


def _tries(step: Step) -> int:
    return int(step.work.data.get("tries", "0"))


async def _find_root(step: Step) -> None:
    """Note where the first message of this work stands, once it does: it is the request's own answer."""
    if "root" in step.work.data:
        return
    found = await _store(step).first_message(step.work.data["origin"], (PART, directly(PART)))
    if found is not None:
        await step.move(step.work.state, root=" ".join(found))


def _store(step: Step) -> LongWorkStore:
    return LongWorkStore(step.runtime.redis, queue=step.work.queue, kick_s=0)


async def _show(step: Step, operation: AnyOperation, progress: View) -> None:
    """Progress in the place of the first message. It may be dropped: the next one says more, and the end is told anyhow.

    Where it brings a button of its own that ends the work, it needs no other.
    """
    root = step.work.data.get("root")
    if root is None:
        return
    channel, _, ts = root.partition(" ")
    own = any(button.words.endswith(f" {step.work.id}") for button in progress.buttons)
    stop = Button(label=f"Stop {step.work.id}", words=f"cancel {step.work.id}")
    view = progress.model_copy(update={"buttons": (*progress.buttons, *([stop] if STOP in operation.steps and not own else []))})
    try:
        await step.runtime.slack.update(channel, ts, view, urgent=False)
    except BotError as error:
        log.debug("progress dropped", work=step.work.id, why=str(error))


async def _tell(step: Step) -> None:
    """The one final message: a new reply below the first one, naming who asked; then the work is done."""
    view = View.model_validate_json(step.work.data["view"])
    await _audit(step, plain(view.verdict))
    where = await _where(step)
    if where is None:
        await step.move(ENDED, wait_s=ROOT_PAUSE_S, steady=str(step.work.fence))
        return
    named = view.model_copy(update={"mention": Mention(id=step.work.request.actor.user_id)})
    try:
        await result(step, named, where)
    except WeMoveNext:
        log.exception("result refused by Slack", work=step.work.id, ref=reference(step.work.id))
        await result(step, _broken(step).view.model_copy(update={"mention": named.mention}), where)
    await _settle_root(step, view)
    await step.move("done")
    await _afterwards(step)


async def _afterwards(step: Step) -> None:
    """What the operation does when all is said. Nobody waits for it, so nothing that goes wrong there is anybody's trouble."""
    operation = next(one for one in step.registry if one.path == step.work.kind)
    if AFTERWARDS in operation.steps:
        try:
            await operation.steps[AFTERWARDS](await _course(step, operation))
        except (BotError, RedisError) as error:
            log.info("not done afterwards", work=step.work.id, why=str(error))


async def _where(step: Step) -> Among | None:
    """Below the first message. None while that may still come; a root of its own when it never will."""
    request = step.work.request
    usual = route(request, SeenBy.CHANNEL)
    thread = usual.thread if isinstance(usual, Among) else None
    owed = "root" not in step.work.data and await _store(step).is_open(step.work.data["origin"])
    await _find_root(step)  # after that look: it may have come since the claim, in the very moment too
    root = step.work.data.get("root")
    if root is not None:
        channel, _, ts = root.partition(" ")
        return Among(channel, thread if channel == request.place.channel and thread else ts)
    return None if owed else Among(request.place.channel, thread)


async def _settle_root(step: Step, view: View) -> None:
    """The first message says how it ended, for whoever scrolls by. Droppable."""
    root = step.work.data.get("root")
    if root is None:
        return
    channel, _, ts = root.partition(" ")
    closed = View(verdict=line(bold(f"{step.work.id} has ended: "), *view.verdict), shape=view.shape)
    if step.work.data.get("settled"):
        closed = View.model_validate_json(step.work.data["settled"])
    try:
        await step.runtime.slack.update(channel, ts, closed, urgent=bool(step.work.data.get("settled")))
    except BotError as error:
        log.info("first message left as it was", work=step.work.id, why=str(error))


async def _audit(step: Step, ended: str) -> None:
    """How it ended, once it did; written again only by whoever takes over just then."""
    operation = next(one for one in step.registry if one.path == step.work.kind)
    if operation.effect is Effect.READS or "audited" in step.work.data:
        return
    request, question = step.work.request, await _yes(step)
    entry = {
        "at": step.runtime.services.clock.now().isoformat(),
        "who": request.actor.user_id,
        "door": request.door,
        "operation": operation.path,
        "said": request.words[:300],
        "arguments": step.work.data["arguments"],
        "approval": request.approval or "",
        "yes_by": (question.spent_by or "") if question is not None else "",
        "because": "",
        "ended": f"{step.work.id}: {ended}",
    }
    await step.runtime.services.audit.note(request.actor.team_id, entry)
    await step.move(ENDED, audited="1")
