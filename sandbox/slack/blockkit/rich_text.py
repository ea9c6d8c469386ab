"""Rich text: sections, lists, quotes and preformatted parts, and the pieces inside them."""

from sandbox.slack.blockkit.checks import Check, Shape, anything, boolean, by_type, choice, integer, items, string

PIECES_LIMIT = 1000
"""Slack publishes no count; what limits rich text is the total of characters."""

_TYPE: dict[str, Check] = {"type": string(60)}
_STYLE = Shape(
    {}, dict.fromkeys(("bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"), boolean)
)
_STYLED: dict[str, Check] = {"style": _STYLE}

PIECES: dict[str, Shape] = {
    "text": Shape({**_TYPE, "text": string(12_000)}, _STYLED),
    "link": Shape({**_TYPE, "url": string(3000)}, {**_STYLED, "text": string(3000, 0), "unsafe": boolean}),
    "user": Shape({**_TYPE, "user_id": string(30)}, _STYLED),
    "usergroup": Shape({**_TYPE, "usergroup_id": string(30)}, _STYLED),
    "channel": Shape({**_TYPE, "channel_id": string(30)}, _STYLED),
    "team": Shape({**_TYPE, "team_id": string(30)}, _STYLED),
    "broadcast": Shape({**_TYPE, "range": choice("here", "channel", "everyone")}, _STYLED),
    "emoji": Shape(
        {**_TYPE, "name": string(100)}, {**_STYLED, "unicode": string(100), "url": string(3000), "skin_tone": integer(2, 6)}
    ),
    "date": Shape(
        {**_TYPE, "timestamp": integer(0, 99_999_999_999), "format": string(300)},
        {**_STYLED, "url": string(3000), "fallback": string(300)},
    ),
    "color": Shape({**_TYPE, "value": string(9)}, _STYLED),
}
_PIECE = by_type(PIECES, frozenset(PIECES), "rich_text")
_PLAIN_PIECE = by_type(PIECES, frozenset({"text", "link"}), "rich_text_preformatted")
_BORDER: dict[str, Check] = {"border": integer(0, 1)}
_SECTION = Shape({**_TYPE, "elements": items(_PIECE, PIECES_LIMIT, 0)})

PARTS: dict[str, Shape] = {
    "rich_text_section": _SECTION,
    "rich_text_quote": Shape({**_TYPE, "elements": items(_PIECE, PIECES_LIMIT, 0)}, _BORDER),
    "rich_text_preformatted": Shape(
        {**_TYPE, "elements": items(_PLAIN_PIECE, PIECES_LIMIT, 0)}, {**_BORDER, "language": anything}
    ),
    "rich_text_list": Shape(
        {**_TYPE, "style": choice("bullet", "ordered"), "elements": items(_SECTION, PIECES_LIMIT)},
        {**_BORDER, "indent": integer(0, 8), "offset": integer(0, 10_000)},
    ),
}
RICH_TEXT_PART = by_type(PARTS, frozenset(PARTS), "rich_text")
