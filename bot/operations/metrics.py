"""`metrics`: how it served over a time, with percentiles and their bounds, against another time, and as a chart."""

from datetime import datetime, timedelta

from bot.nouns import Delta, Deployment, Effect, Role, SeenBy
from bot.operations import choice, metrics_view
from bot.operations.metrics_figures import figures, first_token_lines, load_lines
from bot.operations.metrics_result import Metrics, Raw
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.time_window import window
from bot.operations.values import BackSeconds, ClockTime, GivenName, Seconds

DEFAULT_SPAN = timedelta(hours=1)
KEPT = timedelta(days=35)
"""How far back history reaches."""

RAW_LINES = 400
"""Sample lines that a result keeps of the engine's own text; the rest is counted."""


class MetricsArguments(Arguments):
    """Which deployment; `since` how long back, or `at` around which time (UTC); `against` how much earlier to compare with."""

    deployment: GivenName | None = None
    since: Seconds | None = None
    at: ClockTime | None = None
    against: BackSeconds | None = None
    raw: bool = False


async def run(context: Context, arguments: MetricsArguments) -> Metrics | Raw:
    """Read history; `raw` asks the engine instead. Raises UsageError for a deployment that is none."""
    deployment = await choice.deployment(context, arguments.deployment)
    if arguments.raw:
        return await _raw(context, deployment)
    since, until, around = window(context.now, arguments.since, arguments.at, DEFAULT_SPAN)
    windows = await _windows(context, deployment, since, until)
    earlier = timedelta(seconds=arguments.against or 0)
    before = await _windows(context, deployment, since - earlier, until - earlier) if earlier else ()
    now = figures(windows, until - since)
    return Metrics(
        deployment=deployment.name,
        since=since,
        until=until,
        around=around,
        now=now,
        against_s=arguments.against,
        before=figures(before, until - since),
        first_token=first_token_lines(windows),
        load=load_lines(windows),
        watched_since=await _watched_since(context, deployment) if now is None or (earlier and not before) else None,
    )


async def _windows(context: Context, deployment: Deployment, since: datetime, until: datetime) -> tuple[Delta, ...]:
    return await context.services.history.windows(context.services.team_id, deployment.name, since, until)


async def _watched_since(context: Context, deployment: Deployment) -> datetime | None:
    """The beginning of the oldest window that is kept."""
    kept = await _windows(context, deployment, context.now - KEPT, context.now)
    return kept[0].since if kept else None


async def _raw(context: Context, deployment: Deployment) -> Raw:
    text = await context.services.engine.exposition(deployment)
    samples = [row for row in text.splitlines() if row and not row.startswith("#") and "_created" not in row.partition(" ")[0]]
    left_out = max(0, len(samples) - RAW_LINES)
    return Raw(lines=tuple(samples[:RAW_LINES]), left_out=left_out, at=context.now, deployment=deployment.name, text=text)


METRICS: Operation[MetricsArguments, Metrics | Raw] = Operation(
    path="metrics",
    summary="requests, tokens, latencies, cache over time",
    when_to_use="To see how it served in the last hours or at a time, against another time, with percentiles and a chart.",
    example="metrics since 6h against yesterday",
    arguments=MetricsArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    timeout=15.0,
    run=run,
    show=metrics_view.show,
    was=("get_metrics",),
)
