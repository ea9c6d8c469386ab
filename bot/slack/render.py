"""View -> Slack blocks. The only place that knows what a message looks like; the same View always gives the same JSON.

Line 1 is the verdict, shape first, and the notification text; at most eight lines; buttons below. What does not fit is counted
where it is missing and kept in `Rendered.rest`, so an answer is never lost and a long one never fails.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import slackblocks

from bot.slack import escape, spans
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Button, Line, Mention, Text, View, line, text

Block = dict[str, Any]

LINE_BUDGET = 700
"""UTF-16 units of mrkdwn in one line: eight of them stay under the 9,000 that a message may hold in all."""
SECTION_BUDGET = 2900
"""UTF-16 units in one section; Slack refuses 3,000."""
BUTTONS_LIMIT = 25
"""Buttons in one row of actions."""
BUTTONS_BUDGET = 2600
"""UTF-16 units of all labels and values of a message."""
VALUE_LIMIT = 2000
LABEL_LIMIT = 75
ALT_LIMIT = 1000
"""UTF-16 units of a chart's words."""
PAGE_BUDGET = 5000
"""UTF-16 units of all lines that are shown whole; one more may follow in part."""
FILE_ID = re.compile(r"F[A-Z0-9]{8,}")
"""Ids of Slack's files (Block Kit reference, slack_file)."""
HOME_BLOCKS = 90
"""Blocks on a Home tab; Slack takes 100."""
HOME_BYTES = 200_000
"""Bytes of a Home tab's JSON; Slack takes 250,000 of the whole view."""


@dataclass(frozen=True)
class Rendered:
    """`text` is the notification; `rest` holds every line, whole, of which the message shows only a part, and the details."""

    text: str
    blocks: list[Block]
    rest: tuple[Line, ...] = ()


def render(view: View, *, details: str | None = None, chart: str | None = None) -> Rendered:
    """The message for this view.

    `details` is what the [Details] button says: then at most eight lines are shown, and the button when something waits behind
    it. Without it there is no second place to look, so all lines are shown that a message can hold, long ones whole.
    `chart` is the id of the uploaded picture; without it the chart's words stand in its place.
    """
    shown, hidden = _whole(view) if details is None else _eight_lines(view)
    blocks = _sections(shown)
    words = _chart_words(view)
    if words:
        blocks.append(_picture(words, chart))
    long_words = (line(words),) if spans.draw(line(words), ALT_LIMIT).hidden else ()
    rest = hidden + long_words + view.details
    asked = view.buttons + ((Button(label="Details", words=details),) if rest and details is not None else ())
    blocks.extend(_row(asked))
    return Rendered(notification(view), _json(blocks), rest)


def notification(view: View) -> str:
    """What a phone shows: the verdict in plain words, at most 110 characters, opened by the name of who is mentioned."""
    words = "".join(spans.spoken(span) for span in view.verdict).strip()
    shaped = f"{view.shape.value} {words}".strip() if not escape.blank(words) else f"{view.shape.value} gemma".strip()
    short = shaped if len(shaped) <= VERDICT_LIMIT else shaped[: VERDICT_LIMIT - 1].rstrip() + "…"
    return f"{escape.mention(view.mention.id)} {escape.literal(short)}" if view.mention else escape.literal(short)


def verdict(view: View) -> Line:
    """Line 1 whole: who is mentioned, the shape, the verdict in bold (all of it, unless the view says which part)."""
    emphasised = any(isinstance(span, Text) and span.bold for span in view.verdict)
    words = tuple(
        span if emphasised or not isinstance(span, Text) or span.code else span.model_copy(update={"bold": True})
        for span in view.verdict
    )
    opening: tuple[Mention | Text, ...] = (view.mention, text(" ")) if view.mention else ()
    return (*opening, *((text(f"{view.shape.value} "),) if view.shape.value else ()), *words)


def _eight_lines(view: View) -> tuple[list[str], tuple[Line, ...]]:
    """What is shown, in mrkdwn, and each line that is not, or not whole."""
    room = LINES_LIMIT - 1
    kept = view.lines if len(view.lines) <= room else view.lines[: room - 1]
    wanted = (verdict(view), *kept)
    drawn = [spans.draw(one, LINE_BUDGET) for one in wanted]
    cut = tuple(whole for whole, one in zip(wanted, drawn, strict=True) if one.hidden)
    left = view.lines[len(kept) :]
    return [one.mrkdwn for one in drawn] + _count(left), cut + left


def _whole(view: View) -> tuple[list[str], tuple[Line, ...]]:
    """Line after line, whole, while the message has room; and the lines that found none."""
    wanted = (verdict(view), *view.lines)
    shown: list[str] = []
    used = 0
    for index, one in enumerate(wanted):
        rows = spans.wrapped(one, LINE_BUDGET)
        size = sum(escape.units(row) + 1 for row in rows)
        if used + size > PAGE_BUDGET:
            room = max(LINE_BUDGET, min(SECTION_BUDGET, PAGE_BUDGET - used))
            part = spans.draw(one, room)
            return [*shown, part.mrkdwn, *_count(wanted[index + 1 :])], wanted[index if part.hidden else index + 1 :]
        shown += rows
        used += size
    return shown, ()


def _count(left: Sequence[Line]) -> list[str]:
    return [f"… and {len(left):,} more {'line' if len(left) == 1 else 'lines'}"] if left else []


def _sections(lines: Sequence[str]) -> list[slackblocks.Block]:
    """The verdict in a section of its own, the rest packed into as few as the limit allows."""
    first, *others = lines
    packed = [_seen(first) or "gemma"]
    for index, row in enumerate(others):
        if index and escape.units(packed[-1]) + 1 + escape.units(row) <= SECTION_BUDGET:
            packed[-1] += "\n" + (_seen(row) or escape.ZERO_WIDTH)
        else:
            packed.append(_seen(row) or escape.ZERO_WIDTH)
    return [_section(one) for one in packed if not escape.blank(one)]


def _seen(row: str) -> str:
    return "" if escape.blank(row) else row.rstrip()


def _section(mrkdwn: str) -> slackblocks.Block:
    """`verbatim` keeps Slack from making links and mentions of bare words."""
    return slackblocks.SectionBlock(
        text=slackblocks.Text(mrkdwn, type_=slackblocks.TextType.MARKDOWN, verbatim=True), block_id="section"
    )


def _chart_words(view: View) -> str:
    return escape.clean(f"{view.chart.title} ({view.chart.unit}): {view.chart.alt}").strip() if view.chart else ""


def _picture(words: str, file_id: str | None) -> slackblocks.Block:
    """The uploaded picture with its words for whoever cannot see it; without a picture, the words."""
    if file_id is None or not FILE_ID.fullmatch(file_id):
        return _section(spans.draw((text(f"Chart: {words}"),), ALT_LIMIT + 10).mrkdwn)
    alt = words if escape.units(words) <= ALT_LIMIT else words[: ALT_LIMIT // 2 - 1] + "…"
    return slackblocks.ImageBlock(slack_file=slackblocks.SlackFile(url=None, id=file_id), alt_text=alt, block_id="chart")


def _row(buttons: Sequence[Button]) -> list[slackblocks.Block]:
    """The buttons, and a line that counts those that did not fit. The last one (Details) is the last to go."""
    fitting = _fitting(buttons)
    blocks: list[slackblocks.Block] = []
    if fitting:
        blocks.append(slackblocks.ActionsBlock(elements=[_button(n, one) for n, one in enumerate(fitting)], block_id="buttons"))
    if len(fitting) < len(buttons):
        blocks.append(_section(f"… and {len(buttons) - len(fitting)} more buttons that did not fit"))
    return blocks


def _fitting(buttons: Sequence[Button]) -> list[Button]:
    kept: dict[int, Button] = {}
    used = 0
    for index in (len(buttons) - 1, *range(len(buttons) - 1)) if buttons else ():
        size = escape.units(buttons[index].words) + LABEL_LIMIT
        if len(kept) < BUTTONS_LIMIT and escape.units(buttons[index].words) <= VALUE_LIMIT and used + size <= BUTTONS_BUDGET:
            kept[index] = buttons[index]
            used += size
    return [kept[index] for index in sorted(kept)]


def _button(index: int, button: Button) -> slackblocks.Button:
    """A label is plain text, in which Slack reads no tokens. A value may not be empty: a space says the same."""
    label = escape.clean(button.label).strip()
    if escape.blank(label):
        label = "…"
    while escape.units(label) > LABEL_LIMIT:
        label = label[:-2] + "…"
    return slackblocks.Button(
        text=slackblocks.Text(label, type_=slackblocks.TextType.PLAINTEXT, emoji=False),
        action_id=f"say:{index}",
        value=button.words or " ",
        style=None if button.style == "plain" else button.style,
    )


def _json(blocks: Sequence[slackblocks.Block]) -> list[Block]:
    """Final JSON without block ids: Slack gives each message its own, and ours would only have to be unique."""
    resolved: list[Block] = slackblocks.Message(channel="C", text="", blocks=list(blocks)).to_dict().get("blocks", [])
    return [{key: value for key, value in block.items() if key != "block_id"} for block in resolved]


def render_home(views: Sequence[View]) -> list[Block]:
    """Views one below the other for a Home tab; when it is full, the last line counts what is left out."""
    blocks: list[Block] = []
    size = 0
    for index, view in enumerate(views):
        part = [*render(view).blocks, {"type": "divider"}]
        size += len(json.dumps(part))
        if len(blocks) + len(part) + 1 > HOME_BLOCKS or size > HOME_BYTES:
            return _numbered([*blocks, *_json([_section(f"… and {len(views) - index} more")])])
        blocks.extend(part)
    return _numbered(blocks[:-1])


def _numbered(blocks: Sequence[Block]) -> list[Block]:
    """Action ids are unique in the whole view, not only in each row."""
    count = 0
    for block in blocks:
        for element in block.get("elements", ()):
            element["action_id"] = f"say:{count}"
            count += 1
    return list(blocks)
