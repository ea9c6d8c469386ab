"""How something that did not work is told: what failed, what was not done, what bills, the next step, a reference."""

from bot.errors import BotError, RefusedError, UsageError
from bot.view import Button, Line, Mention, Shape, View, bold, code, line

BUTTON_HOLDS = 1900
"""Characters of `bot.view.Button.words`."""


def told(error: BotError, reference: str | None = None, asked: str | None = None) -> View:
    """The view of an error. With a `reference` it is our own fault or a failing neighbour's, and the log line can be found.

    `asked` is what was refused for want of a role: then those who have it can be asked by a press.
    """
    telling = error.telling
    lines: list[Line] = [line(words) for words in (telling.untouched, telling.billing, telling.next_step) if words]
    buttons: tuple[Button, ...] = ()
    if isinstance(error, UsageError):
        lines += [line(code(error.usage))] if error.usage else []
        buttons = tuple(button for words in error.near[:5] for button in again(words, words))
    if isinstance(error, RefusedError) and error.needs:
        lines.append(line("Ask ", *(part for name in error.needs.split() for part in (Mention(id=name), " "))))
    if isinstance(error, RefusedError) and asked is not None:
        buttons = again(f"request words {asked}", "Ask them")
    if reference:
        lines.append(line(f"ref {reference}"))
    return View(verdict=line(bold(telling.failed)), shape=_shape(error), lines=tuple(lines), buttons=buttons)


def again(words: str, label: str = "Ask again") -> tuple[Button, ...]:
    """A button that says `words`, or none where they are longer than a button can hold."""
    return (Button(label=label[:75] or "/gemma", words=words),) if len(words) <= BUTTON_HOLDS else ()


def _shape(error: BotError) -> Shape:
    return Shape.NONE if isinstance(error, UsageError | RefusedError) else Shape.BAD


def unexpected(reference: str) -> View:
    """Something we did not foresee; the log line with this reference tells us what."""
    return View(
        verdict=line(bold("Something went wrong on my side, so I have no answer")),
        shape=Shape.BAD,
        lines=(
            line("If you only asked: nothing was changed, try again. If it was to change something: look first how far it got."),
            line(f"Show this to who runs me if it stays: ref {reference}"),
        ),
    )
