"""How a checked benchmark table reads: how much of it is doubted, why, and then each row."""

from collections import Counter

from bot.operations.bench_check_result import CheckedRow, CheckedTable
from bot.operations.operation import Context
from bot.operations.wording import count
from bot.view import Line, Shape, View, bold, line


def show(found: CheckedTable, _context: Context) -> View:
    """The verdict, the reasons by number of rows, and every doubted row behind Details."""
    reasons = Counter(reason for row in found.rows for reason in {flag.reason for flag in row.flags})
    lines = [line(f"{count(rows, 'row')}: {reason.value}") for reason, rows in reasons.most_common(5)]
    lines += [line(flag.message) for flag in found.table_flags[:1]]
    lines.append(line("A row without a doubt is not proved: nothing in it contradicts what is checked."))
    return View(
        verdict=_verdict(found),
        shape=Shape.BAD if found.flagged else Shape.NONE if found.table_flags else Shape.GOOD,
        lines=tuple(lines),
        details=tuple(one for row in found.rows for one in _row(row)),
    )


def _verdict(found: CheckedTable) -> Line:
    rows = f"{found.flagged} of {count(found.measured, 'measured row')}"
    if found.flagged == 0:
        return line(bold(f"Nothing contradicts the {count(found.measured, 'measured row')}"))
    return line(bold(f"{rows} cannot be what {'it says' if found.measured == 1 else 'they say'}"))


def _row(row: CheckedRow) -> list[Line]:
    named = [row.model, row.accelerator, f"{row.concurrency:,} users", f"{row.context_tokens:,} tokens"]
    cell = f"line {row.line} ({', '.join(part for part in named if part)})"
    return [line(bold(flag.reason.value), f", {cell}: {flag.message}") for flag in row.flags]
