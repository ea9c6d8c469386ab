import json
import re
import textwrap
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.slack import escape
from bot.slack.limits import validate_message, validate_view
from bot.slack.render import Rendered, render, render_home
from bot.view import Button, Chart, Link, Mention, Shape, Span, Text, View, When, bold, code, line

VIEWS = Path(__file__).parents[2] / "fixtures" / "views"
PHONE = 42
"""Characters in a row of a phone in Slack's usual type size, about."""

TOKEN = re.compile(r"<([^<>]*)>")
HOSTILE = [
    "<!channel>",
    "<@U123>",
    "<!subteam^S1>",
    "*",
    "`",
    "```",
    "_x_",
    "~",
    "> q",
    "&amp;",
    "\n",
    "\u202e",
    ":fire:",
    "<http://a|b>",
    "|",
    "^",
]


def seen(blocks: list[dict[str, Any]]) -> list[str]:
    """What a person reads, row by row at phone width: tokens as their words, markers gone, buttons in brackets."""
    rows: list[str] = []
    for block in blocks:
        match block["type"]:
            case "section":
                for one in block["text"]["text"].split("\n"):
                    rows += textwrap.wrap(words(one), PHONE) or [""]
            case "actions":
                rows.append(" ".join(f"[{one['text']['text']}]" for one in block["elements"]))
            case "image":
                rows.append(f"(picture: {block['alt_text']})")
    return rows


def words(mrkdwn: str) -> str:
    """The words of mrkdwn as Slack shows them."""
    shown = TOKEN.sub(lambda token: token.group(1).split("|")[-1], mrkdwn)
    shown = re.sub(r"(?<!\w)([*`])(?!\u200b)([^*`]+)\1", r"\2", shown)
    return shown.replace("\u200b", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@pytest.mark.parametrize("moment", ["t01_first_words", "t02_slow", "t05_did_not_start", "t12_gemma_is_down"])
def test_the_moments_look_on_a_phone_as_they_were_drawn(moment: str) -> None:
    golden = json.loads((VIEWS / f"{moment}.json").read_text())
    rendered = render(View.model_validate(golden["view"]), details=golden["details"])
    assert rendered.text == golden["text"]
    assert seen(rendered.blocks) == golden["phone"]
    assert rendered.blocks == golden["blocks"]
    validate_message({"text": rendered.text, "blocks": rendered.blocks})


def test_the_verdict_is_bold_after_its_shape_and_is_the_notification() -> None:
    rendered = render(View(verdict=line("prod is ready"), shape=Shape.GOOD))
    assert rendered.blocks[0]["text"]["text"] == "● *prod is ready*"
    assert rendered.text == "● prod is ready"


def test_only_the_part_that_the_view_marks_is_bold() -> None:
    rendered = render(View(verdict=line(bold("prod is slow"), ": first token 2.9 s")))
    assert rendered.blocks[0]["text"]["text"] == "*prod is slow*: first token 2.9 s"


def test_the_person_who_waited_is_named_first_in_the_message_and_the_notification() -> None:
    rendered = render(View(verdict=line("done"), mention=Mention(id="U0ANNA")))
    assert rendered.blocks[0]["text"]["text"] == "<@U0ANNA> *done*"
    assert rendered.text == "<@U0ANNA> done"


def test_bare_words_are_never_made_into_links_by_slack() -> None:
    rendered = render(View(verdict=line("see example.com"), lines=(line("and @here"),)))
    assert all(block["text"]["verbatim"] is True for block in rendered.blocks)


def test_a_ninth_line_is_counted_and_kept() -> None:
    lines = tuple(line(f"line {n}") for n in range(12))
    rendered = render(View(verdict=line("many"), lines=lines), details="details bench-12")
    shown = [row for block in rendered.blocks if block["type"] == "section" for row in block["text"]["text"].split("\n")]
    assert len(shown) == 8
    assert shown[-1] == "… and 6 more lines"
    assert rendered.rest == lines[6:]
    assert rendered.blocks[-1]["elements"][-1] | {"action_id": ""} == {
        "type": "button",
        "action_id": "",
        "text": {"type": "plain_text", "text": "Details"},
        "value": "details bench-12",
    }


def test_an_endless_line_is_shortened_with_a_count_and_kept_whole() -> None:
    endless = line("x" * 5000)
    rendered = render(View(verdict=line("long"), lines=(endless,)), details="details 1")
    shown = rendered.blocks[1]["text"]["text"]
    kept = shown.count("x")
    assert shown.endswith(f"… ({5000 - kept:,} more characters)")
    assert rendered.rest == (endless,)


def test_without_anything_behind_it_there_is_no_details_button() -> None:
    assert [block["type"] for block in render(View(verdict=line("short")), details="details 1").blocks] == ["section"]


def test_buttons_say_their_words_and_show_their_danger() -> None:
    view = View(
        verdict=line("asked"),
        buttons=(
            Button(label="Destroy prod-2", words="yes ap-1", style="danger"),
            Button(label="Decline", words="no ap-1", style="primary"),
        ),
    )
    destroy, decline = render(view).blocks[-1]["elements"]
    assert (destroy["action_id"], destroy["value"], destroy["style"]) == ("say:0", "yes ap-1", "danger")
    assert (decline["action_id"], decline["value"], decline["style"]) == ("say:1", "no ap-1", "primary")


def test_too_many_buttons_are_counted_and_details_stays() -> None:
    view = View(
        verdict=line("x"), buttons=tuple(Button(label=f"b{n}", words=f"status {n}") for n in range(40)), details=(line("more"),)
    )
    rendered = render(view, details="details 7")
    row = next(block for block in rendered.blocks if block["type"] == "actions")["elements"]
    assert row[-1]["value"] == "details 7"
    assert rendered.blocks[-1]["text"]["text"] == f"… and {41 - len(row)} more buttons that did not fit"


def test_times_are_in_the_readers_zone_with_utc_for_the_notification() -> None:
    at = datetime.fromisoformat("2026-11-30T19:50:00+01:00")
    rendered = render(View(verdict=line("prod ends at ", When(at=at)), lines=(line(When(at=at, date=True)),)))
    assert rendered.text == "prod ends at 18:50 UTC"
    assert rendered.blocks[0]["text"]["text"] == f"*prod ends at* <!date^{int(at.timestamp())}^{{time}}|18:50 UTC>"
    assert (
        rendered.blocks[1]["text"]["text"] == f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|2026-11-30 18:50 UTC>"
    )


def test_a_chart_is_a_picture_with_its_words_or_the_words_alone() -> None:
    view = View(verdict=line("slow"), chart=Chart(title="First token", unit="s", alt="rose to 0.98 at 02:38", series=()))
    assert render(view, chart="F0CHART001").blocks[1] == {
        "type": "image",
        "slack_file": {"id": "F0CHART001"},
        "alt_text": "First token (s): rose to 0.98 at 02:38",
    }
    assert "rose to 0.98" in render(view).blocks[1]["text"]["text"]


def test_a_view_of_nothing_is_still_a_message() -> None:
    rendered = render(View(verdict=()))
    validate_message({"text": rendered.text, "blocks": rendered.blocks})


short_text = st.one_of(st.text(max_size=20), st.lists(st.sampled_from([*HOSTILE, "word", " "]), max_size=6).map("".join))
hostile_text = st.builds(lambda words, times: words * times, short_text, st.sampled_from([1, 1, 1, 60]))
any_span: st.SearchStrategy[Span] = st.one_of(
    st.builds(Text, text=hostile_text, bold=st.booleans(), code=st.booleans()),
    st.builds(Mention, id=st.one_of(st.sampled_from(["U0ANNA", "S0OPS"]), hostile_text)),
    st.builds(When, at=st.one_of(st.datetimes(), st.datetimes(timezones=st.timezones())), date=st.booleans()),
    st.builds(Link, url=hostile_text.map(lambda tail: f"https://{tail}"), text=hostile_text),
)
any_line = st.lists(any_span, max_size=3).map(tuple)
any_button = st.builds(
    Button,
    label=hostile_text.map(lambda label: label[:75]),
    words=hostile_text.map(lambda words: words[:1900]),
    style=st.sampled_from(["plain", "primary", "danger"]),
)
any_chart = st.builds(
    Chart, title=hostile_text, unit=hostile_text, alt=hostile_text.map(lambda alt: alt[:1000]), series=st.just(())
)
any_view = st.builds(
    View,
    verdict=any_line,
    shape=st.sampled_from(Shape),
    lines=st.lists(any_line, max_size=9).map(tuple),
    buttons=st.builds(lambda some, times: tuple(some * times), st.lists(any_button, max_size=3), st.sampled_from([1, 12])),
    details=st.lists(any_line, max_size=2).map(tuple),
    chart=st.none() | any_chart,
    mention=st.none() | st.builds(Mention, id=hostile_text | st.just("U0BEN")),
)


def pings(text: str) -> set[str]:
    return {token for token in TOKEN.findall(text) if token.startswith(("@", "!", "#")) and not token.startswith("!date^")}


def meant(view: View) -> set[str]:
    spans = [span for one in (view.verdict, *view.lines, *view.details) for span in one] + (
        [view.mention] if view.mention else []
    )
    return {escape.mention(span.id)[1:-1] for span in spans if isinstance(span, Mention)}


def every_text(rendered: Rendered) -> list[str]:
    return [rendered.text, *(block["text"]["text"] for block in rendered.blocks if block["type"] == "section")]


@settings(max_examples=120, deadline=None)
@given(view=any_view, chart=st.none() | st.sampled_from(["F0CHART001", "no file"]), details=st.none() | st.just("details 1"))
def test_any_view_at_all_can_be_sent_and_pings_only_who_is_meant(view: View, chart: str | None, details: str | None) -> None:
    rendered = render(view, details=details, chart=chart)
    validate_message({"text": rendered.text, "blocks": rendered.blocks})
    assert [block.to_dict() for block in Block.parse_all(rendered.blocks)] == rendered.blocks  # Slack's own SDK takes them too
    for text in every_text(rendered):
        assert pings(text) <= meant(view)
        assert re.sub(TOKEN, "", text).count("<") == 0
    assert render(view, details=details, chart=chart) == rendered


@settings(max_examples=80, deadline=None)
@given(view=any_view)
def test_at_most_eight_lines_of_words_and_a_short_notification(view: View) -> None:
    rendered = render(view.model_copy(update={"chart": None, "buttons": ()}), details="details 1")
    assert sum(text.count("\n") + 1 for text in every_text(rendered)[1:]) <= 8
    assert len(words(rendered.text.removeprefix(escape.mention(view.mention.id)) if view.mention else rendered.text)) <= 112


@settings(max_examples=60, deadline=None)
@given(view=any_view)
def test_without_a_second_place_to_look_every_line_is_shown_whole_while_there_is_room(view: View) -> None:
    rendered = render(view.model_copy(update={"chart": None, "details": ()}))
    validate_message({"text": rendered.text, "blocks": rendered.blocks})
    shown = "\n".join(every_text(rendered)[1:])
    assert not rendered.rest or re.search(r"… (and [\d,]+ more lines?|\([\d,]+ more characters\))$", shown, re.MULTILINE)
    assert rendered.rest == () or sum(map(len, every_text(rendered))) > 2000


def test_thirty_lines_without_a_details_button_are_all_there() -> None:
    rendered = render(View(verdict=line("log"), lines=tuple(line(f"line {n} ", "x" * 100) for n in range(30))))
    shown = "\n".join(every_text(rendered)[1:])
    assert all(f"line {n} " in shown for n in range(30))
    assert rendered.rest == ()


def test_three_hundred_lines_are_counted_where_the_message_ends() -> None:
    lines = tuple(line(f"line {n} ", "x" * 100) for n in range(300))
    rendered = render(View(verdict=line("log"), lines=lines))
    shown = "\n".join(every_text(rendered)[1:])
    assert shown.endswith(f"… and {len(rendered.rest)} more lines")
    assert rendered.rest == lines[len(lines) - len(rendered.rest) :]
    validate_message({"text": rendered.text, "blocks": rendered.blocks})


@settings(max_examples=25, deadline=None)
@given(views=st.lists(any_view, max_size=2))
def test_any_views_make_a_home_tab(views: list[View]) -> None:
    validate_view({"type": "home", "blocks": render_home(views)})


def test_a_home_tab_of_very_many_views_counts_what_is_left_out() -> None:
    blocks = render_home(
        [View(verdict=line(f"machine {n}"), buttons=(Button(label="Status", words=f"status {n}"),)) for n in range(60)]
    )
    validate_view({"type": "home", "blocks": blocks})
    assert blocks[-1]["text"]["text"].endswith("more")
    ids = [one["action_id"] for block in blocks for one in block.get("elements", ())]
    assert len(ids) == len(set(ids))


def test_a_home_tab_of_long_views_stays_under_the_byte_limit() -> None:
    views = [View(verdict=line("long"), lines=tuple(line("<" * 400) for _ in range(20)))] * 60
    validate_view({"type": "home", "blocks": render_home(views)})


def test_code_keeps_its_words_and_cannot_be_broken_out_of() -> None:
    rendered = render(View(verdict=line("x"), lines=(line(code("max_model_len=65536")), line(code("a`*b*`c")))))
    first, second = rendered.blocks[1]["text"]["text"].split("\n")
    assert first == "`max_model_len=65536`"
    assert "`" not in re.sub("`\u200b", "", second)
