"""Numbers in words, the same everywhere."""

from datetime import timedelta

import pytest

from bot.operations.wording import ago, count, duration, listed, money, percent, seconds
from tests.doubles.ports import NOW


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0004, "0.4 ms"), (0.0099, "9.9 ms"), (0.01, "0.01 s"), (0.417, "0.42 s"), (1, "1.0 s"), (2.94, "2.9 s"), (38.2, "38 s")],
)
def test_a_latency_has_as_many_digits_as_matter(value: float, words: str) -> None:
    assert seconds(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0 s"),
        (12.4, "12 s"),
        (59.6, "1 min"),
        (900, "15 min"),
        (3600, "1 h"),
        (15000, "4 h 10 min"),
        (86400, "1 d"),
        (183600, "2 d 3 h"),
        (-90, "1 min"),
    ],
)
def test_a_span_of_time_has_its_two_largest_units(value: float, words: str) -> None:
    assert duration(value) == words


@pytest.mark.parametrize(("share", "words"), [(0, "0 %"), (0.001, "0.1 %"), (0.0099, "1.0 %"), (0.01, "1 %"), (0.97, "97 %")])
def test_little_is_not_nothing(share: float, words: str) -> None:
    assert percent(share) == words


def test_money_has_cents_and_thousands() -> None:
    assert (money(5.4), money(1387.8)) == ("$5.40", "$1,387.80")


@pytest.mark.parametrize(("age", "words"), [(0.2, "just now"), (-3, "just now"), (12, "12 s ago"), (7500, "2 h 5 min ago")])
def test_how_long_ago(age: float, words: str) -> None:
    assert ago(NOW - timedelta(seconds=age), NOW) == words


def test_one_is_not_many() -> None:
    assert (count(1, "zone"), count(0, "zone"), count(2, "query", "queries")) == ("1 zone", "0 zones", "2 queries")


@pytest.mark.parametrize(
    ("names", "words"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"), (list("abcdef"), "a, b, c, d and 2 more")],
)
def test_a_list_reads_as_a_sentence(names: list[str], words: str) -> None:
    assert listed(names) == words
