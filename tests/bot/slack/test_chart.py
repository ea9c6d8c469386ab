import io
import math
import struct
import sys
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from matplotlib.image import imread

from bot.slack.chart import draw_chart
from bot.view import Chart

START = 1_796_006_280.0


def chart(*series: tuple[str, tuple[tuple[float, float | None], ...]], title: str = "First token p90") -> Chart:
    return Chart(title=title, unit="seconds", alt="rose", series=series)


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def columns_with_ink(png: bytes, colour: tuple[int, int, int]) -> set[int]:
    """The columns of the drawing area in which this colour stands."""
    picture: Any = imread(io.BytesIO(png))
    wanted = [part / 255 for part in colour]
    close = (abs(picture[:, :, :3] - wanted) < 0.08).all(axis=2)
    return {int(column) for column in close[120:].any(axis=0).nonzero()[0]}


BLUE = (0x00, 0x72, 0xB2)
RISE = tuple((START + 60 * n, 0.4 + 0.02 * n) for n in range(40))


def test_a_chart_is_a_picture_of_the_promised_size() -> None:
    assert size(draw_chart(chart(("now", RISE)))) == (1200, 675)


def test_the_same_chart_gives_the_same_picture() -> None:
    assert draw_chart(chart(("now", RISE))) == draw_chart(chart(("now", RISE)))


def test_a_gap_stays_a_gap() -> None:
    """A flat line far below the legend, with the middle third missing: no ink there, and none of it at zero."""
    gap = tuple((at, 5.0 if n < 13 or n > 26 else None) for n, (at, _) in enumerate(RISE))
    high = ("limit", ((START, 20.0), (START + 60 * 39, 20.0)))
    whole = columns_with_ink(draw_chart(chart(("now", tuple((at, 5.0) for at, _ in RISE)), high)), BLUE)
    broken = columns_with_ink(draw_chart(chart(("now", gap), high)), BLUE)
    assert len(broken) < 0.75 * len(whole)


def test_a_single_sample_between_gaps_is_seen() -> None:
    alone = tuple((at, 5.0 if n == 17 else None) for n, (at, _) in enumerate(RISE))
    high = ("limit", ((START, 20.0), (START + 60 * 39, 20.0)))
    nothing = tuple((at, None) for at, _ in RISE)
    assert columns_with_ink(draw_chart(chart(("now", alone), high)), BLUE) > columns_with_ink(
        draw_chart(chart(("now", nothing), high)), BLUE
    )


def test_values_without_an_end_are_gaps() -> None:
    endless = tuple((at, math.inf if n % 3 == 0 else value) for n, (at, value) in enumerate(RISE))
    missing = tuple((at, None if n % 3 == 0 else value) for n, (at, value) in enumerate(RISE))
    assert draw_chart(chart(("now", endless))) == draw_chart(chart(("now", missing)))


def test_without_any_sample_it_says_so() -> None:
    assert draw_chart(chart()) == draw_chart(chart(("now", ((START, None),))))
    assert size(draw_chart(chart())) == (1200, 675)


def test_more_lines_than_can_be_told_apart_are_counted_in_the_title() -> None:
    nine = tuple((f"s{n}", tuple((at, n + (value or 0)) for at, value in RISE)) for n in range(9))
    assert draw_chart(chart(*nine)) == draw_chart(chart(*nine[:6], title="First token p90 (and 3 more)"))


def test_pyplot_and_its_global_state_are_never_loaded() -> None:
    draw_chart(chart(("now", RISE)))
    assert "matplotlib.pyplot" not in sys.modules


@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    title=st.text(max_size=80),
    name=st.text(max_size=40),
    values=st.lists(st.none() | st.floats(-1e300, 1e300), max_size=20),
    step=st.sampled_from([0.001, 60.0, 86_400.0]),
)
def test_any_words_and_values_make_a_picture(title: str, name: str, values: list[float | None], step: float) -> None:
    points = tuple((START + step * n, value) for n, value in enumerate(values))
    assert size(draw_chart(Chart(title=title, unit=name, alt="x", series=((name, points),)))) == (1200, 675)


def test_a_second_panel_shares_the_picture_and_its_time() -> None:
    alone = chart(("now", RISE))
    both = alone.model_copy(update={"below": chart(("running", RISE[20:]), title="Requests")})
    assert size(draw_chart(both)) == (1200, 675)
    assert draw_chart(both) != draw_chart(alone)
    empty = alone.model_copy(update={"below": chart(("running", ()), title="Requests")})
    assert size(draw_chart(empty)) == (1200, 675)
