"""`bench check`: every row with its doubts, on the terminal; through Slack a plain sentence."""

from pathlib import Path
from typing import Any, cast

import pytest

from bot.errors import RefusedError, UsageError
from bot.operations.bench_check import BENCH_CHECK, BenchCheckArguments, checked
from bot.operations.bench_check_result import CheckedTable
from bot.requests import Door
from bot.statistics.honesty import Reason
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Shape, plain

ARTICLE = Path("tests/fixtures/article")


def found(table: str, **given: Any) -> CheckedTable:
    arguments = {"model": "31B", "accelerator": "v6e-4", "output_tokens": 10} | given
    return checked(table, BenchCheckArguments.model_validate(arguments))


def reasons(table: CheckedTable) -> dict[tuple[int, int], set[Reason]]:
    return {(row.concurrency, row.context_tokens): {flag.reason for flag in row.flags} for row in table.rows}


def test_every_measured_row_of_64_users_and_more_of_the_published_sweep_is_doubted() -> None:
    table = found((ARTICLE / "sweep_31b_v6e4.csv").read_text())
    many = [row for row in table.rows if row.measured and row.concurrency >= 64]
    assert many
    assert all(Reason.FEWER_IN_FLIGHT in {flag.reason for flag in row.flags} for row in many)
    assert Reason.PREFILL_ROOF in reasons(table)[16, 4096]
    assert Reason.PREFILL_ROOF in reasons(table)[16, 16384]


def test_the_copied_columns_of_the_published_comparison_are_found() -> None:
    table = found((ARTICLE / "model_comparison.csv").read_text(), model=None, accelerator=None)
    copied = {row.model for row in table.rows if Reason.COPIED in {flag.reason for flag in row.flags}}
    assert copied == {"E2B", "12B", "26B-A4B"}


def test_a_row_that_can_be_true_has_no_flag_and_what_was_not_measured_is_not_counted() -> None:
    header = "concurrency,context_tokens,requests_per_s,mean_latency_s,status\n"
    table = found(header + "1,512,2.0,0.5,ok\n64,512,,,skipped\n")
    assert (table.measured, table.flagged) == (1, 0)
    assert [row.flags for row in table.rows] == [(), ()]


def test_a_slice_without_known_roofs_is_said_about_the_whole_table() -> None:
    table = found("concurrency,context_tokens,requests_per_s\n1,512,2.0\n", accelerator=None)
    assert [flag.reason for flag in table.table_flags] == [Reason.NOT_CHECKED]


def test_without_output_tokens_or_without_columns_it_says_what_is_needed() -> None:
    with pytest.raises(UsageError, match="how many tokens"):
        found("concurrency,context_tokens,requests_per_s\n1,2,3\n", output_tokens=None)
    with pytest.raises(UsageError, match="requests_per_s"):
        found("concurrency,context_tokens\n1,2\n")


async def test_through_slack_it_is_refused_in_a_plain_sentence(world: Any) -> None:
    for words in ("bench check", "bench check sweep.csv --model 31B --output-tokens 10"):
        with pytest.raises(RefusedError, match="only in a terminal"):
            await world.ask(words, Door.COMMAND)


async def test_help_does_not_offer_it(world: Any) -> None:
    shown = (await world.ask("help all")).view
    assert "bench check" not in "\n".join(map(plain, (*shown.lines, *shown.details)))


@pytest.mark.parametrize("name", ["sweep_31b_v6e4.csv", "model_comparison.csv"])
def test_the_message_fits_and_every_doubt_stands_in_the_details(name: str) -> None:
    table = found((ARTICLE / name).read_text())
    view = BENCH_CHECK.show(table, cast(Any, None))
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert 1 + len(view.lines) <= LINES_LIMIT
    assert view.shape is Shape.BAD
    assert len(view.details) == sum(len(row.flags) for row in table.rows)
