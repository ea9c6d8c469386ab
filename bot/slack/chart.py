"""A view's chart as a picture that can be read on a phone.

Series differ by colour, line style and marker, so that nobody needs to see colours; a gap stays a gap; the time axis says UTC.
matplotlib's `Figure` is used directly: pyplot keeps global state and is not safe in a worker.
"""

import importlib
import io
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.view import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH_INCHES, HEIGHT_INCHES, DPI = 8.0, 4.5, 150
"""800 x 450 points at 1.5 pixels each: 1200 x 675 pixels, sharp on a phone and small to upload."""
FONT_POINTS = 13
SERIES_LIMIT = 6
"""More lines than this cannot be told apart on a phone; the title counts the rest."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00")
"""Okabe and Ito, "Color Universal Design" (2008): told apart by people with any of the common colour deficiencies."""
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P")
MARKED = 12
"""Markers on a line, at most; more would hide it."""
SHORTEST_S = 600.0
"""Seconds that the time axis spans at least, so that a single sample has one."""
LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def draw_chart(chart: Chart) -> bytes:
    """The chart as PNG, 1200 x 675 pixels. Takes tens of milliseconds of processor time: call it in a thread."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, HEIGHT_INCHES), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    panels = (chart,) if chart.below is None else (chart, chart.below)
    ends = _ends(panels)
    for axes, panel in zip(figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True):
        _panel(axes, panel, ends, last=panel is panels[-1])
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def _panel(axes: "Axes", chart: Chart, ends: tuple[float, float] | None, *, last: bool) -> None:
    shown = chart.series[:SERIES_LIMIT]
    for index, (name, points) in enumerate(shown):
        _line(axes, index, name, points)
    _frame(axes, chart, ends, left=len(chart.series) - len(shown), last=last)


def _ends(panels: Sequence[Chart]) -> tuple[float, float] | None:
    """The first and the last moment of all panels in epoch seconds, so that what stands above each other was at one time."""
    times = [at for panel in panels for _, points in panel.series[:SERIES_LIMIT] for at, _ in points if 0 <= at < LATEST]
    return (min(times), max(times)) if times else None


def _line(axes: "Axes", index: int, name: str, points: Sequence[tuple[float, float | None]]) -> None:
    usable = sorted(((at, _value(value)) for at, value in points if 0 <= at < LATEST), key=lambda point: point[0])
    values = [value for _, value in usable]
    axes.plot(
        _dates().date2num([datetime.fromtimestamp(at, UTC) for at, _ in usable]),
        values,
        label=_plain(name, 24),
        color=COLOURS[index],
        linestyle=LINES[index],
        marker=MARKERS[index],
        markevery=_marked(values),
        markersize=7,
        linewidth=2.2,
    )


def _dates() -> Any:
    """matplotlib.dates, which is untyped."""
    return importlib.import_module("matplotlib.dates")


def _marked(values: Sequence[float]) -> list[int]:
    """Which points carry a marker: a few along the line, and each that stands alone between gaps, for no line would show it."""
    step = max(1, len(values) // MARKED)
    around = [math.nan, *values, math.nan]
    return [
        n
        for n, value in enumerate(values)
        if not math.isnan(value) and (n % step == 0 or (math.isnan(around[n]) and math.isnan(around[n + 2])))
    ]


def _value(value: float | None) -> float:
    """A missing or unbounded value is not a number: the line breaks there, and is never drawn at 0."""
    return math.nan if value is None or not math.isfinite(value) else value


def _frame(axes: "Axes", chart: Chart, ends: tuple[float, float] | None, *, left: int, last: bool) -> None:
    more = f" (and {left} more)" if left else ""
    axes.set_title(_plain(chart.title, 60) + more, fontsize=FONT_POINTS + 2, loc="left")
    axes.set_ylabel(_plain(chart.unit, 30), fontsize=FONT_POINTS)
    axes.set_xlabel("UTC" if last else "", fontsize=FONT_POINTS)
    axes.tick_params(labelsize=FONT_POINTS)
    axes.grid(visible=True, color="#cccccc", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    if ends is not None and _has_values(chart):
        _time_axis(axes, *ends, labelled=last)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.legend(fontsize=FONT_POINTS, frameon=False, loc="best")
    else:
        axes.set(xticks=[], yticks=[])
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", fontsize=FONT_POINTS + 4)


def _time_axis(axes: "Axes", first: float, latest: float, *, labelled: bool) -> None:
    dates = _dates()
    middle, half = (latest + first) / 2, max((latest - first) * 0.52, SHORTEST_S / 2)
    ends = (max(0.0, middle - half), min(LATEST, middle + half))
    axes.set_xlim(*dates.date2num([datetime.fromtimestamp(at, UTC) for at in ends]))
    locator = dates.AutoDateLocator(minticks=3, maxticks=7, tz=UTC)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, tz=UTC))
    axes.xaxis.get_offset_text().set_fontsize(FONT_POINTS)
    axes.tick_params(axis="x", labelbottom=labelled)
    axes.xaxis.get_offset_text().set_visible(labelled)


def _has_values(chart: Chart) -> bool:
    return any(
        value is not None and math.isfinite(value) and 0 <= at < LATEST
        for _, points in chart.series[:SERIES_LIMIT]
        for at, value in points
    )


def _plain(words: str, limit: int) -> str:
    """Words as they are: matplotlib would read "$…$" as a formula, and hides a label that begins with "_"."""
    glyphs = _font()
    shown = "".join(char if char.isprintable() and glyphs.get_char_index(ord(char)) else "?" for char in words[:limit])
    return (" " + shown if shown.startswith("_") else shown).replace("$", r"\$") or " "


def _font() -> Any:
    """The font that matplotlib brings along. What it has no glyph for becomes "?", as missing glyphs are drawn as boxes."""
    manager = importlib.import_module("matplotlib.font_manager")
    return manager.get_font(manager.findfont("DejaVu Sans"))
