"""A View for a terminal: plain lines, and what each button says as it would be typed here."""

import re

from bot.view import Button, Line, Text, View, plain

SLASH = re.compile(r"(?<![\w/.:-])/gemma\b")
"""`/gemma status` in Slack is `gemma status` here."""

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def render(view: View, *, colour: bool = False) -> str:
    """The message as text; with `colour` what is bold is bold. Control characters in foreign text are dropped."""
    shape = f"{view.shape.value} " if view.shape.value else ""
    lines = [shape + _line(view.verdict, colour), *(_line(one, colour) for one in (*view.lines, *view.details))]
    if view.buttons:
        lines.append(" · ".join(_typed(button) for button in view.buttons))
    return "\n".join(lines)


def _typed(button: Button) -> str:
    """`[Look again] gemma status`: nothing can be pressed in a terminal, but all of it can be typed."""
    return f"[{_seen(button.label)}] {_seen(f'gemma {button.words}').rstrip()}"


def _seen(words: str) -> str:
    return "".join(char for char in words if char.isprintable())


def _line(of: Line, colour: bool) -> str:
    parts = []
    for span in of:
        words = SLASH.sub("gemma", _seen(plain((span,))))
        parts.append(f"{BOLD}{words}{PLAIN}" if colour and isinstance(span, Text) and span.bold else words)
    return "".join(parts)
