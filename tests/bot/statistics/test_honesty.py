"""A published table that cannot be true is doubted row by row; an honest one is left alone."""

from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.statistics.benchmark_table import Row, parse_table
from bot.statistics.honesty import Flag, Reason, check
from bot.statistics.roofs import Roof, roof

ARTICLE = Path(__file__).parents[2] / "fixtures" / "article"
SWEEP = parse_table((ARTICLE / "sweep_31b_v6e4.csv").read_text())
MODELS = parse_table((ARTICLE / "model_comparison.csv").read_text())


def found(rows: tuple[Row, ...], reason: Reason, model: str | None = "31B") -> list[Row]:
    lines = {flag.line for flag in check(rows, model, "v6e-4", 10) if flag.reason is reason}
    return [row for row in rows if row.line in lines]


def row(**values: object) -> Row:
    return Row.model_validate({"line": 2, "concurrency": 16, "context_tokens": 512} | values)


def doubts(one: Row, model: str = "31B", accelerator: str = "v6e-4", tokens: int = 10) -> list[Flag]:
    return check([one], model, accelerator, tokens)


def test_every_measured_row_of_64_users_and_more_had_fewer_in_flight() -> None:
    many = [r for r in SWEEP if r.measured and r.concurrency >= 64]
    assert len(many) == 12
    assert [r for r in found(SWEEP, Reason.FEWER_IN_FLIGHT) if r.concurrency >= 64] == many
    in_flight = [f.value for f in check(SWEEP, "31B", "v6e-4", 10) if f.reason is Reason.FEWER_IN_FLIGHT and f.value]
    assert max(in_flight) < 41


def test_the_cells_above_the_prefill_roof_are_named() -> None:
    cells = {(r.concurrency, r.context_tokens) for r in found(SWEEP, Reason.PREFILL_ROOF)}
    assert cells == {(16, 4096), (16, 16384), (64, 4096)}


def test_one_user_and_16_short_prompts_are_believed() -> None:
    doubted = {flag.line for flag in check(SWEEP, "31B", "v6e-4", 10)}
    believed = {(r.concurrency, r.context_tokens) for r in SWEEP if r.measured and r.line not in doubted}
    assert {(1, 8), (1, 4096), (1, 16384), (16, 8), (16, 64), (16, 512), (4, 16384)} <= believed


def test_skipped_cells_are_not_doubted() -> None:
    skipped = {r.line for r in SWEEP if not r.measured}
    assert len(skipped) == 3
    assert not skipped & {flag.line for flag in check(SWEEP, "31B", "v6e-4", 10)}


def test_the_copied_columns_are_e2b_12b_and_26b() -> None:
    assert {r.model for r in found(MODELS, Reason.COPIED, None)} == {"E2B", "12B", "26B-A4B"}


def test_a_real_run_of_a_v5e_fits_all_roofs_but_has_few_samples() -> None:
    real = row(concurrency=64, context_tokens=1024, requests_per_s=8.90, mean_latency_s=0.61283 + 127 * 0.051, requests=128)
    assert [flag.reason for flag in doubts(real, "gemma-4-E2B-it", "v5litepod-1", 128)] == [Reason.FEW_SAMPLES]


def test_more_in_flight_than_users_is_doubted_too() -> None:
    assert [f.reason for f in doubts(row(requests_per_s=20, mean_latency_s=2.0))] == [Reason.MORE_IN_FLIGHT]


def test_decoding_faster_than_the_weights_can_be_read_is_doubted() -> None:
    fast = row(concurrency=1, requests_per_s=20, mean_latency_s=0.05)
    assert [f.reason for f in doubts(fast)] == [Reason.DECODE_ROOF]
    assert [f.reason for f in doubts(row(concurrency=1, requests_per_s=20))] == [Reason.DECODE_ROOF]
    assert doubts(fast, tokens=1) == []


def test_an_unknown_model_is_said_to_be_unchecked() -> None:
    flags = doubts(row(requests_per_s=22, mean_latency_s=0.72), "70B")
    assert [(f.line, f.reason) for f in flags] == [(None, Reason.NOT_CHECKED)]


def test_own_limits_replace_the_table() -> None:
    limits = Roof(params_active=1e9, weight_bytes=1, peak_flops=1e12, bandwidth=1e12, source="test")
    flags = check([row(requests_per_s=22, mean_latency_s=0.72)], None, None, 10, limits=limits)
    assert [f.reason for f in flags] == [Reason.PREFILL_ROOF]


def test_no_output_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        check(SWEEP, "31B", "v6e-4", 0)


def test_a_v5p_name_counts_cores() -> None:
    four, same = roof("31B", "v5p-8"), roof("gemma-4-31B-it", "v6e-4")
    assert four is not None
    assert same is not None
    assert four.peak_flops == pytest.approx(4 * 459e12)
    assert same.peak_flops == pytest.approx(4 * 918e12)
    assert roof("31B", "h100-8") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column concurrency"),
        ("concurrency,context_tokens\n1,2\n", "no column requests_per_s"),
        ("concurrency,context_tokens,requests_per_s\n", "no rows"),
        ("concurrency,context_tokens,requests_per_s\n1,8,fast\n", "Line 2, requests_per_s: “fast”"),
        ("concurrency,context_tokens,requests_per_s\n1,8,nan\n", "Line 2, requests_per_s"),
        ("concurrency,context_tokens,requests_per_s\n1.5,8,2\n", "Line 2, concurrency: “1.5”"),
        ("concurrency,context_tokens,requests_per_s\n1,8,2\n,8,2\n", "Line 3, concurrency"),
        ("concurrency,context_tokens,requests_per_s\n1,8,2,9\n", "Line 2 has more cells"),
        ("concurrency,context_tokens,requests_per_s\n1,8,-2\n", "Line 2, requests_per_s"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_table(text)


def test_spreadsheets_with_a_byte_order_mark_and_empty_lines_are_read() -> None:
    rows = parse_table("\ufeffConcurrency, context_tokens ,requests_per_s,note\r\n1,8,2.5,ok\r\n,,,\r\n")
    assert rows == (Row(line=2, concurrency=1, context_tokens=8, requests_per_s=2.5),)
