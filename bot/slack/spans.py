"""A line of a View as mrkdwn, never longer than its budget. What does not fit is counted, never silently lost."""

from dataclasses import dataclass

from bot.slack import escape
from bot.view import Line, Link, Mention, Span, Text, When

NOTE = 40
"""Characters kept free for "… (1,234,567 more characters)"."""

ESCAPED = 6
"""UTF-16 units that one character can become: "&amp;", and a zero-width space somewhere near."""


@dataclass(frozen=True)
class Drawn:
    """A line in mrkdwn; `hidden` is how many visible characters did not fit."""

    mrkdwn: str
    hidden: int


def draw(line: Line, budget: int) -> Drawn:
    """The line in at most `budget` UTF-16 units of mrkdwn, shortened with a count when it is longer."""
    pieces: list[str] = []
    used = 0
    for index, span in enumerate(line):
        piece = joined(pieces, mrkdwn(span))
        if used + escape.units(piece) > budget - NOTE:
            return _shorten(pieces, used, line[index:], budget)
        pieces.append(piece)
        used += escape.units(piece)
    return Drawn(_unquoted("".join(pieces)), 0)


def _shorten(pieces: list[str], used: int, rest: Line, budget: int) -> Drawn:
    first, hidden = _cuttable(rest[0]), sum(len(spoken(span)) for span in rest)
    if first is not None:
        kept = _fitting(first, budget - NOTE - used - 2)
        pieces.append(joined(pieces, mrkdwn(first.model_copy(update={"text": kept}))))
        hidden -= len(escape.clean(kept))
    if hidden <= 0:
        return Drawn(_unquoted("".join(pieces)), 0)
    return Drawn(_unquoted("".join(pieces)) + f"… ({hidden:,} more characters)", hidden)


def _cuttable(span: Span) -> Text | None:
    """The span as words of which a part may be shown; None for a ping or a time, which are shown whole or not at all."""
    if isinstance(span, Text):
        return span
    return None if not isinstance(span, Link) and mrkdwn(span).startswith("<") else Text(text=spoken(span))


def _fitting(span: Text, budget: int) -> str:
    """The longest beginning whose mrkdwn fits, found by halving: escaping makes some characters five times longer."""
    low, high = 0, min(len(span.text), max(budget, 0))
    while low < high:
        middle = (low + high + 1) // 2
        fits = escape.units(mrkdwn(span.model_copy(update={"text": span.text[:middle]}))) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return span.text[:low]


def joined(pieces: list[str], piece: str) -> str:
    """The piece, parted by a zero-width space from its neighbour where a marker would otherwise touch a word or a marker."""
    before = next((one[-1] for one in reversed(pieces) if one), " ")
    if piece and _touches(before, piece[0]):
        return escape.ZERO_WIDTH + piece
    return piece


def _touches(before: str, after: str) -> bool:
    opens = after in "*`" and (before.isalnum() or before in "*`_~>")
    closed = before in "*`" and (after.isalnum() or after in "*`_~")
    return opens or closed


def wrapped(line: Line, budget: int) -> list[str]:
    """The whole line as as many lines of mrkdwn as it needs; nothing is left out."""
    step = max(1, (budget - NOTE) // ESCAPED)
    parts = [part for span in line for part in _parts(span, step)]
    rows: list[list[Span]] = [[]]
    for part in parts:
        if rows[-1] and draw((*rows[-1], part), budget).hidden:
            rows.append([])
        rows[-1].append(part)
    return [draw(tuple(row), budget).mrkdwn for row in rows]


def _parts(span: Span, step: int) -> list[Span]:
    """The span in pieces that each fit a line. A token that is too long for one is spelt out."""
    if len(span.text if isinstance(span, Text) else mrkdwn(span)) <= step:
        return [span]
    own = span if isinstance(span, Text) else Text(text=f"{span.text} {span.url}" if isinstance(span, Link) else spoken(span))
    return [own.model_copy(update={"text": own.text[at : at + step]}) for at in range(0, len(own.text), step)]


def _unquoted(text: str) -> str:
    """A line that begins with ">" would become a quotation, escaped or not."""
    return escape.ZERO_WIDTH + text if text.lstrip().startswith("&gt;") else text


def mrkdwn(span: Span) -> str:
    """One span in mrkdwn."""
    match span:
        case Text(bold=True):
            return escape.bold(span.text)
        case Text(code=True):
            return escape.code(span.text)
        case Text():
            return escape.literal(span.text)
        case Mention():
            return escape.mention(span.id)
        case When():
            return escape.moment(span.at, date=span.date)
        case Link():
            return escape.link(span.url, span.text)


def spoken(span: Span) -> str:
    """One span as bare words, times in UTC."""
    match span:
        case Mention():
            return f"@{span.id}"
        case When():
            return escape.utc(span.at, date=span.date)
        case _:
            return escape.clean(span.text)
