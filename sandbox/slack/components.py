"""Interactive elements in blocks: finding them by what people see, and what pressing or filling them in says."""

from collections.abc import Iterator
from typing import Any

from sandbox.slack.refusal import Json

SELECT_VALUE = {
    "users_select": "selected_user",
    "channels_select": "selected_channel",
    "conversations_select": "selected_conversation",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "multi_users_select": "selected_users",
    "multi_channels_select": "selected_channels",
    "multi_conversations_select": "selected_conversations",
}
TEXT_INPUTS = frozenset({"plain_text_input", "number_input", "email_text_input", "url_text_input", "rich_text_input"})
ONE_OPTION = frozenset({"static_select", "external_select", "radio_buttons", "overflow"})
MANY_OPTIONS = frozenset({"multi_static_select", "multi_external_select", "checkboxes"})


def elements(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Each block with each element in it that a person can use."""
    for block in blocks:
        inside = [*(block.get("elements") or []), block.get("accessory"), block.get("element"), *(block.get("actions") or [])]
        for element in inside:
            if isinstance(element, dict) and element.get("action_id"):
                yield block, element
        for child in block.get("child_blocks") or []:
            yield from elements([child])


def label(element: Json) -> str:
    """What a person sees on it: the button's words, else the placeholder, else the action_id."""
    for key in ("text", "placeholder"):
        if isinstance(element.get(key), dict):
            return str(element[key].get("text", ""))
    return str(element.get("action_id", ""))


def labels(blocks: list[Json]) -> list[str]:
    """All of them, in order."""
    return [label(element) for _, element in elements(blocks)]


def find(blocks: list[Json], wanted: str) -> tuple[Json, Json] | None:
    """By label, by action_id, or by "block_id/action_id" where an action_id alone says too little."""
    for block, element in elements(blocks):
        if wanted in (label(element), element["action_id"], f"{block.get('block_id')}/{element['action_id']}"):
            return block, element
    return None


def options(element: Json) -> list[Json]:
    """The options of a select, those in groups included."""
    grouped = [option for group in element.get("option_groups") or [] for option in group["options"]]
    return [*(element.get("options") or []), *grouped]


def pick(element: Json, wanted: str) -> Json:
    """The option with that text or value. LookupError when there is none."""
    for option in options(element):
        if wanted in (option["text"]["text"], option.get("value")):
            return option
    raise LookupError(f"no option {wanted!r} in {label(element)!r}")


def action(block: Json, element: Json, value: Any, ts: str) -> Json:
    """The entry of `actions` for a press. LookupError when a select has no such option."""
    about: Json = {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block.get("block_id", ""),
        "action_ts": ts,
    }
    if element["type"] == "button":
        about |= {key: element[key] for key in ("text", "value", "style", "url") if key in element}
        return about
    return about | state_of(element, value)


def state_of(element: Json, value: Any) -> Json:
    """The state of a filled-in element, as in view.state.values."""
    kind = element["type"]
    if kind in TEXT_INPUTS:
        return {"type": kind, "value": None if value in (None, "") else value if kind == "rich_text_input" else str(value)}
    if kind in ONE_OPTION:
        return {"type": kind, "selected_option": pick(element, str(value)) if value not in (None, "") else None}
    if kind in MANY_OPTIONS:
        wanted = value if isinstance(value, list) else [value] if value not in (None, "") else []
        return {"type": kind, "selected_options": [pick(element, str(one)) for one in wanted]}
    return {"type": kind, SELECT_VALUE.get(kind, "value"): value}


def initial(element: Json) -> Any:
    """What an element shows before anybody touches it."""
    if "initial_value" in element:
        return element["initial_value"]
    if "initial_option" in element:
        return element["initial_option"].get("value")
    if "initial_options" in element:
        return [option.get("value") for option in element["initial_options"]]
    return next((element[key] for key in element if key.startswith("initial_")), None)


def fill_in(blocks: list[Json], values: dict[str, Any]) -> tuple[Json, list[str]]:
    """The state of a form and the block_ids of required inputs left empty. LookupError for a value that fits nothing."""
    state: Json = {}
    missing, used = [], set()
    for block, element in elements(blocks):
        if element["type"] == "button":
            continue
        names = [block.get("block_id"), element["action_id"]]
        if isinstance(block.get("label"), dict):
            names.append(block["label"].get("text"))
        given = [name for name in names if name in values]
        used.update(given)
        value = values[given[0]] if given else initial(element)
        state.setdefault(str(block.get("block_id")), {})[element["action_id"]] = state_of(element, value)
        if block["type"] == "input" and not block.get("optional") and value in (None, "", []):
            missing.append(str(block.get("block_id")))
    if unknown := set(values) - used:
        raise LookupError(f"the form has no {', '.join(sorted(unknown))}")
    return state, missing
