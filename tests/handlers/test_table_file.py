"""The file of `bench check` is read at the edge; what cannot be read is said, and no path goes further."""

from pathlib import Path

import pytest

from bot.errors import PersonMovesNext
from handlers.table_file import BYTES_LIMIT, taken_from

MORE = ["--model", "31B", "--output-tokens", "10"]


def test_the_text_is_taken_and_only_the_bare_name_goes_on(tmp_path: Path) -> None:
    table = tmp_path / "my sweep.csv"
    table.write_text("concurrency\n")
    assert taken_from(["bench", "check", str(table), *MORE]) == (["bench", "check", "my_sweep.csv", *MORE], "concurrency\n")


@pytest.mark.parametrize("words", [["status"], ["bench"], ["bench", "check"], ["bench", "runs", "x.csv"], []])
def test_other_words_are_left_alone(words: list[str]) -> None:
    assert taken_from(words) == (words, None)


def test_a_file_that_is_not_there_or_is_no_text_is_said_without_its_path(tmp_path: Path) -> None:
    with pytest.raises(PersonMovesNext, match=r"I cannot read gone\.csv") as refused:
        taken_from(["bench", "check", str(tmp_path / "gone.csv")])
    assert str(tmp_path) not in str(refused.value)
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PersonMovesNext, match="UTF-8"):
        taken_from(["bench", "check", str(tmp_path / "odd.csv")])


def test_a_file_beyond_the_bound_is_not_read_whole(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_bytes(b"x" * (BYTES_LIMIT + 1))
    with pytest.raises(PersonMovesNext, match="larger than"):
        taken_from(["bench", "check", str(tmp_path / "big.csv")])
