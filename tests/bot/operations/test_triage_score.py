"""Triage alone, scored: what was recorded, what is documented, and what is quiet. `python -m benchmarks.triage` prints it."""

from benchmarks.triage import cases, said, scored


def test_every_recorded_and_documented_failure_is_named_and_nothing_is_named_in_a_quiet_log() -> None:
    found = scored(None)
    assert {name: group["wrong"] for name, group in found.items()} == {"recorded": [], "documented": [], "quiet": []}
    assert {name: group["n"] for name, group in found.items()} == {"recorded": 2, "documented": 148, "quiet": 38}


def test_the_score_can_be_missed() -> None:
    case = next(one for one in cases(None) if one.group == "documented")
    assert said(case) == case.right != "something_else"
