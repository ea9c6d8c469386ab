"""Reads a benchmark table from CSV text."""

import csv
import io
import math

from bot.errors import UsageError
from bot.nouns.base import Noun

REQUIRED = ("concurrency", "context_tokens", "requests_per_s")
OPTIONAL = ("mean_latency_s", "status", "model", "accelerator", "requests")
_USAGE = f"columns: {', '.join(REQUIRED)}; may have: {', '.join(OPTIONAL)}"
_MOST_ROWS = 10_000


class Row(Noun):
    """One cell of a benchmark. `line` is its line in the text; what was not measured is None.

    `concurrency` users at once as claimed, `context_tokens` prompt length, `requests` how many were sent.
    """

    line: int
    concurrency: int
    context_tokens: int
    requests_per_s: float | None = None
    mean_latency_s: float | None = None
    status: str = ""
    model: str = ""
    accelerator: str = ""
    requests: int | None = None

    @property
    def measured(self) -> bool:
        """Whether this cell claims a result."""
        return self.requests_per_s is not None and self.status.lower() not in {"skipped", "failed", "error"}


def parse_table(text: str) -> tuple[Row, ...]:
    """The rows of a CSV with a header line; empty cells are unknown, other columns are ignored.

    Raises UsageError that names the line and the column of what cannot be read.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), skipinitialspace=True)
    try:
        header = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        reader.fieldnames = header
        missing = [name for name in REQUIRED if name not in header]
        if missing:
            raise UsageError(f"The table has no column {', '.join(missing)}.", usage=_USAGE)
        rows = tuple(_row(reader.line_num, cells) for cells in reader if any((v or "") != "" for v in cells.values()))
    except csv.Error as error:
        raise UsageError(f"Line {reader.line_num} is no CSV: {error}.", usage=_USAGE) from error
    if not rows:
        raise UsageError("The table has no rows.", usage=_USAGE)
    if len(rows) > _MOST_ROWS:
        raise UsageError(f"The table has more than {_MOST_ROWS:,} rows.", usage=_USAGE)
    return rows


def _row(line: int, cells: dict[str, str]) -> Row:
    if None in cells:
        raise UsageError(f"Line {line} has more cells than the header.", usage=_USAGE)
    text = {name: (value or "").strip() for name, value in cells.items()}
    return Row(
        line=line,
        concurrency=_whole(line, "concurrency", text["concurrency"]),
        context_tokens=_whole(line, "context_tokens", text["context_tokens"]),
        requests_per_s=_number(line, "requests_per_s", text["requests_per_s"]),
        mean_latency_s=_number(line, "mean_latency_s", text.get("mean_latency_s", "")),
        status=text.get("status", ""),
        model=text.get("model", ""),
        accelerator=text.get("accelerator", ""),
        requests=_whole(line, "requests", text["requests"]) if text.get("requests") else None,
    )


def _number(line: int, column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"Line {line}, {column}: “{text[:40]}” is no number of 0 or more.", usage=_USAGE)
    return value


def _whole(line: int, column: str, text: str) -> int:
    value = _number(line, column, text)
    if value is None or value != int(value) or value < 1:
        raise UsageError(f"Line {line}, {column}: “{text[:40]}” is no whole number of 1 or more.", usage=_USAGE)
    return int(value)
