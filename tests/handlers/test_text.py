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


def test_a_message_is_its_lines_and_what_its_buttons_say() -> None:
    typed = "[Look again] gemma status · [Help] gemma help"
    assert render(VIEW) == f"▲ prod is slow: first token 2.9 s\nask @U1 or type status\nmore\n{typed}"


def test_what_is_typed_with_a_slash_in_slack_is_typed_without_one_here() -> None:
    told = View(verdict=line("Type ", code("/gemma help"), " (or /gemma status), not https://example.com/gemma"))
    assert render(told) == "Type gemma help (or gemma status), not https://example.com/gemma"


def test_on_a_screen_what_is_bold_is_bold() -> None:
    assert render(VIEW, colour=True).startswith("▲ \x1b[1mprod is slow\x1b[0m: first")


def test_a_message_without_shape_or_buttons_is_its_verdict() -> None:
    assert render(View(verdict=line("Nothing"))) == "Nothing"


@given(st.text())
def test_foreign_text_moves_no_cursor_and_makes_no_line(foreign: str) -> None:
    shown = render(View(verdict=line(foreign), lines=(line(foreign),)))
    assert shown.count("\n") == 1
    assert all(char == "\n" or char.isprintable() for char in shown)
