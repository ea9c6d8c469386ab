"""Whether Slack will take a message or a view, checked on the final JSON just before it is sent.

Numbers: docs.slack.dev (Block Kit reference, chat.*, views.*) and the limit list of slackblocks 3.0.0; where they disagree, the
smaller. Lengths are UTF-16 units, the larger of the two ways to count.
"""

import json
from collections.abc import Mapping
from typing import Any

from bot.errors import WeMoveNext
from bot.slack.block_rules import Check, check_blocks

TEXT_LIMIT = 4000
"""chat.update refuses longer text (msg_too_long); chat.postMessage recommends it."""
MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
TOTAL_TEXT = 10_000
"""All text of a message's blocks. Undocumented: 11,341 characters were once refused (bolt-js#2867)."""
VIEW_BYTES = 250_000
PRIVATE_METADATA = 3000
EXTERNAL_ID = 255
VIEW_TITLE = 24

MESSAGE_TYPES = frozenset({"section", "actions", "context", "header", "divider", "image", "markdown", "rich_text", "table"})
MODAL_TYPES = frozenset({"section", "actions", "context", "header", "divider", "image", "rich_text", "input"})
HOME_TYPES = MODAL_TYPES | {"table"}


def validate_message(payload: Mapping[str, Any]) -> None:
    """Raise WeMoveNext, naming the JSON path, when Slack would refuse this message or would ping or unfurl on its own account."""
    check = Check(MESSAGE_TYPES)
    blocks = payload.get("blocks")
    check.words(payload.get("text", ""), "text", TEXT_LIMIT, least=0 if blocks else 1)
    if payload.get("link_names") or payload.get("parse") not in {None, "none"}:
        raise WeMoveNext("link_names and parse would make mentions of bare words")
    if blocks is not None:
        check_blocks(check, blocks, "blocks", MESSAGE_BLOCKS)
    if check.total > TOTAL_TEXT:
        raise WeMoveNext(f"blocks hold {check.total:,} characters in all, over {TOTAL_TEXT:,}")


def validate_view(view: Mapping[str, Any]) -> None:
    """Raise WeMoveNext, naming the JSON path, when Slack would refuse this modal or Home tab."""
    kind = view.get("type")
    if kind not in {"modal", "home"}:
        raise WeMoveNext("view.type is neither modal nor home")
    check = Check(MODAL_TYPES if kind == "modal" else HOME_TYPES)
    if kind == "modal":
        _modal(check, view)
    check.optional(view.get("private_metadata"), "private_metadata", PRIVATE_METADATA)
    check.optional(view.get("callback_id"), "callback_id", EXTERNAL_ID)
    check.optional(view.get("external_id"), "external_id", EXTERNAL_ID)
    check_blocks(check, view.get("blocks"), "blocks", VIEW_BLOCKS)
    if len(json.dumps(view).encode()) > VIEW_BYTES:
        raise WeMoveNext(f"the view is over {VIEW_BYTES:,} bytes")


def _modal(check: Check, view: Mapping[str, Any]) -> None:
    check.plain_text(view.get("title"), "title", VIEW_TITLE)
    for part in ("submit", "close"):
        if view.get(part) is not None:
            check.plain_text(view[part], part, VIEW_TITLE)
    blocks = view.get("blocks") or []
    if "submit" not in view and any(isinstance(block, Mapping) and block.get("type") == "input" for block in blocks):
        raise WeMoveNext("a view with an input block needs view.submit")
