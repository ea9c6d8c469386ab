"""Where an answer belongs, and bringing it there: once in a channel, at least once and replaced for one person alone."""

import contextlib
from dataclasses import dataclass

import structlog

from bot.errors import PersonMovesNext
from bot.nouns import SeenBy
from bot.operations.execute import Outcome
from bot.requests import Door, Place, Request
from bot.slack.failures import MessageGoneError
from bot.view import Button, View, line
from jobs.steps import LeaseLostError, Step

log = structlog.get_logger()

PART = "answer"


@dataclass(frozen=True)
class Alone:
    """Seen by the asker only, by the address that came with the request."""

    response_url: str
    replace: bool


@dataclass(frozen=True)
class Among:
    """A message in a channel or a thread."""

    channel: str
    thread: str | None


def route(request: Request, seen_by: SeenBy) -> Alone | Among:
    """Where the answer to this request goes.

    A command's answer for one person replaces what was shown at its response_url before, so that showing it twice leaves one
    message. A mention was typed before everybody and is answered in its thread. A button inside a message that only the asker
    sees is answered by replacing that message.
    """
    place = request.place
    alone = seen_by is SeenBy.YOU and place.response_url is not None
    if request.door is Door.COMMAND:
        return Alone(place.response_url or "", replace=True) if alone and not place.direct else Among(place.channel, None)
    if request.door is Door.BUTTON:
        if alone and not place.direct:
            return Alone(place.response_url or "", replace=place.ephemeral)
        return Among(place.channel, None if place.ephemeral else _thread(place))
    return Among(place.channel, _thread(place))


def replaces(where: Alone | Among) -> bool:
    """Whether a second answer takes the place of a first one there."""
    return isinstance(where, Among) or where.replace


def _thread(place: Place) -> str | None:
    return place.thread or place.message


async def deliver(step: Step, outcome: Outcome) -> None:
    """Bring the answer where it belongs. Raises RetryLater when Slack cannot take it now, LeaseLostError when it is not ours."""
    where = route(step.work.request, outcome.seen_by)
    view = _with_share(step, outcome, where)
    details = None if outcome.path == "details" else f"details {step.work.id}"
    if isinstance(where, Alone):
        await _alone(step, view, where, details)
    else:
        await _among(step, view, where, details)


def _with_share(step: Step, outcome: Outcome, where: Alone | Among) -> View:
    if not isinstance(where, Alone) or outcome.result is None or outcome.path in {"", "help", "details"}:
        return outcome.view
    share = Button(label="Share here", words=f"share {step.work.id}")
    return outcome.view.model_copy(update={"buttons": (*outcome.view.buttons, share)})


async def _alone(step: Step, view: View, where: Alone, details: str | None) -> None:
    """To the asker alone. An address that is used up or too old is not the end: then by direct message."""
    slack, request = step.runtime.slack, step.work.request
    try:
        await slack.respond(where.response_url, view, replace=where.replace, details=details)
    except PersonMovesNext as error:
        log.info("response address refused", work=step.work.id, why=str(error))
        await _by_direct_message(step, view, details)
    else:
        log.debug("answered", work=step.work.id, who=request.actor.user_id)


async def _among(step: Step, view: View, where: Among, details: str | None) -> None:
    try:
        await _once(step, PART, view, where, details)
    except PersonMovesNext as error:
        log.info("channel refused the answer", work=step.work.id, why=str(error))
        hint = line(f"So I answer here. {error} {error.telling.next_step}")
        await _by_direct_message(step, view.model_copy(update={"lines": (*view.lines, hint)}), details)


async def _by_direct_message(step: Step, view: View, details: str | None) -> None:
    channel = await step.runtime.slack.open_dm(step.work.request.actor.user_id)
    await _once(step, f"{PART}-direct", view, Among(channel, None), details)


async def _once(step: Step, part: str, view: View, where: Among, details: str | None) -> None:
    """Exactly one message: the intent first, then look for it if it was tried before, then post; repeated, it is updated."""
    runtime, work = step.runtime, step.work
    known = await runtime.deliveries.begin(work, part, runtime.services.clock.now())
    key = f"{work.id}:{part}"
    if known.standing == "lost":
        raise LeaseLostError(work.id)
    channel, ts = known.channel, known.ts
    if known.standing == "unknown" and known.since is not None:
        channel, ts = where.channel, await runtime.slack.find(where.channel, where.thread, key, known.since)
        if ts is not None:
            await runtime.deliveries.sent(work, part, where.channel, ts)
    if channel is not None and ts is not None:
        with contextlib.suppress(MessageGoneError):  # somebody deleted it: then it is said anew
            await runtime.slack.update(channel, ts, view, details=details, urgent=True)
            return
    posted = await runtime.slack.post(where.channel, where.thread, view, key, details=details)
    await runtime.deliveries.sent(work, part, posted.channel, posted.ts)
