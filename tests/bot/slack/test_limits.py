from typing import Any

import pytest

from bot.errors import WeMoveNext
from bot.slack.limits import validate_message, validate_view

PLAIN = {"type": "plain_text", "text": "ok"}


def mrkdwn(size: int) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": "x" * size}


def plain(size: int) -> dict[str, Any]:
    return {"type": "plain_text", "text": "x" * size}


def section(size: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "section", "text": mrkdwn(size), **more}


def button(n: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "button", "text": PLAIN, "action_id": f"say:{n}", **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def select(options: list[dict[str, Any]], kind: str = "static_select") -> dict[str, Any]:
    return actions({"type": kind, "action_id": "a", "options": options})


OPTION = {"text": PLAIN, "value": "v"}
INPUT = {"type": "input", "label": PLAIN, "element": {"type": "plain_text_input", "action_id": "a"}}
TABLE_ROW = [{"type": "raw_text", "text": "x"}]

FITS: dict[str, list[dict[str, Any]]] = {
    "section text": [section(3000)],
    "fields": [{"type": "section", "fields": [mrkdwn(900)] * 10}],
    "header": [{"type": "header", "text": plain(150)}],
    "buttons": [actions(*(button(n) for n in range(25)))],
    "button text": [actions(button(text=plain(75), value="v" * 2000, url="https://a.example/"))],
    "context": [{"type": "context", "elements": [mrkdwn(10)] * 10}],
    "image": [{"type": "image", "slack_file": {"id": "F0CHART001"}, "alt_text": "x" * 2000}],
    "blocks": [section()] * 50,
    "options": [select([OPTION] * 100)],
    "overflow": [select([OPTION] * 5, "overflow")],
    "markdown": [{"type": "markdown", "text": "x" * 9000}],
    "table": [{"type": "table", "rows": [TABLE_ROW * 20] * 100}],
    "total": [section(2500)] * 4,
    "divider": [{"type": "divider", "block_id": "x" * 255}],
    "rich text": [
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "hi"}]}]}
    ],
}

OVER: dict[str, tuple[list[Any], str]] = {
    "section text": ([section(), section(3001)], "blocks[1].text.text"),
    "empty text": ([section(0)], "blocks[0].text.text"),
    "astral text": ([{"type": "section", "text": {"type": "mrkdwn", "text": "😀" * 1501}}], "blocks[0].text.text"),
    "no text": ([{"type": "section"}], "blocks[0]"),
    "fields": ([{"type": "section", "fields": [mrkdwn(1)] * 11}], "blocks[0].fields"),
    "field text": ([{"type": "section", "fields": [mrkdwn(2001)]}], "blocks[0].fields[0].text"),
    "header": ([{"type": "header", "text": plain(151)}], "blocks[0].text.text"),
    "header kind": ([{"type": "header", "text": mrkdwn(1)}], "blocks[0].text.type"),
    "buttons": ([actions(*(button(n) for n in range(26)))], "blocks[0].elements"),
    "no buttons": ([actions()], "blocks[0].elements"),
    "button text": ([actions(button(text=plain(76)))], "blocks[0].elements[0].text.text"),
    "button value": ([actions(button(value="v" * 2001))], "blocks[0].elements[0].value"),
    "button url": ([actions(button(url="u" * 3001))], "blocks[0].elements[0].url"),
    "button style": ([actions(button(style="default"))], "blocks[0].elements[0].style"),
    "action id": ([actions(button(), button())], "blocks[0].elements[1].action_id"),
    "long action id": ([actions(button(action_id="x" * 256))], "blocks[0].elements[0].action_id"),
    "block id": ([section(block_id="a"), section(block_id="a")], "blocks[1].block_id"),
    "confirm": (
        [actions(button(confirm={"title": plain(101), "text": PLAIN, "confirm": PLAIN, "deny": PLAIN}))],
        "confirm.title",
    ),
    "context": ([{"type": "context", "elements": [mrkdwn(1)] * 11}], "blocks[0].elements"),
    "image without words": ([{"type": "image", "slack_file": {"id": "F0CHART001"}}], "blocks[0].alt_text"),
    "image of nothing": ([{"type": "image", "alt_text": "x"}], "blocks[0]"),
    "blocks": ([section()] * 51, "blocks has 51"),
    "options": ([select([OPTION] * 101)], "blocks[0].elements[0].options"),
    "overflow": ([select([OPTION] * 6, "overflow")], "blocks[0].elements[0].options"),
    "option text": ([select([{"text": plain(76), "value": "v"}])], "options[0].text"),
    "option value": ([select([{"text": PLAIN, "value": "v" * 151}])], "options[0].value"),
    "markdown": ([{"type": "markdown", "text": "x" * 12_001}], "blocks[0].text"),
    "markdown in all": ([{"type": "markdown", "text": "x" * 7000}] * 2, "blocks[1]"),
    "table rows": ([{"type": "table", "rows": [TABLE_ROW] * 101}], "blocks[0].rows"),
    "table columns": ([{"type": "table", "rows": [TABLE_ROW * 21]}], "blocks[0].rows[0]"),
    "table text": ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x" * 10_001}]]}], "blocks[0]"),
    "total": ([section(2501)] * 4, "10,004 characters in all"),
    "alert": ([{"type": "alert", "text": PLAIN}], "blocks[0].type"),
    "input": ([INPUT], "blocks[0].type"),
    "unknown": ([{"type": "blink"}], "blocks[0].type"),
    "no object": (["section"], "blocks[0]"),
    "unknown element": ([actions({"type": "lever"})], "blocks[0].elements[0].type"),
}


@pytest.mark.parametrize("blocks", FITS.values(), ids=FITS.keys())
def test_what_just_fits_is_sent(blocks: list[dict[str, Any]]) -> None:
    validate_message({"text": "hello", "blocks": blocks})


@pytest.mark.parametrize(("blocks", "path"), OVER.values(), ids=OVER.keys())
def test_what_slack_would_refuse_is_named_by_its_path(blocks: list[Any], path: str) -> None:
    with pytest.raises(WeMoveNext) as caught:
        validate_message({"text": "hello", "blocks": blocks})
    assert path in str(caught.value)


@pytest.mark.parametrize("text", ["", "x" * 4001, None, 7])
def test_a_message_of_text_alone_needs_some_and_not_too_much(text: Any) -> None:
    with pytest.raises(WeMoveNext):
        validate_message({"text": text})


@pytest.mark.parametrize("extra", [{"link_names": True}, {"parse": "full"}, {"parse": "client"}])
def test_nothing_may_turn_bare_words_into_mentions(extra: dict[str, Any]) -> None:
    with pytest.raises(WeMoveNext):
        validate_message({"text": "hello", **extra})


def modal(**more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": PLAIN, "submit": PLAIN, "blocks": [INPUT], **more}


def test_a_modal_that_just_fits_is_opened() -> None:
    validate_view(modal(title=plain(24), private_metadata="x" * 3000, callback_id="x" * 255, blocks=[INPUT, *[section()] * 99]))


@pytest.mark.parametrize(
    ("view", "path"),
    [
        (modal(title=plain(25)), "title"),
        (modal(submit=plain(25)), "submit"),
        (modal(close=plain(25)), "close"),
        (modal(private_metadata="x" * 3001), "private_metadata"),
        (modal(callback_id="x" * 256), "callback_id"),
        (modal(external_id="x" * 256), "external_id"),
        (modal(blocks=[section()] * 101), "blocks"),
        (modal(blocks=[{"type": "markdown", "text": "x"}]), "blocks[0].type"),
        (modal(blocks=[{"type": "table", "rows": [TABLE_ROW]}]), "blocks[0].type"),
        ({"type": "modal", "title": PLAIN, "blocks": [INPUT]}, "submit"),
        (modal(blocks=[section(3000)] * 90), "bytes"),
        (modal(blocks=[{**INPUT, "element": button()}]), "blocks[0].element"),
        (modal(blocks=[{**INPUT, "element": {"type": "plain_text_input", "max_length": 3001}}]), "blocks[0].element.max_length"),
        ({"type": "home", "blocks": [{"type": "markdown", "text": "x"}]}, "blocks[0].type"),
        ({"type": "workflow_step", "blocks": []}, "view.type"),
        ({"type": "home"}, "blocks"),
    ],
)
def test_a_view_that_slack_would_refuse_is_named_by_its_path(view: dict[str, Any], path: str) -> None:
    with pytest.raises(WeMoveNext) as caught:
        validate_view(view)
    assert path in str(caught.value)
