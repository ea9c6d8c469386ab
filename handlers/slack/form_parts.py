"""The few parts that our forms are made of, as final JSON. `block_id` and `action_id` of a field are both its name."""

from typing import Any


def words(text: str) -> dict[str, Any]:
    """Plain text."""
    return {"type": "plain_text", "text": text, "emoji": False}


def one_line(name: str, **more: Any) -> dict[str, Any]:
    """A line to type in."""
    return {"type": "plain_text_input", "action_id": name, **more}


def field(name: str, label: str, element: dict[str, Any], hint: str | None = None) -> dict[str, Any]:
    """A field with what stands above and below it."""
    block = {"type": "input", "block_id": name, "label": words(label), "element": element}
    return block if hint is None else {**block, "hint": words(hint)}
