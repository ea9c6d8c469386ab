"""A View for a terminal: plain lines, buttons in brackets."""

from bot.view import Line, Text, View, plain

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def render(view: View, *, colour: bool = False) -> str:
    """The message as text; with `colour` what is bold is bold. Control characters in foreign text are dropped."""
    shape = f"{view.shape.value} " if view.shape.value else ""
    lines = [shape + _line(view.verdict, colour), *(_line(one, colour) for one in (*view.lines, *view.details))]
    if view.buttons:
        lines.append(" ".join(f"[{button.label}]" for button in view.buttons))
    return "\n".join(lines)


def _line(of: Line, colour: bool) -> str:
    parts = []
    for span in of:
        words = "".join(char for char in plain((span,)) if char.isprintable())
        parts.append(f"{BOLD}{words}{PLAIN}" if colour and isinstance(span, Text) and span.bold else words)
    return "".join(parts)
