"""Times without a year."""

from hypothesis import given
from hypothesis import strategies as st

from bot.serving.startup_time import moment, seconds_between


def test_what_is_no_date_is_unknown() -> None:
    assert moment("02-30 10:00:00", 2026) is None
    assert moment("13-45 99:99:99", 2026) is None
    assert moment(None, 2026) is None
    assert moment("08-10 10:00:00", None) is None
    assert seconds_between("08-10 10:00:00", None) is None


def test_a_leap_day_counts() -> None:
    assert seconds_between("02-28 23:59:59", "02-29 00:00:01") == 2


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_two_texts_give_seconds_or_nothing(one: str, other: str) -> None:
    seconds = seconds_between(one, other)
    assert seconds is None or seconds >= 0
