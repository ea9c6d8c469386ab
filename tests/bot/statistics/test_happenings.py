"""What a look at an engine says to have changed: a table of looks, and the changes that people are told."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.nouns import Happened, Happening, Look, Watched
from bot.statistics.happenings import LENGTH_MOST, NAMES_MOST, notice

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
ID = "google/gemma-4-31B-it"
LABELS = {"cache_dtype": "auto", "gpu_memory_utilization": "0.92", "kv_cache_size_tokens": "67328", "num_gpu_blocks": "526"}


def look(after_s: float, **more: Any) -> Look:
    """A look so long after START at an engine that began an hour before it."""
    told = {
        "answers": True,
        "started_at": START - timedelta(hours=1),
        "version": "0.26.0",
        "windows": {ID: 65536},
        "settings": LABELS,
    }
    return Look.model_validate({"at": START + timedelta(seconds=after_s), **told, **more})


def silent(after_s: float) -> Look:
    return Look(at=START + timedelta(seconds=after_s), answers=False)


def all_of(*looks: Look) -> tuple[Watched, list[Happening]]:
    known: Watched | None = None
    found: list[Happening] = []
    for one in looks:
        known, new = notice(known, one)
        found += new
    assert known is not None
    return known, found


def kinds(*looks: Look) -> list[Happened]:
    return [one.kind for one in all_of(*looks)[1]]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, []),
        ({"started_at": START + timedelta(seconds=10)}, [Happened.RESTARTED]),
        ({"started_at": START - timedelta(hours=1, seconds=-1)}, []),
        ({"started_at": START - timedelta(hours=9)}, []),
        ({"started_at": None}, []),
        ({"version": "0.32.0"}, [Happened.VERSION]),
        ({"version": None}, []),
        ({"windows": {"google/gemma-4-12B-it": 65536}}, [Happened.MODEL]),
        ({"windows": {ID: 32768}}, [Happened.WINDOW]),
        ({"windows": {ID: None}}, []),
        ({"windows": None}, []),
        ({"windows": {}}, []),
        ({"settings": {**LABELS, "cache_dtype": "fp8"}}, [Happened.SETTINGS]),
        ({"settings": {**LABELS, "kv_cache_size_tokens": "67584", "num_gpu_blocks": "528"}}, []),
        ({"settings": {**LABELS, "kv_cache_size_tokens": "46592", "num_gpu_blocks": "364"}}, [Happened.SETTINGS]),
        ({"settings": {**LABELS, "kv_cache_size_tokens": "None"}}, [Happened.SETTINGS]),
        ({"settings": {}}, []),
        ({"settings": {**LABELS, "newer": "True"}}, []),
    ],
)
def test_two_looks_and_what_changed_between_them(second: dict[str, Any], expected: list[Happened]) -> None:
    assert kinds(look(0), look(30, **second)) == expected


def test_the_first_look_only_begins() -> None:
    known, found = all_of(look(0))
    assert not found
    assert (known.since, known.at, known.answering) == (START, START, True)


def test_a_restart_is_told_at_the_start_of_the_process_and_what_came_with_it_too() -> None:
    began = START + timedelta(seconds=17)
    _, found = all_of(
        look(0), look(300, started_at=began, version="0.32.0", settings={**LABELS, "gpu_memory_utilization": "0.95"})
    )
    assert [(one.kind, one.at) for one in found] == [
        (Happened.RESTARTED, began),
        (Happened.VERSION, began),
        (Happened.SETTINGS, began),
    ]
    (move,) = found[2].moves
    assert (move.what, move.before, move.after) == ("gpu_memory_utilization", "0.92", "0.95")


def test_an_engine_whose_clock_is_ahead_did_not_restart_in_the_future() -> None:
    _, (restart,) = all_of(look(0), look(30, started_at=START + timedelta(hours=5)))
    assert restart.at == START + timedelta(seconds=30)


def test_several_servers_behind_one_address_restart_once_and_not_at_each_look() -> None:
    newer = START + timedelta(seconds=5)
    assert kinds(look(0), look(30, started_at=newer), look(60), look(90, started_at=newer), look(120)) == [Happened.RESTARTED]


def test_one_look_without_an_answer_is_no_silence() -> None:
    assert kinds(look(0), silent(30), look(60), silent(90), look(120)) == []


def test_two_looks_make_a_silence_since_the_first_of_them_and_two_answers_end_it() -> None:
    _, found = all_of(look(0), silent(30), silent(60), silent(90), look(120), look(150))
    assert [(one.kind, (one.at - START).total_seconds()) for one in found] == [(Happened.SILENT, 30), (Happened.ANSWERS, 120)]


def test_one_answer_amid_silence_is_no_return() -> None:
    assert kinds(look(0), silent(30), silent(60), look(90), silent(120), silent(150)) == [Happened.SILENT]


def test_two_clocks_that_look_at_one_moment_are_one_look() -> None:
    assert kinds(look(0), silent(30), silent(31), look(60)) == []
    assert kinds(look(0), silent(30), silent(31), silent(60)) == [Happened.SILENT]


def test_an_engine_that_never_answered_is_no_change_and_its_first_answer_is_one() -> None:
    assert kinds(silent(0), silent(30), silent(60)) == []
    assert kinds(silent(0), silent(30), look(60), look(90)) == [Happened.ANSWERS]


def test_an_answer_that_tells_neither_leaves_it_open() -> None:
    unclear = Look(at=START + timedelta(seconds=45), answers=None)
    known, found = all_of(look(0), unclear)
    assert not found
    assert (known.answering, known.version, known.windows) == (True, "0.26.0", {ID: 65536})
    assert kinds(look(0), silent(30), unclear, silent(60)) == [Happened.SILENT]


def test_what_changed_during_silence_is_seen_after_it() -> None:
    assert kinds(look(0), silent(30), silent(60), look(90, version="0.32.0")) == [Happened.SILENT, Happened.VERSION]


@pytest.mark.parametrize("again", [look(30, version="0.32.0"), look(10, version="0.19.0"), silent(20)])
def test_the_same_look_or_an_older_one_changes_nothing(again: Look) -> None:
    known, _ = all_of(look(0), look(30, version="0.32.0"))
    assert notice(known, again) == (known, ())


def test_what_a_server_says_is_kept_within_bounds() -> None:
    before = {f"label_{n}": "a" for n in range(200)}
    after = dict.fromkeys(before, "b" * 10000)
    _, found = all_of(look(0, settings=before), look(30, settings=after, version="9" * 10_000))
    assert [len(one.moves) for one in found] == [1, NAMES_MOST]
    assert all(len(move.after) <= LENGTH_MOST for one in found for move in one.moves)
    assert kinds(look(0, settings=after, version="9" * 10_000), look(30, settings=after, version="9" * 10_000)) == []
