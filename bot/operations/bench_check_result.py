"""What `bench check` finds: the rows of the table, each with its doubts."""

from pydantic import BaseModel

from bot.statistics.honesty import Flag


class CheckedRow(BaseModel):
    """One row as it stands in the table (None: not given), whether it claims a result, and every doubt about it."""

    line: int
    concurrency: int
    context_tokens: int
    requests_per_s: float | None
    mean_latency_s: float | None
    status: str
    model: str
    accelerator: str
    requests: int | None
    measured: bool
    flags: tuple[Flag, ...]


class CheckedTable(BaseModel):
    """The whole table. `measured` rows claim a result, `flagged` of them are doubted; `table_flags` are about no single row.

    No flag means that nothing contradicts a row, not that it is true.
    """

    file: str | None
    model: str | None
    accelerator: str | None
    output_tokens: int
    measured: int
    flagged: int
    rows: tuple[CheckedRow, ...]
    table_flags: tuple[Flag, ...]
