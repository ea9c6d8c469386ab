"""Pieces of logs: two streams in order, bounded, without secrets."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.machine.logs import MOST_LINES, by_time, log_command, piece_of
from bot.machine.streams import LONGEST_LINE, LineSplitter
from bot.ports import Host, LogSource, Ran

HOST = Host("prod-1", "10.0.0.2", 22, "gemma", (), SecretStr("x"))
BERLIN = datetime(2026, 11, 30, 15, 0, 30, tzinfo=timezone(timedelta(hours=1)))


def stamped(second, text):
    return f"2026-11-30T14:00:{second:02d}.5Z {text}\n"


def test_the_command_asks_for_one_line_more_and_for_absolute_times():
    argv = log_command(LogSource.ENGINE, 12, BERLIN)
    assert argv[-6:] == ("--timestamps", "--tail", "13", "--since", "2026-11-30T14:00:30Z", "gemma-engine")
    assert log_command(LogSource.SYSTEM, 12, BERLIN)[-2:] == ("--since", f"@{int(BERLIN.astimezone(UTC).timestamp())}")
    assert "--dmesg" in log_command(LogSource.KERNEL, 12, None)


@pytest.mark.parametrize(("asked", "read"), [(-5, 2), (0, 2), (10**9, MOST_LINES + 1)])
def test_nobody_reads_without_end(asked, read):
    argv = log_command(LogSource.ENGINE, asked, None)
    assert argv[argv.index("--tail") + 1] == str(read)


def test_streams_are_put_together_by_time_and_traces_stay_whole():
    out = stamped(1, "a") + stamped(3, "c")
    err = stamped(2, "Traceback") + "  File x\n" + "ValueError\n" + stamped(4, "d")
    assert [line.split(" ", 1)[-1] for line in by_time(out, err)] == ["a", "Traceback", " File x", "ValueError", "c", "d"]


def test_fractions_of_any_length_are_compared_as_time():
    out = "2026-11-30T14:00:00.25Z late\n"
    err = "2026-11-30T14:00:00.125000000Z early\n2026-11-30T14:00:00Z whole-second-after-its-own-stream\n"
    assert [line.split()[1] for line in by_time(out, err)] == ["early", "whole-second-after-its-own-stream", "late"]


def test_secrets_are_hidden_before_anybody_sees_them():
    token = "hf_" + "PlantedTokenPlantedTokenPlanted01"
    piece = piece_of(LogSource.ENGINE, HOST, Ran(0, stamped(1, f"Authorization: Bearer {token}"), ""), 10)
    assert token not in piece.lines[0]
    assert "[hidden:" in piece.lines[0]


def test_a_refusal_is_told_and_absence_is_an_empty_log():
    with pytest.raises(PersonMovesNext, match="sudo: a password is required"):
        piece_of(LogSource.SYSTEM, HOST, Ran(1, "", "sudo: a password is required\n"), 10)
    assert piece_of(LogSource.ENGINE, HOST, Ran(1, "", "Error: No such container: gemma-engine"), 10).lines == ()


def test_of_a_log_that_is_too_long_the_newest_lines_are_kept():
    ran = Ran(0, "".join(stamped(second, "x" * 50) for second in range(50)), "")
    piece = piece_of(LogSource.ENGINE, HOST, ran, 40, max_bytes=500)
    assert piece.truncated
    assert 0 < sum(len(line) + 1 for line in piece.lines) <= 500
    assert piece.lines[-1].startswith("2026-11-30T14:00:49")
    assert len(piece_of(LogSource.ENGINE, HOST, ran, 40, max_bytes=1).lines) == 1
    assert len(piece_of(LogSource.ENGINE, HOST, ran, 40).lines) == 40


def test_a_piece_that_was_cut_on_the_way_says_so():
    assert piece_of(LogSource.ENGINE, HOST, Ran(None, stamped(1, "a"), "", truncated=True), 10).truncated


@given(st.lists(st.text(max_size=60), max_size=12), st.lists(st.text(max_size=60), max_size=12))
def test_no_line_is_lost_or_made_up(first, second):
    streams = ["\n".join(lines) for lines in (first, second)]
    given_lines = sorted(line for stream in streams for line in stream.split("\n") if line)
    assert sorted(by_time(*streams)) == given_lines


@given(st.binary(max_size=400), st.lists(st.integers(1, 40), max_size=20))
def test_lines_do_not_depend_on_how_the_bytes_arrive(data, cuts):
    splitter, lines, rest = LineSplitter("stdout"), [], data
    for cut in cuts:
        lines += splitter.take(rest[:cut])
        rest = rest[cut:]
    lines += splitter.take(rest) + splitter.end()
    whole = LineSplitter("stdout")
    assert lines == whole.take(data) + whole.end()


def test_a_line_without_end_keeps_its_beginning_only():
    splitter = LineSplitter("stderr")
    for _ in range(10):
        assert splitter.take(b"x" * LONGEST_LINE) == []
    (line,) = splitter.take(b"\n")
    assert (len(line.text), line.cut) == (LONGEST_LINE, True)
    assert splitter.take(b"short\n")[0].cut is False
