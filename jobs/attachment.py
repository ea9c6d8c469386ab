"""The file that follows an answer: where the answer stands or to the asker alone; the answer never fails by it."""

import structlog

from bot.errors import BotError, PersonMovesNext
from bot.view import Attachment, View
from jobs.steps import Step, reference

log = structlog.get_logger()

PART = "file"


async def attach(step: Step, view: View, place: tuple[str, str | None] | None) -> None:
    """Show the view's attachment in a channel and thread, or without a place, and when it is private, in the asker's direct
    messages.

    Slack finds no file again by a key of ours, so after a crash in the middle it may be shown twice; once it stands, never again.
    """
    if view.attachment is None:
        return
    work = step.work
    known = await step.runtime.deliveries.begin(work, PART, step.runtime.services.clock.now())
    if known.standing in {"sent", "lost"}:
        return
    try:
        channel, file_id = await _shown(step, view.attachment, None if view.attachment.private else place)
    except BotError as error:
        log.warning("file not sent", work=work.id, ref=reference(work.id), error=type(error).__name__, why=str(error)[:200])
        return
    await step.runtime.deliveries.sent(work, PART, channel, file_id)


async def _shown(step: Step, attachment: Attachment, place: tuple[str, str | None] | None) -> tuple[str, str]:
    """The channel that took it, and the file's id. A channel that we are not in is no reason not to show it."""
    slack = step.runtime.slack
    if place is not None:
        try:
            return place[0], await slack.attach(*place, attachment)
        except PersonMovesNext as error:
            log.info("channel refused the file", work=step.work.id, why=str(error))
    direct = await slack.open_dm(step.work.request.actor.user_id)
    return direct, await slack.attach(direct, None, attachment)
