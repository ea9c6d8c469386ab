"""The blocks: their keys and limits, and which surface takes which."""

from collections.abc import Iterator
from typing import Any

from sandbox.slack.blockkit.checks import (
    Check,
    Problem,
    Shape,
    anything,
    at_least_one,
    boolean,
    by_type,
    choice,
    exactly_one,
    integer,
    items,
    string,
    type_of,
)
from sandbox.slack.blockkit.elements import (
    ELEMENTS,
    IN_ACTIONS,
    IN_CONTEXT,
    IN_INPUT,
    IN_SECTION,
    SLACK_FILE,
    plain,
    text,
)
from sandbox.slack.blockkit.rich_text import RICH_TEXT_PART

MARKDOWN_LIMIT = 12_000
TABLE_ROWS, TABLE_COLUMNS = 100, 20
DATA_ROWS_LEAST, DATA_ROWS_MOST = 2, 101
"""Slack's docs say 101 rows, slackblocks 201: the smaller one counts."""

TYPE: dict[str, Check] = {"type": string(60)}
BLOCK_ID: dict[str, Check] = {"block_id": string(255)}
_TASK_STATUS = choice("pending", "in_progress", "complete", "error")


def _element(allowed: frozenset[str], where: str) -> Check:
    return by_type(ELEMENTS, allowed, where)


def _in_context(value: Any, at: str) -> Iterator[Problem]:
    kind = type_of(value)
    check = text(2000) if kind in {"plain_text", "mrkdwn"} else _element(IN_CONTEXT, "context")
    yield from check(value, at)


def _cell(value: Any, at: str) -> Iterator[Problem]:
    kind = type_of(value)
    if kind not in {"raw_text", "raw_number", "rich_text"}:
        yield f"unsupported type: {kind} (table cell)", at
    elif kind == "raw_text":
        yield from string(10_000)(value.get("text"), f"{at}/text")
    elif kind == "rich_text":
        yield from BLOCKS["rich_text"](value, at)


def _child(value: Any, at: str) -> Iterator[Problem]:
    yield from by_type(BLOCKS, frozenset(BLOCKS) - {"container", "carousel"}, "container")(value, at)


def _card(value: Any, at: str) -> Iterator[Problem]:
    yield from BLOCKS["card"](value, at)


def _task(value: Any, at: str) -> Iterator[Problem]:
    yield from BLOCKS["task_card"](value, at)


_IMAGE = Shape(
    {**TYPE, "alt_text": string(2000)},
    {**BLOCK_ID, "image_url": string(3000), "slack_file": SLACK_FILE, "title": plain(2000)},
    exactly_one("image_url", "slack_file"),
)

BLOCKS: dict[str, Shape] = {
    "section": Shape(
        TYPE,
        {
            **BLOCK_ID,
            "text": text(3000),
            "fields": items(text(2000), 10),
            "accessory": _element(IN_SECTION, "section"),
            "expand": boolean,
        },
        at_least_one("text", "fields"),
    ),
    "header": Shape({**TYPE, "text": plain(150)}, {**BLOCK_ID, "level": integer(1, 6)}),
    "divider": Shape(TYPE, BLOCK_ID),
    "context": Shape({**TYPE, "elements": items(_in_context, 10)}, BLOCK_ID),
    "actions": Shape({**TYPE, "elements": items(_element(IN_ACTIONS, "actions"), 25)}, BLOCK_ID),
    "image": _IMAGE,
    "markdown": Shape({**TYPE, "text": string(MARKDOWN_LIMIT)}, BLOCK_ID),
    "input": Shape(
        {**TYPE, "label": plain(2000), "element": _element(IN_INPUT, "input")},
        {**BLOCK_ID, "hint": plain(2000), "optional": boolean, "dispatch_action": boolean},
    ),
    "rich_text": Shape({**TYPE, "elements": items(RICH_TEXT_PART, 100)}, BLOCK_ID),
    "table": Shape(
        {**TYPE, "rows": items(items(_cell, TABLE_COLUMNS), TABLE_ROWS)},
        {**BLOCK_ID, "column_settings": items(anything, TABLE_COLUMNS, 0)},
    ),
    "data_table": Shape(
        {**TYPE, "caption": string(255), "rows": items(items(_cell, TABLE_COLUMNS), DATA_ROWS_MOST, DATA_ROWS_LEAST)},
        {**BLOCK_ID, "page_size": integer(1, 100), "row_header_column_index": integer(0, 19), "column_settings": anything},
    ),
    "data_visualization": Shape({**TYPE, "title": string(50), "chart": anything}, BLOCK_ID),
    "video": Shape(
        {**TYPE, "alt_text": string(2000), "title": plain(200), "thumbnail_url": string(3000), "video_url": string(3000)},
        {
            **BLOCK_ID,
            "author_name": string(50),
            "description": plain(200),
            "provider_icon_url": string(2000),
            "provider_name": string(50),
            "title_url": string(2000),
        },
    ),
    "file": Shape({**TYPE, "external_id": string(255), "source": choice("remote")}, BLOCK_ID),
    "card": Shape(
        TYPE,
        {
            **BLOCK_ID,
            "title": text(150),
            "subtitle": text(150),
            "body": text(200),
            "subtext": text(200),
            "hero_image": anything,
            "icon": anything,
            "slack_icon": anything,
            "actions": items(_element(frozenset({"button"}), "card"), 3),
        },
        at_least_one("title", "body", "hero_image", "actions"),
    ),
    "carousel": Shape({**TYPE, "elements": items(_card, 10)}, BLOCK_ID),
    "container": Shape(
        {**TYPE, "child_blocks": items(_child, 10)},
        {
            **BLOCK_ID,
            "title": text(150),
            "subtitle": text(150),
            "icon": anything,
            "width": string(20),
            "is_collapsible": boolean,
            "default_collapsed": boolean,
        },
    ),
    "context_actions": Shape(
        {**TYPE, "elements": items(_element(frozenset({"feedback_buttons", "icon_button"}), "context_actions"), 5)}, BLOCK_ID
    ),
    "alert": Shape({**TYPE, "text": text(200)}, {**BLOCK_ID, "level": choice("default", "info", "warning", "error", "success")}),
    "plan": Shape({**TYPE, "title": string(255)}, {**BLOCK_ID, "tasks": items(_task, 50, 0)}),
    "task_card": Shape(
        {**TYPE, "task_id": string(255), "title": string(255)},
        {**BLOCK_ID, "status": _TASK_STATUS, "details": anything, "output": anything, "sources": items(anything, 100, 0)},
    ),
}

MODAL = frozenset({"actions", "alert", "card", "context", "divider", "header", "image", "input", "rich_text", "section", "video"})
HOME = (MODAL - {"alert"}) | {"carousel", "container", "data_table", "data_visualization", "table"}
SURFACES: dict[str, frozenset[str]] = {"message": frozenset(BLOCKS) - {"alert"}, "modal": MODAL, "home": HOME}
"""Which surface takes which block (slackblocks 3.0.0, `_surfaces.py`, agrees with Slack's block pages)."""
