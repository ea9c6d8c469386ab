"""The picture of a view's chart: drawn and uploaded first; the answer never waits for it for long and never fails by it."""

import asyncio

import structlog

from bot.slack.chart import draw_chart
from bot.view import View
from jobs.steps import Step, reference

log = structlog.get_logger()

DEADLINE_S = 8.0
"""For drawing and uploading: longer than this, a reader is better served by the words of the chart."""

CLAIMS_WITH_PICTURE = 5
"""When Slack has refused the message with its picture this often, it goes without."""


async def picture(step: Step, view: View) -> str | None:
    """The id of the uploaded picture, or None: then the chart's words stand in its place.

    The id is kept with the answer, so that whoever takes over does not upload it again. Raises only LeaseLostError.
    """
    if view.chart is None or step.work.fence > CLAIMS_WITH_PICTURE:
        return None
    known = step.work.data.get("picture")
    if known is not None:
        return known
    try:
        async with asyncio.timeout(DEADLINE_S):
            png = await asyncio.to_thread(draw_chart, view.chart)
            made = await step.runtime.slack.upload_chart(png, view.chart.title, view.chart.alt)
    except Exception as error:
        ref = reference(step.work.id)
        log.warning("chart not sent", work=step.work.id, ref=ref, error=type(error).__name__, why=str(error)[:200])
        return None
    if step.work.state == "answered":
        await step.move("answered", picture=made)
    return made
