"""Ids for blocks and elements that came without, as Slack makes them."""

import secrets

from sandbox.slack.refusal import Json

WITHOUT_ACTION_ID = frozenset({"image", "plain_text", "mrkdwn", "url"})


def identify(blocks: list[Json]) -> None:
    """Gives each block a block_id and each interactive element an action_id, in place."""
    for block in blocks:
        if not block.get("block_id"):
            block["block_id"] = secrets.token_urlsafe(4)
        for element in [
            *(block.get("elements") or []),
            block.get("accessory"),
            block.get("element"),
            *(block.get("actions") or []),
        ]:
            if interactive(element) and not element.get("action_id"):
                element["action_id"] = secrets.token_urlsafe(4)
        identify(block.get("child_blocks") or [])


def interactive(element: object) -> bool:
    """Whether somebody can press or fill it in."""
    if not isinstance(element, dict):
        return False
    kind = str(element.get("type"))
    return (kind not in WITHOUT_ACTION_ID and not kind.startswith("rich_text_")) or kind == "rich_text_input"
