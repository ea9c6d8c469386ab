"""What Slack accepts of one block: counts, lengths, kinds and unique ids. A kind without a rule here is refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.errors import WeMoveNext
from bot.slack.escape import units

ID_LIMIT = 255
SECTION_TEXT = 3000
FIELDS = 10
FIELD_TEXT = 2000
HEADER_TEXT = 150
CONTEXT_ELEMENTS = 10
ACTION_ELEMENTS = 25
BUTTON_TEXT = 75
BUTTON_VALUE = 2000
URL = 3000
CONFIRM = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
OPTION_TEXT = 75
OPTION_VALUE = 150
PLACEHOLDER = 150
OPTIONS = {"static_select": 100, "multi_static_select": 100, "overflow": 5, "checkboxes": 10, "radio_buttons": 10}
SELECTS = frozenset(
    {
        "users_select",
        "conversations_select",
        "channels_select",
        "multi_users_select",
        "multi_conversations_select",
        "multi_channels_select",
    }
)
PICKERS = frozenset({"datepicker", "timepicker", "datetimepicker"})
TEXT_INPUTS = frozenset({"plain_text_input", "number_input", "email_text_input", "url_text_input"})
INPUT_LABEL = 2000
INPUT_LENGTH = 3000
ALT_TEXT = 2000
MARKDOWN_TOTAL = 12_000
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_TEXT = 10_000


@dataclass
class Check:
    """One payload's walk: the allowed kinds of blocks, the ids seen so far and the characters counted so far."""

    allowed: frozenset[str]
    total: int = 0
    markdown: int = 0
    table_text: int = 0
    block_ids: set[str] = field(default_factory=set)

    def words(self, value: object, path: str, limit: int, *, least: int = 1) -> str:
        """The value, when it is a string of `least` to `limit` UTF-16 units."""
        if not isinstance(value, str):
            raise WeMoveNext(f"{path} is not text")
        if not least <= units(value) <= limit:
            raise WeMoveNext(f"{path} is {units(value):,} characters long; allowed are {least:,} to {limit:,}")
        return value

    def optional(self, value: object, path: str, limit: int) -> None:
        """Like `words`, when there is a value."""
        if value is not None:
            self.words(value, path, limit, least=0)

    def text(self, value: object, path: str, limit: int) -> None:
        """A text object of either kind; its characters count towards the whole."""
        kind = mapping(value, path).get("type")
        if kind not in {"mrkdwn", "plain_text"}:
            raise WeMoveNext(f"{path}.type is neither mrkdwn nor plain_text")
        self.total += units(self.words(mapping(value, path).get("text"), f"{path}.text", limit))

    def plain_text(self, value: object, path: str, limit: int) -> None:
        """A plain_text object."""
        if mapping(value, path).get("type") != "plain_text":
            raise WeMoveNext(f"{path}.type is not plain_text")
        self.text(value, path, limit)


def mapping(value: object, path: str) -> Mapping[str, Any]:
    """The value as a JSON object."""
    if not isinstance(value, Mapping):
        raise WeMoveNext(f"{path} is not an object")
    return value


def rows(value: object, path: str, limit: int, *, least: int = 1) -> Sequence[Any]:
    """The value as a JSON array of `least` to `limit` elements."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise WeMoveNext(f"{path} is not a list")
    if not least <= len(value) <= limit:
        raise WeMoveNext(f"{path} has {len(value)} elements; allowed are {least} to {limit}")
    return value


def check_blocks(check: Check, blocks: object, path: str, limit: int) -> None:
    """Every block by its own rule."""
    for index, block in enumerate(rows(blocks, path, limit, least=0)):
        here = f"{path}[{index}]"
        kind = mapping(block, here).get("type")
        if kind not in check.allowed:
            raise WeMoveNext(f"{here}.type {kind!r} is not one that may be sent here")
        block_id = block.get("block_id")
        check.optional(block_id, f"{here}.block_id", ID_LIMIT)
        if block_id is not None and block_id in check.block_ids:
            raise WeMoveNext(f"{here}.block_id {block_id!r} is there twice")
        check.block_ids.add(block_id)
        _RULES[kind](check, block, here)


def _section(check: Check, block: Mapping[str, Any], path: str) -> None:
    if "text" not in block and "fields" not in block:
        raise WeMoveNext(f"{path} has neither text nor fields")
    if "text" in block:
        check.text(block["text"], f"{path}.text", SECTION_TEXT)
    for index, one in enumerate(rows(block["fields"], f"{path}.fields", FIELDS) if "fields" in block else ()):
        check.text(one, f"{path}.fields[{index}]", FIELD_TEXT)
    if "accessory" in block:
        _element(check, block["accessory"], f"{path}.accessory")


def _actions(check: Check, block: Mapping[str, Any], path: str) -> None:
    seen: set[str] = set()
    for index, element in enumerate(rows(block.get("elements"), f"{path}.elements", ACTION_ELEMENTS)):
        here = f"{path}.elements[{index}]"
        _element(check, element, here)
        action_id = element.get("action_id")
        if action_id is not None and action_id in seen:
            raise WeMoveNext(f"{here}.action_id {action_id!r} is there twice")
        seen.add(action_id)


def _context(check: Check, block: Mapping[str, Any], path: str) -> None:
    for index, element in enumerate(rows(block.get("elements"), f"{path}.elements", CONTEXT_ELEMENTS)):
        here = f"{path}.elements[{index}]"
        if mapping(element, here).get("type") == "image":
            _image(check, element, here)
        else:
            check.text(element, here, SECTION_TEXT)


def _header(check: Check, block: Mapping[str, Any], path: str) -> None:
    check.plain_text(block.get("text"), f"{path}.text", HEADER_TEXT)


def _image(check: Check, block: Mapping[str, Any], path: str) -> None:
    if ("image_url" in block) == ("slack_file" in block):
        raise WeMoveNext(f"{path} needs either image_url or slack_file")
    check.optional(block.get("image_url"), f"{path}.image_url", URL)
    check.total += units(check.words(block.get("alt_text"), f"{path}.alt_text", ALT_TEXT))
    if "title" in block:
        check.plain_text(block["title"], f"{path}.title", ALT_TEXT)


def _input(check: Check, block: Mapping[str, Any], path: str) -> None:
    check.plain_text(block.get("label"), f"{path}.label", INPUT_LABEL)
    if "hint" in block:
        check.plain_text(block["hint"], f"{path}.hint", INPUT_LABEL)
    if mapping(block.get("element"), f"{path}.element").get("type") in {"button", "overflow", "image"}:
        raise WeMoveNext(f"{path}.element is not something to fill in")
    _element(check, block["element"], f"{path}.element")


def _markdown(check: Check, block: Mapping[str, Any], path: str) -> None:
    size = units(check.words(block.get("text"), f"{path}.text", MARKDOWN_TOTAL))
    check.total += size
    check.markdown += size
    if check.markdown > MARKDOWN_TOTAL:
        raise WeMoveNext(f"{path}: {check.markdown:,} characters of markdown in all, over {MARKDOWN_TOTAL:,}")


def _rich_text(check: Check, block: Mapping[str, Any], path: str) -> None:
    check.total += _leaves(rows(block.get("elements"), f"{path}.elements", 1000))


def _table(check: Check, block: Mapping[str, Any], path: str) -> None:
    size = 0
    for index, row in enumerate(rows(block.get("rows"), f"{path}.rows", TABLE_ROWS)):
        size += _leaves(rows(row, f"{path}.rows[{index}]", TABLE_COLUMNS))
    check.table_text += size
    if check.table_text > TABLE_TEXT:
        raise WeMoveNext(f"{path}: {check.table_text:,} characters in tables in all, over {TABLE_TEXT:,}")
    check.total += size


def _leaves(value: object) -> int:
    """UTF-16 units of all text inside nested rich text."""
    if isinstance(value, Mapping):
        own = value.get("text")
        return units(own) if isinstance(own, str) else sum(_leaves(one) for one in value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sum(_leaves(one) for one in value)
    return 0


def _element(check: Check, element: object, path: str) -> None:
    parts = mapping(element, path)
    kind = parts.get("type")
    check.optional(parts.get("action_id"), f"{path}.action_id", ID_LIMIT)
    if "placeholder" in parts:
        check.plain_text(parts["placeholder"], f"{path}.placeholder", PLACEHOLDER)
    if "confirm" in parts:
        _confirm(check, parts["confirm"], f"{path}.confirm")
    if kind == "button":
        _button(check, parts, path)
    elif kind == "image":
        _image(check, parts, path)
    elif kind in OPTIONS:
        _options(check, parts, path, OPTIONS[kind])
    elif kind in TEXT_INPUTS:
        check.optional(parts.get("initial_value"), f"{path}.initial_value", INPUT_LENGTH)
        if not 1 <= parts.get("max_length", 1) <= INPUT_LENGTH:
            raise WeMoveNext(f"{path}.max_length is not 1 to {INPUT_LENGTH}")
    elif kind not in SELECTS | PICKERS:
        raise WeMoveNext(f"{path}.type {kind!r} is not one that may be sent")


def _button(check: Check, button: Mapping[str, Any], path: str) -> None:
    check.plain_text(button.get("text"), f"{path}.text", BUTTON_TEXT)
    check.optional(button.get("url"), f"{path}.url", URL)
    if "value" in button:
        check.total += units(check.words(button["value"], f"{path}.value", BUTTON_VALUE))
    if button.get("style") not in {None, "primary", "danger"}:
        raise WeMoveNext(f"{path}.style is neither primary nor danger")


def _confirm(check: Check, confirm: object, path: str) -> None:
    for part, limit in CONFIRM.items():
        check.text(mapping(confirm, path).get(part), f"{path}.{part}", limit)


def _options(check: Check, element: Mapping[str, Any], path: str, limit: int) -> None:
    for index, option in enumerate(rows(element.get("options"), f"{path}.options", limit)):
        here = f"{path}.options[{index}]"
        check.text(mapping(option, here).get("text"), f"{here}.text", OPTION_TEXT)
        check.words(option.get("value"), f"{here}.value", OPTION_VALUE)


_RULES: Mapping[str, Callable[[Check, Mapping[str, Any], str], None]] = {
    "section": _section,
    "actions": _actions,
    "context": _context,
    "header": _header,
    "divider": lambda _check, _block, _path: None,
    "image": _image,
    "input": _input,
    "markdown": _markdown,
    "rich_text": _rich_text,
    "table": _table,
}
