"""How something that did not work is told: what failed, what was not done, what bills, the next step, a reference."""

from bot.errors import BotError, RefusedError, UsageError
from bot.view import Button, Line, Shape, View, bold, code, line


def told(error: BotError, reference: str | None = None) -> View:
    """The view of an error. With a `reference` it is our own fault or a failing neighbour's, and the log line can be found."""
    telling = error.telling
    lines: list[Line] = [line(words) for words in (telling.untouched, telling.billing, telling.next_step) if words]
    buttons: tuple[Button, ...] = ()
    if isinstance(error, UsageError):
        lines += [line(code(error.usage))] if error.usage else []
        buttons = tuple(Button(label=_label(words), words=words) for words in error.near[:5])
    if reference:
        lines.append(line(f"ref {reference}"))
    return View(verdict=line(bold(telling.failed)), shape=_shape(error), lines=tuple(lines), buttons=buttons)


def _label(words: str) -> str:
    return words[:75]


def _shape(error: BotError) -> Shape:
    return Shape.NONE if isinstance(error, UsageError | RefusedError) else Shape.BAD


def unexpected(reference: str) -> View:
    """Something we did not foresee; the log line with this reference tells us what."""
    return View(
        verdict=line(bold("Something went wrong on my side")),
        shape=Shape.BAD,
        lines=(line("Nothing was changed by this. Try again; if it stays, show this to who runs me."), line(f"ref {reference}")),
    )
