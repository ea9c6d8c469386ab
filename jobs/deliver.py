"""Where an answer belongs, and bringing it there: once in a channel, at least once and replaced for one person alone."""

import contextlib
from dataclasses import dataclass, replace

import structlog

from bot.errors import PersonMovesNext
from bot.nouns import SeenBy
from bot.operations.execute import Outcome
from bot.requests import Door, Place, Request
from bot.slack.failures import MessageGoneError
from bot.view import Button, View, line
from jobs.attachment import attach
from jobs.picture import picture
from jobs.steps import LeaseLostError, Step

log = structlog.get_logger()

PART = "answer"

HOME = "home"
"""What opening the Home tab says."""
RESULT = "result"
"""Parts of what a work owes: the answer to a request, the result of long work."""


def directly(part: str) -> str:
    """The name of the same part when it goes by direct message."""
    return f"{part}-direct"


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


@dataclass(frozen=True)
class Message:
    """What is shown: `details` is what the [Details] button says, `chart` the id of the uploaded picture."""

    view: View
    details: str | None
    chart: str | None


def route(request: Request, seen_by: SeenBy) -> Alone | Among:
    """Where the answer to this request goes.

    A command's answer for one person replaces what was shown at its response_url before, so that showing it twice leaves one
    message. A mention was typed before everybody and is answered in its thread; so is a message that was picked, though refusals
    go to whoever picked it. A button inside a message that only the asker sees is answered by replacing that message.
    """
    place = request.place
    alone = seen_by is SeenBy.YOU and place.response_url is not None
    if request.door is Door.COMMAND:
        return Alone(place.response_url or "", replace=True) if alone and not place.direct else Among(place.channel, None)
    if request.door is Door.BUTTON:
        if alone and not place.direct:
            return Alone(place.response_url or "", replace=place.ephemeral)
        return Among(place.channel, None if place.ephemeral else _thread(place))
    if request.door is Door.SHORTCUT and alone:
        return Alone(place.response_url or "", replace=False)
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
    message = Message(view, details, await picture(step, view))
    if step.work.request.door is Door.HOME:
        await _at_home(step, outcome, message)
    elif isinstance(where, Among) and _only_for_asker(step.work.request, outcome):
        await _whisper(step, message, where)
    elif isinstance(where, Alone):
        await _alone(step, message, where)
        await attach(step, view, None)
    else:
        await _among(step, PART, message, where)
        await attach(step, view, (where.channel, where.thread))


async def result(step: Step, view: View, where: Among) -> None:
    """Bring the one final message of long work to where its first one stands. Errors as for `deliver`."""
    await _among(step, RESULT, Message(view, f"details {step.work.id}", await picture(step, view)), where)


def _only_for_asker(request: Request, outcome: Outcome) -> bool:
    """A form is filled in by one person alone; and some answers are for nobody else, wherever they were asked."""
    by_form = request.door is Door.MODAL and outcome.seen_by is SeenBy.YOU
    return (outcome.whisper or by_form) and not request.place.direct


async def _at_home(step: Step, outcome: Outcome, message: Message) -> None:
    """The Home tab itself is replaced, by a refusal too; what was pressed there is answered by direct message."""
    if step.work.request.words == HOME:
        await step.runtime.slack.publish_home(step.work.request.actor.user_id, [outcome.view])
    else:
        await _by_direct_message(step, PART, message)


async def _whisper(step: Step, message: Message, where: Among) -> None:
    """Shown to the asker alone, in the thread it belongs to. Shown twice does no harm: nothing is asked or owed by it."""
    slack, user = step.runtime.slack, step.work.request.actor.user_id
    try:
        await slack.ephemeral(where.channel, user, message.view, step.work.request.place.thread)
    except PersonMovesNext as error:
        log.info("channel refused a whisper", work=step.work.id, why=str(error))
        await _by_direct_message(step, PART, message)


def _with_share(step: Step, outcome: Outcome, where: Alone | Among) -> View:
    """An answer for one person can be shown to the others, and so can the whole of it behind [Details]."""
    if not isinstance(where, Alone) or outcome.result is None or outcome.whisper or outcome.path in {"", "help"}:
        return outcome.view
    shared = outcome.result.get("share") if outcome.path == "details" else step.work.id
    if shared is None:
        return outcome.view
    share = Button(label="Share here", words=f"share {shared}")
    return outcome.view.model_copy(update={"buttons": (*outcome.view.buttons, share)})


async def _alone(step: Step, message: Message, where: Alone) -> None:
    """To the asker alone. An address that is used up or too old is not the end: then by direct message."""
    slack, request = step.runtime.slack, step.work.request
    try:
        await slack.respond(where.response_url, message.view, replace=where.replace, details=message.details, chart=message.chart)
    except PersonMovesNext as error:
        log.info("response address refused", work=step.work.id, why=str(error))
        await _by_direct_message(step, PART, message)
    else:
        log.debug("answered", work=step.work.id, who=request.actor.user_id)


async def _among(step: Step, part: str, message: Message, where: Among) -> None:
    try:
        await once(step, part, message, where)
    except PersonMovesNext as error:
        log.info("channel refused the answer", work=step.work.id, why=str(error))
        hint = line(f"So I answer here. {error} {error.telling.next_step}")
        hinted = message.view.model_copy(update={"lines": (*message.view.lines, hint)})
        await _by_direct_message(step, part, replace(message, view=hinted))


async def _by_direct_message(step: Step, part: str, message: Message) -> None:
    channel = await step.runtime.slack.open_dm(step.work.request.actor.user_id)
    await once(step, directly(part), message, Among(channel, None))


async def once(step: Step, part: str, message: Message, where: Among) -> tuple[str, str]:
    """Exactly one message: the intent first, then look for it if it was tried before, then post; repeated, it is updated.

    Returns where it stands (channel, ts). Raises LeaseLostError when the work is somebody else's, and the errors of Slack.
    """
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
            await runtime.slack.update(channel, ts, message.view, details=message.details, chart=message.chart, urgent=True)
            return channel, ts
    posted = await runtime.slack.post(
        where.channel, where.thread, message.view, key, details=message.details, chart=message.chart
    )
    await runtime.deliveries.sent(work, part, posted.channel, posted.ts)
    return posted.channel, posted.ts
