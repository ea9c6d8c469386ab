"""Blocks as lines of text, as a person reads them."""

from collections.abc import Callable, Iterator
from typing import Any

from sandbox.slack import components
from sandbox.slack.formatting import Reader
from sandbox.slack.refusal import Json

Lines = Iterator[str]


def lines(blocks: list[Json], reader: Reader) -> Lines:
    """The lines of all blocks, in order; buttons as [Label], selects as [Words v]."""
    for block in blocks:
        yield from RENDER.get(block["type"], _unknown)(block, reader)


def words(of: Any, reader: Reader) -> str:
    """A text object, or bare text, as it reads."""
    if isinstance(of, str):
        return reader.plain(of)
    if not isinstance(of, dict):
        return ""
    return str(of.get("text", "")) if of.get("type") == "plain_text" else reader.plain(str(of.get("text", "")))


def control(element: Json) -> str:
    """A button, select or input as it looks in text."""
    name = components.label(element)
    if element["type"] == "image":
        return f"[image: {element.get('alt_text', '')}]"
    if element["type"] in {"button", "icon_button"}:
        return f"[{name}]"
    if element["type"] in {"overflow", "radio_buttons", "checkboxes"}:
        return "(" + " | ".join(option["text"]["text"] for option in components.options(element)) + ")"
    if element["type"] == "feedback_buttons":
        return f"[{element['positive_button']['text']['text']}] [{element['negative_button']['text']['text']}]"
    return f"[{name} v]" if "select" in element["type"] else f"[{name}: ____]"


def _section(block: Json, reader: Reader) -> Lines:
    if block.get("text"):
        yield from words(block["text"], reader).split("\n")
    for fieldset in block.get("fields") or []:
        yield from words(fieldset, reader).split("\n")
    if block.get("accessory"):
        yield control(block["accessory"])


def _context(block: Json, reader: Reader) -> Lines:
    parts = [control(e) if e["type"] == "image" else words(e, reader) for e in block["elements"]]
    yield from " · ".join(parts).split("\n")


def _actions(block: Json, reader: Reader) -> Lines:
    del reader
    yield " ".join(control(element) for element in block["elements"])


def _text(block: Json, reader: Reader) -> Lines:
    yield from words(block["text"], reader).split("\n")


def _divider(block: Json, reader: Reader) -> Lines:
    del block, reader
    yield "---"


def _image(block: Json, reader: Reader) -> Lines:
    if block.get("title"):
        yield words(block["title"], reader)
    yield f"[image: {block['alt_text']}]"


def _input(block: Json, reader: Reader) -> Lines:
    yield f"{words(block['label'], reader)}: {control(block['element'])}"


def _table(block: Json, reader: Reader) -> Lines:
    if block.get("caption"):
        yield reader.plain(str(block["caption"]))
    for row in block["rows"]:
        yield " | ".join(_cell(cell, reader) for cell in row)


def _cell(cell: Json, reader: Reader) -> str:
    if cell["type"] == "rich_text":
        return " ".join(_rich(cell, reader))
    return str(cell.get("text", cell.get("value", "")))


def _rich(block: Json, reader: Reader) -> Lines:
    for part in block["elements"]:
        if part["type"] == "rich_text_list":
            for item in part["elements"]:
                yield "• " + "".join(_inline(piece, reader) for piece in item["elements"])
        else:
            yield from "".join(_inline(piece, reader) for piece in part["elements"]).split("\n")


def _inline(piece: Json, reader: Reader) -> str:
    match piece.get("type"):
        case "user":
            return reader.plain(f"<@{piece['user_id']}>")
        case "usergroup":
            return reader.plain(f"<!subteam^{piece['usergroup_id']}>")
        case "channel":
            return reader.plain(f"<#{piece['channel_id']}>")
        case "broadcast":
            return f"@{piece['range']}"
        case "emoji":
            return f":{piece['name']}:"
        case "date":
            return reader.date(f"!date^{piece['timestamp']}^{piece['format']}", str(piece.get("fallback", "")))
    return str(piece.get("text") or piece.get("url") or "")


def _card(block: Json, reader: Reader) -> Lines:
    yield from (words(block[key], reader) for key in ("title", "subtitle", "body", "subtext") if block.get(key))
    if block.get("actions"):
        yield from _actions({"elements": block["actions"]}, reader)


def _inside(block: Json, reader: Reader) -> Lines:
    if block.get("title"):
        yield words(block["title"], reader)
    yield from lines(block.get("child_blocks") or block.get("elements") or [], reader)


def _task(block: Json, reader: Reader) -> Lines:
    yield f"{reader.plain(block['title'])} ({block.get('status', 'pending')})"


def _plan(block: Json, reader: Reader) -> Lines:
    yield reader.plain(block["title"])
    for task in block.get("tasks") or []:
        yield from _task(task, reader)


def _chart(block: Json, reader: Reader) -> Lines:
    yield f"[chart: {reader.plain(block['title'])}]"


def _video(block: Json, reader: Reader) -> Lines:
    yield f"[video: {words(block['title'], reader)}]"


def _unknown(block: Json, reader: Reader) -> Lines:
    del reader
    yield f"[{block['type']}]"


RENDER: dict[str, Callable[[Json, Reader], Lines]] = {
    "section": _section,
    "header": _text,
    "context": _context,
    "actions": _actions,
    "context_actions": _actions,
    "divider": _divider,
    "image": _image,
    "markdown": _text,
    "alert": _text,
    "input": _input,
    "table": _table,
    "data_table": _table,
    "rich_text": _rich,
    "card": _card,
    "carousel": _inside,
    "container": _inside,
    "task_card": _task,
    "plan": _plan,
    "data_visualization": _chart,
    "video": _video,
}
