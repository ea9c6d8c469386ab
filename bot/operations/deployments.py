"""`deployments`: every deployment that is known, each in one line, and whether it answers."""

import asyncio
from datetime import datetime

from pydantic import BaseModel

from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations.operation import Context, NoArguments, Operation
from bot.operations.sources import attempt
from bot.operations.wording import count, duration
from bot.view import Button, Line, Mention, Shape, View, bold, code, line, text

SHOWN = 6
"""Lines for deployments; the rest waits behind Details."""


class Row(BaseModel):
    """One deployment; None is unknown. `answers` is None when it has no address to be asked at.

    `window` is the context in tokens that the server says, else the configured one.
    """

    name: str
    answers: bool | None
    model: str | None
    accelerator: str | None
    zone: str | None
    machine: str | None
    image: str | None
    window: int | None
    settings: dict[str, str]
    owner: str | None
    ends_at: datetime | None
    origin: str


class Known(BaseModel):
    """All of them, the default one first, as at `at`."""

    rows: tuple[Row, ...]
    at: datetime


FLAGS = ("cache_dtype", "gpu_memory_utilization", "enable_prefix_caching")
"""The labels of `vllm:cache_config_info` that are flags somebody chose."""


async def run(context: Context, _arguments: NoArguments) -> Known:
    """Ask every engine at once; one that does not answer is a row like the others."""
    known = await context.services.deployments.all(context.services.team_id)
    rows = await asyncio.gather(*(_row(context, one) for one in known))
    return Known(rows=tuple(rows), at=context.now)


async def _row(context: Context, deployment: Deployment) -> Row:
    engine, asked = context.services.engine, deployment.base_url is not None
    served = sample = None
    if asked:
        models, scrape = await asyncio.gather(attempt(engine.models(deployment)), attempt(engine.sample(deployment)))
        served, sample = models.value, scrape.value
    first = served[0] if served else None
    labels = sample.cache_config if sample else {}
    return Row(
        name=deployment.name,
        answers=served is not None if asked else None,
        model=first.id if first else deployment.model_id,
        accelerator=deployment.accelerator,
        zone=deployment.zone,
        machine=deployment.machine,
        image=deployment.image,
        window=(first.context if first else None) or deployment.context,
        settings={name: labels[name] for name in FLAGS if labels.get(name) not in {None, "", "None"}},
        owner=deployment.owner,
        ends_at=deployment.ends_at,
        origin=deployment.origin,
    )


def show(found: Known, _context: Context) -> View:
    """How many there are and how many answer, then each."""
    if not found.rows:
        return View(
            verdict=line(bold("No deployment is known")),
            lines=(line("Set MODEL_BASE_URL, or name them in ", code("deployments.toml"), "."),),
        )
    answering = sum(1 for row in found.rows if row.answers)
    lines = [_line(row, found.at) for row in found.rows]
    silent = answering < sum(1 for row in found.rows if row.answers is not None)
    return View(
        verdict=line(bold(count(len(found.rows), "deployment")), f" · {answering} of {len(found.rows)} answer"),
        shape=Shape.CONCERN if silent else Shape.NONE,
        lines=tuple(lines[:SHOWN]),
        details=tuple(lines[SHOWN:]),
        buttons=tuple(Button(label=f"Status of {row.name}"[:75], words=f"status {row.name}") for row in found.rows[:3]),
    )


def _line(row: Row, at: datetime) -> Line:
    state = {True: "answers", False: "does not answer", None: "no address"}[row.answers]
    known = [part for part in (row.accelerator, row.zone, row.machine) if part]
    where = ", ".join(known) or "place unknown"
    flags = [f"window {row.window:,}" if row.window else "window unknown"]
    flags += [f"{name} {value}" for name, value in row.settings.items()]
    parts = (
        f" {state} · {(row.model or 'model unknown').rpartition('/')[2]}{' on ' if known else ', '}{where}",
        f"image {row.image or 'unknown'}",
        ", ".join(flags),
        _end(row, at),
    )
    owner = Mention(id=row.owner) if row.owner and row.owner[:1] in {"U", "W"} else text(row.owner or "unknown")
    return line(bold(row.name), " · ".join(parts), " · owner ", owner)


def _end(row: Row, at: datetime) -> str:
    if row.ends_at is None:
        return "end unknown"
    left = (row.ends_at - at).total_seconds()
    return f"ends in {duration(left)}" if left > 0 else f"ended {duration(left)} ago"


DEPLOYMENTS = Operation(
    path="deployments",
    summary="every deployment: model, slice, image, flags, end, owner",
    when_to_use="To see which deployments exist and which of them answer.",
    example="deployments",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    show=show,
)
