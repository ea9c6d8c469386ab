import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack import escape, spans
from bot.view import Link, Text, line

TOKENS = [
    "<!channel>",
    "<!here>",
    "<!everyone>",
    "<@U0ANNA>",
    "<#C0GENERAL>",
    "<!subteam^S0OPS>",
    "<https://evil.example|bank>",
    "<!date^0^{time}|x>",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("style", [escape.literal, escape.bold, escape.code])
def test_a_token_in_words_is_only_words(token: str, style: object) -> None:
    assert callable(style)
    shown = style(f"look {token} here")
    assert "<" not in shown
    assert ">" not in shown


def test_an_already_escaped_token_does_not_come_alive() -> None:
    assert escape.literal("&lt;!channel&gt;") == "&amp;lt;!channel&amp;gt;"


@pytest.mark.parametrize(
    "name", ["jit_structured_decode_fn", "v6e-4", "us-east5-a", "gpu_memory_utilization=0.92", "4*3", "12:30:45", "10.0.0.2:8000"]
)
def test_the_names_of_the_trade_stay_as_they_are_to_be_copied(name: str) -> None:
    assert escape.literal(name) == name


@pytest.mark.parametrize("words", ["*big*", "_leaning_", "~struck~", "`typed`", "```block```", "a *b* c", "(*x*)"])
def test_markers_are_kept_from_formatting(words: str) -> None:
    shown = escape.literal(words)
    assert shown.replace(escape.ZERO_WIDTH, "") == words
    assert not re.search(r"(?<!\w)([*_~`])(?=[^\s\u200b])", shown)


@pytest.mark.parametrize("emoji", [":fire:", ":+1:", ":100:"])
def test_emoji_names_stay_words(emoji: str) -> None:
    assert escape.literal(emoji) == ":" + escape.ZERO_WIDTH + emoji[1:]


@pytest.mark.parametrize("words", [":" + "a" * 200_000, ":a" * 100_000, "*" * 200_000, "> " * 100_000, "http://" + "a" * 200_000])
def test_very_long_hostile_words_are_escaped_in_one_pass(words: str) -> None:
    """Would take minutes if a pattern went back over the text again and again."""
    assert len(escape.literal(words)) >= len(words)


def test_bold_with_an_asterisk_and_code_with_a_backtick_become_plain() -> None:
    assert not escape.bold("a* b").startswith("*")
    assert not escape.code("a` b").startswith("`")


def test_spaces_stay_outside_the_markers() -> None:
    assert escape.bold(" ready ") == " *ready* "
    assert escape.code(" x") == " `x`"


def test_lines_never_break_and_never_turn_around() -> None:
    assert escape.clean("a\nb\r\nc\u2028d\x00e\u202ef\u200bg") == "a b  c d efg"
    assert escape.clean("\ud800") == "\ufffd"


def test_a_line_that_begins_like_a_quotation_is_none() -> None:
    assert spans.draw(line("> not mine"), 700).mrkdwn == escape.ZERO_WIDTH + "&gt; not mine"


@pytest.mark.parametrize(("id_", "shown"), [("U0ANNA", "<@U0ANNA>"), ("W0ANNA", "<@W0ANNA>"), ("S0OPS", "<!subteam^S0OPS>")])
def test_people_and_groups_are_pinged_by_their_ids(id_: str, shown: str) -> None:
    assert escape.mention(id_) == shown


@pytest.mark.parametrize("id_", ["channel", "!channel", "U1>", "U1|x", "u0anna", "", "C0GENERAL", "U0ANNA\n"])
def test_whatever_is_no_id_pings_nobody(id_: str) -> None:
    assert "<" not in escape.mention(id_)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example|b",
        "https://a.example>",
        "https://a.example/<!channel>",
        "https://a.example/ b",
        "https://a.example/\n",
        "https://bank.example@evil.example/",
        "https://",
        "https://[::1",
        "https://a.example:99999999/",
        "https://a.example/" + "x" * 3000,
        "https://a.example/\u202egpj",
        "javascript:alert(1)",
    ],
)
def test_a_hostile_address_is_refused_and_its_words_remain(url: str) -> None:
    assert escape.link(url, "the log") == "the log"


def test_a_link_whose_words_name_another_host_is_refused() -> None:
    assert escape.link("https://evil.example/", "https://bank.example/login") == "https://bank.example/login"
    assert (
        escape.link("https://bank.example/login", "https://bank.example/login")
        == "<https://bank.example/login|https://bank.example/login>"
    )


def test_a_link_keeps_its_query() -> None:
    assert escape.link("https://a.example/?x=1&y=2", "log") == "<https://a.example/?x=1&amp;y=2|log>"


def test_a_moment_before_1970_is_told_in_utc() -> None:
    assert escape.moment(datetime(1960, 1, 1, tzinfo=UTC), date=False) == "00:00 UTC"


@given(st.text())
def test_words_read_the_same_after_escaping(words: str) -> None:
    shown = escape.literal(words).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert shown.replace(escape.ZERO_WIDTH, "") == escape.clean(words)


@given(st.text(min_size=1), st.integers(60, 200))
def test_a_line_never_exceeds_its_budget_and_counts_what_it_hides(words: str, budget: int) -> None:
    drawn = spans.draw(line(words), budget)
    assert escape.units(drawn.mrkdwn) <= budget
    assert (drawn.hidden > 0) == drawn.mrkdwn.endswith("more characters)") or "more characters" in words


@given(st.lists(st.builds(Text, text=st.text(max_size=300), bold=st.booleans(), code=st.booleans()), max_size=4))
def test_a_wrapped_line_hides_nothing(texts: list[Text]) -> None:
    rows = spans.wrapped(tuple(texts), 200)
    assert all(escape.units(row) <= 200 for row in rows)
    told = "".join(rows).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    for one in texts:
        letters = [char for char in escape.clean(one.text) if char.isalnum()]
        assert all(char in told for char in letters)


def test_a_link_too_long_for_a_line_is_spelt_out_in_the_details() -> None:
    url = "https://a.example/" + "x" * 900
    rows = spans.wrapped(line(Link(url=url, text="log")), 700)
    assert "".join(rows).count("x") == url.count("x")
