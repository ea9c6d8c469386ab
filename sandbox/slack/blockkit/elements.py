"""Text objects, options and the interactive elements, with their limits (facts on Block Kit, section 2.1)."""

from sandbox.slack.blockkit.checks import (
    Check,
    Shape,
    anything,
    boolean,
    by_type,
    choice,
    exactly_one,
    integer,
    items,
    string,
)

OPTIONS_LIMIT = 100
OPTION_GROUPS_LIMIT = 100
FEW_OPTIONS_LIMIT = 10
OVERFLOW_LIMIT = 5


def plain(most: int) -> Shape:
    """A plain_text object."""
    return Shape({"type": choice("plain_text"), "text": string(most)}, {"emoji": boolean})


def text(most: int) -> Check:
    """A plain_text or mrkdwn object."""
    shapes = {"plain_text": plain(most), "mrkdwn": Shape({"type": choice("mrkdwn"), "text": string(most)}, {"verbatim": boolean})}
    return by_type(shapes, frozenset(shapes), "text")


ACTION_ID = string(255)
PLACEHOLDER = plain(150)
CONFIRM = Shape(
    {"title": plain(100), "text": text(300)},
    {"confirm": plain(30), "deny": plain(30), "style": choice("primary", "danger")},
)
OPTION = Shape({"text": text(75), "value": string(150)}, {"description": text(75), "url": string(3000)})
OPTION_GROUP = Shape({"label": plain(75), "options": items(OPTION, OPTIONS_LIMIT)})
SLACK_FILE = Shape({}, {"id": string(255), "url": string(3000)}, exactly_one("id", "url"))
DISPATCH = Shape({}, {"trigger_actions_on": items(choice("on_enter_pressed", "on_character_entered"), 2)})

_PICKER: dict[str, Check] = {"confirm": CONFIRM, "focus_on_load": boolean, "placeholder": PLACEHOLDER, "action_id": ACTION_ID}
_MANY: dict[str, Check] = {**_PICKER, "max_selected_items": integer(1, 1000)}
_TYPE: dict[str, Check] = {"type": string(60)}
_INPUT: dict[str, Check] = {
    "action_id": ACTION_ID,
    "placeholder": PLACEHOLDER,
    "focus_on_load": boolean,
    "dispatch_action_config": DISPATCH,
}
_STATIC: dict[str, Check] = {
    "options": items(OPTION, OPTIONS_LIMIT),
    "option_groups": items(OPTION_GROUP, OPTION_GROUPS_LIMIT),
}
_ONE_STATIC: dict[str, Check] = {**_PICKER, **_STATIC, "initial_option": OPTION}
_MANY_STATIC: dict[str, Check] = {**_MANY, **_STATIC, "initial_options": items(OPTION, OPTIONS_LIMIT)}
_EXTERNAL: dict[str, Check] = {"min_query_length": integer(0, 1000)}
_CONVERSATION: dict[str, Check] = {
    "default_to_current_conversation": boolean,
    "filter": anything,
    "response_url_enabled": boolean,
}
_FEW: dict[str, Check] = {"action_id": ACTION_ID, "confirm": CONFIRM, "focus_on_load": boolean}
FEEDBACK_BUTTON = Shape({"text": plain(75), "value": string(2000)}, {"accessibility_label": string(75)})

ELEMENTS: dict[str, Shape] = {
    "button": Shape(
        {**_TYPE, "text": plain(75)},
        {
            "action_id": ACTION_ID,
            "url": string(3000),
            "value": string(2000),
            "style": choice("primary", "danger"),
            "confirm": CONFIRM,
            "accessibility_label": string(75),
        },
    ),
    "static_select": Shape(_TYPE, _ONE_STATIC, exactly_one("options", "option_groups")),
    "multi_static_select": Shape(_TYPE, _MANY_STATIC, exactly_one("options", "option_groups")),
    "external_select": Shape(_TYPE, {**_PICKER, **_EXTERNAL, "initial_option": OPTION}),
    "multi_external_select": Shape(_TYPE, {**_MANY, **_EXTERNAL, "initial_options": items(OPTION, OPTIONS_LIMIT)}),
    "users_select": Shape(_TYPE, {**_PICKER, "initial_user": string(30)}),
    "multi_users_select": Shape(_TYPE, {**_MANY, "initial_users": items(string(30), 1000)}),
    "channels_select": Shape(_TYPE, {**_PICKER, "initial_channel": string(30), "response_url_enabled": boolean}),
    "multi_channels_select": Shape(_TYPE, {**_MANY, "initial_channels": items(string(30), 1000)}),
    "conversations_select": Shape(_TYPE, {**_PICKER, **_CONVERSATION, "initial_conversation": string(30)}),
    "multi_conversations_select": Shape(_TYPE, {**_MANY, **_CONVERSATION, "initial_conversations": items(string(30), 1000)}),
    "overflow": Shape(
        {**_TYPE, "options": items(OPTION, OVERFLOW_LIMIT)},
        {"action_id": ACTION_ID, "confirm": CONFIRM, "focus_on_load": boolean},
    ),
    "checkboxes": Shape(
        {**_TYPE, "options": items(OPTION, FEW_OPTIONS_LIMIT)}, {**_FEW, "initial_options": items(OPTION, FEW_OPTIONS_LIMIT)}
    ),
    "radio_buttons": Shape({**_TYPE, "options": items(OPTION, FEW_OPTIONS_LIMIT)}, {**_FEW, "initial_option": OPTION}),
    "datepicker": Shape(_TYPE, {**_PICKER, "initial_date": string(10)}),
    "timepicker": Shape(_TYPE, {**_PICKER, "initial_time": string(5), "timezone": string(60)}),
    "datetimepicker": Shape(_TYPE, {**_FEW, "initial_date_time": integer(1_000_000_000, 9_999_999_999)}),
    "plain_text_input": Shape(
        _TYPE,
        {
            **_INPUT,
            "initial_value": string(3000, 0),
            "multiline": boolean,
            "min_length": integer(0, 3000),
            "max_length": integer(1, 3000),
        },
    ),
    "number_input": Shape(
        {**_TYPE, "is_decimal_allowed": boolean},
        {**_INPUT, "initial_value": string(100), "min_value": string(100), "max_value": string(100)},
    ),
    "email_text_input": Shape(_TYPE, {**_INPUT, "initial_value": string(3000)}),
    "url_text_input": Shape(_TYPE, {**_INPUT, "initial_value": string(3000)}),
    "rich_text_input": Shape(_TYPE, {**_INPUT, "initial_value": anything}),
    "file_input": Shape(_TYPE, {"action_id": ACTION_ID, "filetypes": items(string(30), 100), "max_files": integer(1, 10)}),
    "image": Shape(
        {**_TYPE, "alt_text": string(2000)},
        {"image_url": string(3000), "slack_file": SLACK_FILE},
        exactly_one("image_url", "slack_file"),
    ),
    "feedback_buttons": Shape(
        {**_TYPE, "positive_button": FEEDBACK_BUTTON, "negative_button": FEEDBACK_BUTTON}, {"action_id": ACTION_ID}
    ),
    "icon_button": Shape(
        {**_TYPE, "icon": choice("trash"), "text": plain(75)},
        {
            "action_id": ACTION_ID,
            "value": string(2000),
            "confirm": CONFIRM,
            "accessibility_label": string(75),
            "visible_to_user_ids": items(string(30), 10),
        },
    ),
    "url": Shape({**_TYPE, "url": string(3000), "text": string(300)}),
}

IN_ACTIONS = frozenset(ELEMENTS) - {
    "plain_text_input",
    "number_input",
    "email_text_input",
    "url_text_input",
    "file_input",
    "image",
    "feedback_buttons",
    "icon_button",
    "url",
}
IN_SECTION = IN_ACTIONS - {"rich_text_input"} | {"image"}
IN_INPUT = frozenset(ELEMENTS) - {"button", "overflow", "image", "feedback_buttons", "icon_button", "url"}
IN_CONTEXT = frozenset({"image"})
