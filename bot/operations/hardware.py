"""`hardware`: what a chip can do, each figure with its source and the day it was read."""

import re

from pydantic import BaseModel

from bot.errors import UsageError
from bot.nouns import Effect, Quantity, Role, SeenBy
from bot.operations import choice
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import Generation
from bot.serving.hardware import CHIPS, MEMORY, READ_AT, Chip, chip
from bot.view import Button, Line, View, bold, line

GENERATION_ONLY = re.compile(r"-\d+$")


class HardwareArguments(Arguments):
    """One generation, or all of them. A slice name means its generation."""

    generation: Generation | None = None


class Hardware(BaseModel):
    """The rows asked for. Every figure is per chip and carries its own source and date."""

    chips: tuple[Chip, ...]


async def run(context: Context, arguments: HardwareArguments) -> Hardware:
    """Look it up. Raises UsageError with the generations that exist."""
    if arguments.generation is None:
        return Hardware(chips=CHIPS)
    try:
        return Hardware(chips=(chip(GENERATION_ONLY.sub("", arguments.generation)),))
    except UsageError as error:
        raise choice.pressable(context, error) from error


def show(found: Hardware, _context: Context) -> View:
    """All at a glance, or one with everything known of it."""
    return _one(found.chips[0]) if len(found.chips) == 1 else _all(found.chips)


def _all(chips: tuple[Chip, ...]) -> View:
    return View(
        verdict=line(bold(f"{len(chips)} TPU generations"), f", per chip, as read on {_day()}"),
        lines=tuple(_row(one) for one in chips),
        details=(_legend(),),
        buttons=tuple(Button(label=one.generation, words=f"hardware {one.generation}") for one in chips),
    )


def _row(one: Chip) -> Line:
    figures = (one.hbm, one.bandwidth, one.bf16_tflops)
    return line(bold(one.generation), f": {_figure(figures[0], 'HBM')} · {_figure(figures[1])} · {_figure(figures[2], 'bf16')}")


def _one(one: Chip) -> View:
    low = _figure(one.low_precision_tops) if one.low_precision_tops else "low precision unknown"
    fp8 = {True: "native", False: "not native", None: "unknown"}[one.fp8_native]
    host = " or ".join(map(str, one.chips_per_host))
    lines = [
        line(f"Memory {_figure(one.hbm)}, {_figure(one.usable_hbm_gib)} usable · bandwidth {_figure(one.bandwidth)}"),
        line(f"Compute {_figure(one.bf16_tflops, 'bf16')} · {low} · fp8 {fp8}"),
        line(f"Between chips {_figure(one.interconnect)} · {host} chips on one machine"),
        line(f"Slices: {one.accelerator_type or 'not in the TPU API'}" + _machine_types(one)),
    ]
    if one.note:
        lines.append(line(f"Note: {one.note}."))
    return View(
        verdict=line(
            bold(f"{one.generation}: {_figure(one.hbm, 'HBM')}, {_figure(one.bf16_tflops, 'bf16')}"), f" · per chip, {_day()}"
        ),
        lines=tuple(lines),
        details=(*_sources(one), _legend()),
    )


def _machine_types(one: Chip) -> str:
    return f" · Compute Engine: {', '.join(one.machine_types)}" if one.machine_types else ""


def _figure(quantity: Quantity, of: str = "") -> str:
    """`1638 GB/s`; a figure from memory only is marked, for it is not proved."""
    mark = " (unconfirmed)" if MEMORY in quantity.source else ""
    return f"{quantity.value:,g} {quantity.unit}{' ' + of if of else ''}{mark}"


def _sources(one: Chip) -> tuple[Line, ...]:
    named = {
        "memory": one.hbm,
        "usable memory": one.usable_hbm_gib,
        "bandwidth": one.bandwidth,
        "bf16": one.bf16_tflops,
        "low precision": one.low_precision_tops,
        "between chips": one.interconnect,
    }
    by_source: dict[str, list[str]] = {}
    for name, quantity in named.items():
        if quantity is not None:
            by_source.setdefault(quantity.source, []).append(name)
    return tuple(line(f"{', '.join(names)}: {source}.") for source, names in by_source.items())


def _legend() -> Line:
    return line(f"Sources read on {_day()}. “unconfirmed” is from memory: no document was at hand. Peak figures, never reached.")


def _day() -> str:
    return f"{READ_AT.day} {READ_AT:%B %Y}"


HARDWARE = Operation(
    path="hardware",
    summary="what each TPU chip can do, dated, with sources",
    when_to_use="To know memory, bandwidth, compute and network of a TPU generation, and how sure that is.",
    example="hardware v6e",
    arguments=HardwareArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    show=show,
)
