"""A message in a terminal: plain lines, and nothing in foreign text that moves the cursor."""

from hypothesis import given
from hypothesis import strategies as st

from bot.view import Button, Mention, Shape, View, bold, code, line
from handlers.text import render

VIEW = View(
    verdict=line(bold("prod is slow"), ": first token 2.9 s"),
    shape=Shape.CONCERN,
    lines=(line("ask ", Mention(id="U1"), " or type ", code("status")),),
    details=(line("more"),),
    buttons=(Button(label="Look again", words="status"), Button(label="Help", words="help")),
)


def test_a_message_is_its_lines_with_buttons_in_brackets() -> None:
    assert render(VIEW) == "▲ prod is slow: first token 2.9 s\nask @U1 or type status\nmore\n[Look again] [Help]"


def test_on_a_screen_what_is_bold_is_bold() -> None:
    assert render(VIEW, colour=True).startswith("▲ \x1b[1mprod is slow\x1b[0m: first")


def test_a_message_without_shape_or_buttons_is_its_verdict() -> None:
    assert render(View(verdict=line("Nothing"))) == "Nothing"


@given(st.text())
def test_foreign_text_moves_no_cursor_and_makes_no_line(foreign: str) -> None:
    shown = render(View(verdict=line(foreign), lines=(line(foreign),)))
    assert shown.count("\n") == 1
    assert all(char == "\n" or char.isprintable() for char in shown)
