"""Whole payloads: the blocks of a message and views, with the limits that hold for all blocks together."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.slack.blockkit.blocks import BLOCKS, MARKDOWN_LIMIT, SURFACES
from sandbox.slack.blockkit.checks import Problem, Shape, boolean, by_type, choice, items, string
from sandbox.slack.blockkit.elements import plain
from sandbox.slack.refusal import Json, Refused, invalid_arguments

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
VIEW_BYTES = 250_000
TOTAL_CHARACTERS = 13_000
"""Of all text in the blocks of one message. Undocumented: refused from 12,000 to 13,200 on (bolt-js issues 2509, 2867)."""
TABLE_CHARACTERS = 10_000
DATA_TABLE_CHARACTERS = 20_000
DATA_VISUALIZATIONS = 2
TABLES = 1
COUNTED_KEYS = frozenset({"text", "alt_text", "caption", "title", "description", "details", "output"})

_VIEW_KEYS = {
    "type": choice("modal", "home"),
    "blocks": items(lambda _value, _at: iter(()), VIEW_BLOCKS, 0),
}
_SHARED = {"private_metadata": string(3000, 0), "callback_id": string(255, 0), "external_id": string(255, 0)}
READ_ONLY = frozenset(
    [
        "id",
        "team_id",
        "state",
        "hash",
        "previous_view_id",
        "root_view_id",
        "app_id",
        "bot_id",
        "app_installed_team_id",
        "clear_on_close",
        "notify_on_close",
        "title",
        "submit",
        "close",
    ]
)
VIEWS = {
    "modal": Shape(
        {**_VIEW_KEYS, "title": plain(24)},
        {
            **_SHARED,
            "submit": plain(24),
            "close": plain(24),
            "clear_on_close": boolean,
            "notify_on_close": boolean,
            "submit_disabled": boolean,
        },
    ),
    "home": Shape(_VIEW_KEYS, _SHARED, ignored=READ_ONLY),
}


def check_blocks(blocks: Any, surface: str, files: Mapping[str, object]) -> None:
    """Refuses blocks of a message. Refused: invalid_blocks_format, msg_blocks_too_many, invalid_blocks, msg_blocks_too_long."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    if len(blocks) > MESSAGE_BLOCKS:
        raise _refused("msg_blocks_too_many", [(f"no more than {MESSAGE_BLOCKS} items allowed", "/blocks")])
    if problems := list(_problems(blocks, surface, files)):
        raise _refused("invalid_blocks", problems)
    if characters(blocks) > TOTAL_CHARACTERS:
        raise Refused("msg_blocks_too_long")


def check_view(view: Any, kind: str, files: Mapping[str, object]) -> Json:
    """The view, when Slack would take it. Refused: invalid_arguments with what is wrong, view_too_large."""
    if not isinstance(view, dict):
        raise invalid_arguments("must be an object [json-pointer:/view]")
    if len(json.dumps(view).encode()) > VIEW_BYTES:
        raise Refused("view_too_large")
    problems = list(VIEWS[kind](view, "/view"))
    if view.get("type") != kind:
        problems.append((f"must be of type {kind}", "/view/type"))
    blocks = view.get("blocks")
    if isinstance(blocks, list) and not problems:
        problems = [(what, f"/view{at}") for what, at in _problems(blocks, kind, files)]
        if kind == "modal" and not view.get("submit") and any(b.get("type") == "input" for b in blocks if isinstance(b, dict)):
            problems.append(("missing required field: submit (the view has input blocks)", "/view"))
    if problems:
        raise _refused("invalid_arguments", problems)
    return view


def characters(blocks: list[Json]) -> int:
    """The characters of all text in blocks."""
    return sum(len(piece) for piece in _pieces(blocks))


def _pieces(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _pieces(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str) and key in COUNTED_KEYS:
                yield value
            elif isinstance(value, dict | list):
                yield from _pieces(value)


def _problems(blocks: list[Any], surface: str, files: Mapping[str, object]) -> Iterator[Problem]:
    check = by_type(BLOCKS, SURFACES[surface], surface)
    sound = True
    for index, block in enumerate(blocks):
        for problem in check(block, f"/blocks/{index}"):
            sound = False
            yield problem
    if sound:
        yield from _duplicates(blocks)
        yield from _together(blocks)
        yield from _missing_files(blocks, files)


def _duplicates(blocks: list[Json]) -> Iterator[Problem]:
    """block_id must be unique in a payload, action_id in a block."""
    seen: set[str] = set()
    for index, block in enumerate(blocks):
        block_id = block.get("block_id")
        if block_id and block_id in seen:
            yield f"block_id already exists: {block_id}", f"/blocks/{index}/block_id"
        seen.add(str(block_id))
        actions = [e.get("action_id") for e in block.get("elements") or [] if isinstance(e, dict) and e.get("action_id")]
        for action_id in {a for a in actions if actions.count(a) > 1}:
            yield f"action_id already exists: {action_id}", f"/blocks/{index}/elements"


def _together(blocks: list[Json]) -> Iterator[Problem]:
    """Limits on all blocks of one kind."""
    kinds = {kind: [b for b in blocks if b["type"] == kind] for kind in ("markdown", "table", "data_table", "data_visualization")}
    if sum(len(b["text"]) for b in kinds["markdown"]) > MARKDOWN_LIMIT:
        yield f"markdown text must be less than {MARKDOWN_LIMIT + 1} characters in all", "/blocks"
    if len(kinds["table"]) > TABLES:
        yield "only_one_table_allowed", "/blocks"
    if characters(kinds["table"]) > TABLE_CHARACTERS:
        yield f"table cells must be less than {TABLE_CHARACTERS + 1} characters in all", "/blocks"
    if characters(kinds["data_table"]) > DATA_TABLE_CHARACTERS:
        yield f"data tables must be less than {DATA_TABLE_CHARACTERS + 1} characters in all", "/blocks"
    if len(kinds["data_visualization"]) > DATA_VISUALIZATIONS:
        yield f"no more than {DATA_VISUALIZATIONS} data_visualization blocks", "/blocks"


def _missing_files(node: Any, files: Mapping[str, object], at: str = "/blocks") -> Iterator[Problem]:
    """A slack_file must be a finished upload."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _missing_files(item, files, f"{at}/{index}")
    elif isinstance(node, dict):
        wanted = node.get("slack_file")
        if isinstance(wanted, dict) and wanted.get("id") and not getattr(files.get(wanted["id"]), "complete", False):
            yield "invalid slack file", f"{at}/slack_file/id"
        for key, value in node.items():
            if isinstance(value, dict | list):
                yield from _missing_files(value, files, f"{at}/{key}")


def _refused(error: str, problems: list[Problem]) -> Refused:
    """As Slack says it: one line per problem, with the JSON pointer."""
    messages = [f"[ERROR] {what} [json-pointer:{at}]" for what, at in problems[:20]]
    return Refused(
        error, errors=[f"{what} [json-pointer:{at}]" for what, at in problems[:20]], response_metadata={"messages": messages}
    )
