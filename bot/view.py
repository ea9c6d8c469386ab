"""What a person sees, as plain data. Only `bot/slack/render.py` and the terminal turn it into something that can be sent."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from bot.nouns.base import Noun

VERDICT_LIMIT = 110
"""Characters of line 1, for it is also the notification on a phone."""
LINES_LIMIT = 8
"""Lines of a message, the verdict included; the rest waits behind Details."""


class Shape(StrEnum):
    """The state of a thing, as a shape beside its word: colour alone says nothing to many people."""

    GOOD = "●"
    CONCERN = "▲"
    BAD = "✖"
    TIME = "⏰"
    NONE = ""


class Text(Noun):
    """Words, taken literally: nothing in them is ever read as a mention, a link or formatting."""

    kind: Literal["text"] = "text"
    text: str
    bold: bool = False
    code: bool = False


class Mention(Noun):
    """Somebody who is to be pinged: a user (U…) or a user group (S…)."""

    kind: Literal["mention"] = "mention"
    id: str


class When(Noun):
    """A moment, shown in the reader's own zone; `date` adds the day."""

    kind: Literal["when"] = "when"
    at: datetime
    date: bool = False


class Link(Noun):
    """An address that may be opened; http and https only."""

    kind: Literal["link"] = "link"
    url: str = Field(pattern=r"^https?://")
    text: str


Span = Annotated[Text | Mention | When | Link, Field(discriminator="kind")]
Line = tuple[Span, ...]


class Button(Noun):
    """Something that can be pressed.

    `label` names object and price ("Destroy prod-2"). `words` is what pressing it says, exactly as a person would type it after
    `/gemma` ("status prod"); a stored approval or work is named by its id there, so the button itself carries no authority.
    """

    label: str = Field(max_length=75)
    words: str = Field(max_length=1900)
    style: Literal["plain", "primary", "danger"] = "plain"


class Chart(Noun):
    """Lines over time: per series a name and points (epoch seconds, value or None for a gap). `alt` says it in words.

    `below` is a second panel in the same picture over the same time, for another unit; its words stand in the upper `alt`.
    """

    title: str
    unit: str
    alt: str = Field(max_length=1000)
    series: tuple[tuple[str, tuple[tuple[float, float | None], ...]], ...]
    below: "Chart | None" = None


class Attachment(Noun):
    """Text that is too long for a message, sent beside it as a file; a `private` one to the asker alone, wherever the answer
    stands, and never shared.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,79}$")
    title: str = Field(max_length=100)
    content: str = Field(min_length=1, max_length=1_000_000)
    private: bool = False


class View(Noun):
    """One message: the verdict with its shape, at most seven more lines, buttons, and what waits behind Details.

    `mention` opens a result that somebody waited for by naming them; `attachment` follows the message as a file.
    """

    verdict: Line
    shape: Shape = Shape.NONE
    lines: tuple[Line, ...] = ()
    buttons: tuple[Button, ...] = ()
    details: tuple[Line, ...] = ()
    chart: Chart | None = None
    mention: Mention | None = None
    attachment: Attachment | None = None


def text(words: str) -> Text:
    """Plain words."""
    return Text(text=words)


def bold(words: str) -> Text:
    """Words that carry the verdict."""
    return Text(text=words, bold=True)


def code(words: str) -> Text:
    """Something to type or copy, or a name from outside."""
    return Text(text=words, code=True)


def line(*parts: str | Span) -> Line:
    """A line from words and spans."""
    return tuple(text(part) if isinstance(part, str) else part for part in parts)


def plain(of: Line) -> str:
    """The line as bare text, for lengths, the terminal and notifications. Times are in UTC."""
    return "".join(_plain_span(span) for span in of)


def _plain_span(span: Text | Mention | When | Link) -> str:
    match span:
        case Text():
            return span.text
        case Mention():
            return f"@{span.id}"
        case When():
            return span.at.strftime("%Y-%m-%d %H:%M UTC" if span.date else "%H:%M UTC")
        case Link():
            return span.text
