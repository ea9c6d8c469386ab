"""The kind of work behind every request: run its operation once, owe its answer until it stands."""

import asyncio
import contextlib

import structlog
from redis.exceptions import RedisError

from bot.errors import BotError, PersonMovesNext, RefusedError, UsageError, WeMoveNext
from bot.nouns import Role, SeenBy
from bot.operations.command_line import parse
from bot.operations.execute import Outcome, early, execute
from bot.operations.telling import told, unexpected
from bot.requests import Door
from jobs.deliver import Alone, deliver, replaces, route
from jobs.steps import CLAIMS_LIMIT, LeaseLostError, Step, reference

log = structlog.get_logger()

EARLY_AFTER_S = 0.3
"""A reader who would wait longer than this is shown what is remembered first."""


async def answer(step: Step) -> None:
    """new -> answered -> done. The answer is stored before it is sent: whoever takes over sends the same one."""
    if step.work.state == "new":
        outcome = await _outcome(step) if step.work.fence <= CLAIMS_LIMIT else _failed(step)
        await step.move("answered", outcome=outcome.model_dump_json(), view=outcome.view.model_dump_json())
        if outcome.started is not None:
            await step.kick(outcome.started, outcome.queue)
    outcome = Outcome.model_validate_json(step.work.data["outcome"])
    try:
        await deliver(step, outcome)
    except WeMoveNext:
        log.exception("answer refused by Slack", work=step.work.id, ref=reference(step.work.id))
        await deliver(step, _failed(step, outcome.seen_by))
    await step.move("done")


def _failed(step: Step, seen_by: SeenBy = SeenBy.YOU) -> Outcome:
    return Outcome(path="", view=unexpected(reference(step.work.id)), seen_by=seen_by)


async def _outcome(step: Step) -> Outcome:
    """What came of it, or how it failed, in words. Our own faults are logged with the reference that the person sees.

    That memory (Redis) went away is nobody's answer: it is raised, and the step is taken again.
    """
    request, services = step.work.request, step.runtime.services
    running = asyncio.create_task(execute(step.registry, services, request))
    try:
        await asyncio.wait({running}, timeout=EARLY_AFTER_S)
        if not running.done():
            await _show_early(step)
        return await running
    except BotError as error:
        ref = reference(step.work.id)
        log.info("refused or failed", work=step.work.id, ref=ref, error=type(error).__name__, why=str(error))
        shown = None if isinstance(error, PersonMovesNext) else ref
        return Outcome(path="", view=told(error, shown, _to_ask_for(step, error)), seen_by=SeenBy.YOU)
    except (RedisError, LeaseLostError):
        raise
    except Exception:
        log.exception("operation failed", work=step.work.id, ref=reference(step.work.id))
        return _failed(step)
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await running


def _to_ask_for(step: Step, error: BotError) -> str | None:
    """The words of a request that was refused for want of a role, so that those who have it can be asked."""
    if not isinstance(error, RefusedError) or not error.needs:
        return None
    with contextlib.suppress(UsageError):
        words = step.work.request.words
        return words if parse(step.registry, words).operation.role > Role.VIEWER else None
    return None


async def _show_early(step: Step) -> None:
    """What is remembered, as a message that the answer will replace. That it fails is no reason not to answer."""
    try:
        outcome = await early(step.registry, step.runtime.services, step.work.request)
        if outcome is not None and _may_be_replaced(step, outcome.seen_by):
            await deliver(step, outcome)
    except LeaseLostError:
        raise
    except Exception as error:
        log.info("nothing shown early", work=step.work.id, why=f"{type(error).__name__}: {error}"[:200])


def _may_be_replaced(step: Step, seen_by: SeenBy) -> bool:
    request = step.work.request
    where = route(request, seen_by)
    by_address = isinstance(where, Alone) and request.door is Door.COMMAND
    return replaces(where) and (step.runtime.commands_replaceable or not by_address)
