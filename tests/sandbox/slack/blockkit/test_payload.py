"""Each rule is tried at its limit (taken) and one beyond (refused)."""

from collections.abc import Callable
from typing import Any

import pytest

from sandbox.slack.blockkit import check_blocks, check_view, identify
from sandbox.slack.refusal import Refused


def plain(words: str = "x") -> dict[str, Any]:
    return {"type": "plain_text", "text": words}


def mrkdwn(words: str = "x") -> dict[str, Any]:
    return {"type": "mrkdwn", "text": words}


def section(**more: Any) -> dict[str, Any]:
    return {"type": "section", "text": mrkdwn(), **more}


def button(**more: Any) -> dict[str, Any]:
    return {"type": "button", "text": plain("Go"), **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def option(words: str = "x", value: str = "v") -> dict[str, Any]:
    return {"text": plain(words), "value": value}


def select(**more: Any) -> dict[str, Any]:
    return {"type": "static_select", "options": [option()], **more}


def error_of(blocks: Any, surface: str = "message") -> str:
    try:
        check_blocks(blocks, surface, {})
    except Refused as refused:
        return refused.error
    return "ok"


ALL_SURFACES = {"message", "modal", "home"}
TASK = {"type": "task_card", "task_id": "1", "title": "t"}
RICH = {
    "type": "rich_text_section",
    "elements": [{"type": "text", "text": "x", "style": {"bold": True}}, {"type": "user", "user_id": "U1"}],
}
LIMITS = [
    ("section text", lambda n: section(text=mrkdwn("x" * n)), 3000),
    ("section fields", lambda n: {"type": "section", "fields": [mrkdwn()] * n}, 10),
    ("section field text", lambda n: {"type": "section", "fields": [mrkdwn("x" * n)]}, 2000),
    ("block_id", lambda n: section(block_id="x" * n), 255),
    ("header", lambda n: {"type": "header", "text": plain("x" * n)}, 150),
    ("context elements", lambda n: {"type": "context", "elements": [mrkdwn()] * n}, 10),
    ("actions elements", lambda n: actions(*[button() for _ in range(n)]), 25),
    ("button text", lambda n: actions(button(text=plain("x" * n))), 75),
    ("button value", lambda n: actions(button(value="x" * n)), 2000),
    ("button url", lambda n: actions(button(url="x" * n)), 3000),
    ("button label", lambda n: actions(button(accessibility_label="x" * n)), 75),
    ("action_id", lambda n: actions(button(action_id="x" * n)), 255),
    ("confirm title", lambda n: actions(button(confirm={"title": plain("x" * n), "text": mrkdwn()})), 100),
    ("confirm text", lambda n: actions(button(confirm={"title": plain(), "text": mrkdwn("x" * n)})), 300),
    ("confirm yes", lambda n: actions(button(confirm={"title": plain(), "text": mrkdwn(), "confirm": plain("x" * n)})), 30),
    ("select options", lambda n: actions(select(options=[option()] * n)), 100),
    ("option text", lambda n: actions(select(options=[option("x" * n)])), 75),
    ("option value", lambda n: actions(select(options=[option(value="x" * n)])), 150),
    ("placeholder", lambda n: actions(select(placeholder=plain("x" * n))), 150),
    ("overflow", lambda n: actions({"type": "overflow", "options": [option()] * n}), 5),
    ("checkboxes", lambda n: actions({"type": "checkboxes", "options": [option()] * n}), 10),
    ("image alt", lambda n: {"type": "image", "image_url": "https://x.example", "alt_text": "x" * n}, 2000),
    ("image url", lambda n: {"type": "image", "image_url": "x" * n, "alt_text": "x"}, 3000),
    ("markdown", lambda n: {"type": "markdown", "text": "x" * n}, 12_000),
    ("table rows", lambda n: {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]] * n}, 100),
    ("table columns", lambda n: {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * n]}, 20),
    ("table text", lambda n: {"type": "table", "rows": [[{"type": "raw_text", "text": "x" * n}]]}, 10_000),
    ("input label", lambda n: {"type": "input", "label": plain("x" * n), "element": {"type": "plain_text_input"}}, 2000),
    (
        "plan tasks",
        lambda n: {"type": "plan", "title": "x", "tasks": [{"type": "task_card", "task_id": "1", "title": "t"}] * n},
        50,
    ),
    ("chart title", lambda n: {"type": "data_visualization", "title": "x" * n, "chart": {}}, 50),
]


@pytest.mark.parametrize(("name", "make", "limit"), LIMITS, ids=[name for name, _, _ in LIMITS])
def test_each_limit_holds_to_the_character(name: str, make: Callable[[int], Any], limit: int) -> None:
    assert error_of([make(limit)]) == "ok"
    assert error_of([make(limit + 1)]) == "invalid_blocks"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "poem", "text": mrkdwn()},
        section(colour="red"),
        {"type": "section"},
        section(text="bare"),
        section(text=mrkdwn("")),
        {"type": "header", "text": mrkdwn()},
        {"type": "image", "alt_text": "x"},
        {"type": "image", "image_url": "https://x.example"},
        actions(),
        actions(button(style="loud")),
        actions({"type": "plain_text_input"}),
        actions(select(options=None)),
        section(accessory={"type": "image", "image_url": "https://x.example"}),
        {"type": "alert", "text": mrkdwn()},
        "bare",
        {"type": "context", "elements": [button()]},
        {"type": "rich_text", "elements": [{"type": "rich_text_poem", "elements": []}]},
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": ""}]}]},
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "user"}]}]},
        {"type": "rich_text", "elements": [{"type": "rich_text_list", "style": "round", "elements": [RICH]}]},
        {"type": "data_table", "caption": "x", "rows": [[{"type": "raw_text", "text": "x"}]]},
    ],
)
def test_a_block_that_slack_does_not_know_is_refused(block: dict[str, Any]) -> None:
    assert error_of([block]) == "invalid_blocks"


@pytest.mark.parametrize(
    "block",
    [
        section(accessory=button(action_id="a")),
        {"type": "context", "elements": [mrkdwn(), {"type": "image", "image_url": "https://x.example", "alt_text": "x"}]},
        {"type": "divider", "block_id": "d"},
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}]},
        {"type": "rich_text", "elements": [RICH, {"type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [RICH]}]},
        {"type": "rich_text", "elements": [{"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "log"}]}]},
        {"type": "container", "title": plain(), "child_blocks": [section()]},
        {"type": "card", "title": mrkdwn(), "actions": [button()]},
    ],
)
def test_ordinary_blocks_are_taken(block: dict[str, Any]) -> None:
    assert error_of([block]) == "ok"


def test_the_refusal_points_at_the_place() -> None:
    with pytest.raises(Refused) as refused:
        check_blocks([section(), section(text=mrkdwn("x" * 3001))], "message", {})
    messages = refused.value.extra["response_metadata"]["messages"]
    assert messages == ["[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]"]


def test_ids_are_unique() -> None:
    assert error_of([section(block_id="a"), section(block_id="a")]) == "invalid_blocks"
    assert error_of([actions(button(action_id="a"), button(action_id="a"))]) == "invalid_blocks"
    assert error_of([actions(button(action_id="a")), actions(button(action_id="a"))]) == "ok"


def test_limits_for_all_blocks_together() -> None:
    assert error_of([{"type": "divider"}] * 50) == "ok"
    assert error_of([{"type": "divider"}] * 51) == "msg_blocks_too_many"
    assert error_of([{"type": "markdown", "text": "x" * 6_001}] * 2) == "invalid_blocks"
    assert error_of([{"type": "data_visualization", "title": "x", "chart": {}}] * 3) == "invalid_blocks"
    assert error_of([section(text=mrkdwn("x" * 2_600))] * 5) == "ok"
    assert error_of([section(text=mrkdwn("x" * 2_601))] * 5) == "msg_blocks_too_long"
    assert error_of({"type": "divider"}) == "invalid_blocks_format"


@pytest.mark.parametrize(
    ("kind", "surfaces"),
    [("markdown", {"message"}), ("alert", {"modal"}), ("table", {"message", "home"}), ("context", ALL_SURFACES)],
)
def test_each_surface_takes_its_blocks(kind: str, surfaces: set[str]) -> None:
    blocks = {
        "markdown": {"type": "markdown", "text": "x"},
        "alert": {"type": "alert", "text": mrkdwn()},
        "table": {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]},
        "context": {"type": "context", "elements": [mrkdwn()]},
    }
    assert {surface for surface in ALL_SURFACES if error_of([blocks[kind]], surface) == "ok"} == surfaces


def test_a_modal_with_inputs_needs_a_submit_button() -> None:
    name = {"type": "input", "label": plain("Name"), "element": {"type": "plain_text_input"}}
    view = {"type": "modal", "title": plain("Setup"), "blocks": [name]}
    with pytest.raises(Refused):
        check_view(view, "modal", {})
    assert check_view({**view, "submit": plain("Save")}, "modal", {})["submit"]["text"] == "Save"


def test_missing_ids_are_made_and_given_ones_stay() -> None:
    blocks = [
        actions(button(), button(action_id="mine")),
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": []}]},
    ]
    identify(blocks)
    first, second = blocks[0]["elements"]
    assert first["action_id"]
    assert second["action_id"] == "mine"
    assert blocks[0]["block_id"] != blocks[1]["block_id"]
    assert "action_id" not in blocks[1]["elements"][0]
