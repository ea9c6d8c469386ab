"""How health reads: one word first, then each probe with its time and what was wrong."""

from bot.operations.health_probes import QUESTIONS, Probe
from bot.operations.health_result import Asked, Health, Mark
from bot.operations.operation import Context
from bot.operations.wording import seconds
from bot.view import Button, Line, Shape, View, bold, line

SHAPES = {Mark.RIGHT: "●", Mark.WRONG: "▲", Mark.REFUSED: "▲", Mark.SILENT: "✖", Mark.NOT_ASKED: "–"}
WHY_SHOWN = 200
NEEDS_TOOLS = "enable-auto-tool-choice"
"""What vLLM's refusal names when it was started without tool calls."""


def show(found: Health, _context: Context) -> View:
    """The verdict, four probes, and what to do about a refusal that has a known reason."""
    lines = [_probe(one) for one in found.probes]
    if any(NEEDS_TOOLS in one.why for one in found.probes):
        lines.append(line("Tool calls are off: start vLLM with --enable-auto-tool-choice --tool-call-parser gemma4."))
    return View(
        verdict=_verdict(found),
        shape=_shape(found),
        lines=tuple(lines),
        details=(
            line(f"Model {found.model}. Times are measured here, network included."),
            *(line(f"{probe.value}: {QUESTIONS[probe]}") for probe in Probe),
        ),
        buttons=(
            Button(label="Ask again", words=f"health {found.deployment}"),
            Button(label=f"Status of {found.deployment}"[:75], words=f"status {found.deployment}"),
        ),
    )


def _marks(found: Health) -> list[Mark]:
    return [one.mark for one in found.probes]


def _shape(found: Health) -> Shape:
    marks = _marks(found)
    if Mark.RIGHT not in marks:
        return Shape.BAD
    return Shape.GOOD if all(mark is Mark.RIGHT for mark in marks) else Shape.CONCERN


def _verdict(found: Health) -> Line:
    marks = _marks(found)
    right, asked = marks.count(Mark.RIGHT), len(marks) - marks.count(Mark.NOT_ASKED)
    if right == len(marks):
        return line(bold(f"{found.deployment} is healthy"), f": {right} of {asked} known answers right{_pace(found)}")
    if Mark.SILENT in marks and right == 0:
        return line(bold(f"{found.deployment} does not answer questions"), ", though it lists its model")
    if right == 0:
        return line(bold(f"{found.deployment} answers, but nothing right"), f": 0 of {asked} known answers")
    return line(bold(f"{found.deployment} is degraded"), f": {right} of {asked} known answers right{_pace(found)}")


def _pace(found: Health) -> str:
    first = next((one.first_token for one in found.probes if one.first_token is not None), None)
    return f" · first token {seconds(first.value)}" if first is not None else ""


def _probe(one: Asked) -> Line:
    took = f", {seconds(one.took.value)}" if one.took is not None else ""
    first = f" (first token {seconds(one.first_token.value)})" if one.first_token is not None else ""
    why = f": {one.why[:WHY_SHOWN]}" if one.why else ""
    return line(f"{SHAPES[one.mark]} {one.probe.value} {one.mark.value}{took}{first}{why}")
