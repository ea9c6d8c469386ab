"""Signatures do not depend on lists, units, dates or quoted values."""

import pytest

from bot.diagnosis.signature import signature
from bot.diagnosis.tokens import MaskedWords


def of(line: str) -> str:
    return " ".join(signature(MaskedWords().words(line)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sent 1190 bytes (1.16 KB) to proxy", "sent 12 bytes to proxy"),
        ("lifetime <1 sec", "lifetime 00:02"),
        ("took 3.5 ms, done", "took 12 s, done"),
        ("ask 10.0.0.1:50010 to delete blk_1", "ask 10.0.0.1:50010 to delete blk_1 blk_2 blk_3"),
        ("nodes node-1 0x1 <ok> node-2 0x2 <ok>", "nodes node-1 0x1 <ok> node-2 0x2 <ok> node-3 0x3 <ok>"),
        (
            "connection from 1.2.3.4 () at Sun Jul 3 10:05:25 2005",
            "connection from 1.2.3.4 (a.example.com) at Mon Aug 10 10:05:25 2005",
        ),
        ('acquire tag="View Lock", name=android', 'acquire tag="launch", name=com.android.phone'),
    ],
)
def test_two_lines_of_one_event_have_one_signature(one: str, other: str) -> None:
    assert of(one) == of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("session opened", "session closed"),
        ("state GET /a", "state POST /a"),
        ("may 3 fail", "might 3 fail"),
    ],
)
def test_lines_of_different_events_keep_their_words(one: str, other: str) -> None:
    assert of(one) != of(other)


def test_an_apostrophe_does_not_swallow_the_line() -> None:
    assert "failed" in of("it's state=' and then " + "word " * 30 + "failed")
