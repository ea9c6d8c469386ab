"""Buttons, selects and inputs as HTML controls."""

from markupsafe import Markup

from sandbox.slack import components
from sandbox.slack.refusal import Json

Names = list[tuple[str, str]]
INPUT_TYPES = {
    "plain_text_input": "text",
    "number_input": "text",
    "email_text_input": "email",
    "url_text_input": "url",
    "datepicker": "date",
    "timepicker": "time",
}


def control(block: Json, element: Json, people: Names) -> Markup:
    """One element. Kinds that the page cannot work are shown as text."""
    kind = element["type"]
    where = {
        "button": f"{block['block_id']}/{element.get('action_id', '')}",
        "block": block["block_id"],
        "in_form": block["type"] == "input",
    }
    if kind == "button":
        return _button(element, where)
    if kind in {"static_select", "overflow", "radio_buttons"}:
        return _select(element, where, [(o.get("value", ""), o["text"]["text"]) for o in components.options(element)])
    if kind == "users_select":
        return _select(element, where, people)
    if kind in {"checkboxes", "multi_static_select"}:
        return _choices(element, where)
    if kind in INPUT_TYPES:
        return _field(element, where)
    return Markup("<span>[{}]</span>").format(components.label(element))


def _button(element: Json, where: Json) -> Markup:
    style = element.get("style") or "plain"
    confirm = element.get("confirm")
    words = f"{confirm['title']['text']}\n\n{confirm['text']['text']}" if confirm else ""
    if element.get("url", "").startswith("http"):
        link = '<a class="button {}" href="{}" rel="noopener noreferrer" target="_blank" data-button="{}">{}</a>'
        return Markup(link).format(style, element["url"], where["button"], element["text"]["text"])
    html = '<button type="button" class="{}" data-button="{}" data-confirm="{}">{}</button>'
    return Markup(html).format(style, where["button"], words, element["text"]["text"])


def _select(element: Json, where: Json, options: Names) -> Markup:
    chosen = str(components.initial(element) or "")
    first = Markup('<option value="">{}</option>').format(components.label(element) if "placeholder" in element else "Choose")
    rest = [
        Markup('<option value="{}"{}>{}</option>').format(value, Markup(" selected") if value == chosen else "", words)
        for value, words in options
    ]
    return Markup('<select id="{}" {}>{}{}</select>').format(where["block"], _use(where), first, Markup().join(rest))


def _choices(element: Json, where: Json) -> Markup:
    chosen = components.initial(element) or []
    boxes = [
        Markup('<label class="choice"><input type="checkbox" value="{}" {}{}> {}</label>').format(
            option["value"], _use(where), Markup(" checked") if option["value"] in chosen else "", option["text"]["text"]
        )
        for option in components.options(element)
    ]
    return Markup('<div class="choices">{}</div>').format(Markup().join(boxes))


def _field(element: Json, where: Json) -> Markup:
    initial = components.initial(element) or ""
    hint = element.get("placeholder", {}).get("text", "")
    if element.get("multiline"):
        html = '<textarea id="{}" rows="4" placeholder="{}" {}>{}</textarea>'
        return Markup(html).format(where["block"], hint, _use(where), initial)
    html = '<input id="{}" type="{}" placeholder="{}" value="{}" {}>'
    return Markup(html).format(where["block"], INPUT_TYPES[element["type"]], hint, initial, _use(where))


def _use(where: Json) -> Markup:
    """In a form a control is read when the form is sent; elsewhere changing it is a press."""
    if where["in_form"]:
        return Markup('data-field="{}"').format(where["block"])
    return Markup('data-pick="{}"').format(where["button"])
