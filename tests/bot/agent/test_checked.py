"""What an answer may rest on: fields of results are measured, texts are quoted, the question is the asker's."""

import pytest

from bot.agent.checked import FROM_QUESTION, NO_ANSWER, QUOTED, SIGN, judged, known, known_of
from bot.nouns import Heard, Reading
from tests.doubles.ports import NOW

FIELDS = {"deployment": "prod", "waiting": {"value": 23.0, "unit": "requests", "at": NOW.isoformat(), "source": "vLLM /metrics"}}


def reading(*said: str, **more: object) -> Reading:
    return Reading(id="r1", operation="logs", words="logs", at=NOW, said=said, result={**FIELDS, **more})


def checked(text: str, *readings: Reading, question: str = "why?") -> tuple[str, ...]:
    return judged(text, known_of(readings), question, ()).lines


def test_a_field_is_measured() -> None:
    assert checked("23 requests wait.", reading()) == ("23 requests wait.",)


def test_a_text_in_a_result_is_only_quoted() -> None:
    one = reading(message="the worker says 512 users are hit")
    assert checked("512 users are hit.", one) == (f"512{QUOTED} users are hit.",)


def test_what_the_asker_said_stays_theirs() -> None:
    assert checked("97 % is a lot.", reading(), question="is 97 % a lot?") == (f"97\u00a0%{FROM_QUESTION} is a lot.",)


def test_a_part_of_what_the_asker_said_is_not_theirs() -> None:
    assert checked("4 users fit.", reading(), question="is 64K safe for 14.4 users?") == (f"4{SIGN} users fit.",)
    assert checked("4 users fit.", reading(), question="do 4, 5 users fit?") == (f"4{FROM_QUESTION} users fit.",)


def test_what_stands_nowhere_is_marked() -> None:
    assert checked("p90 is 4.2 s.", reading()) == (f"p90 is 4.2\u00a0s{SIGN}.",)


def test_a_line_that_we_showed_may_be_copied() -> None:
    one = reading("No error in prod's engine log · 0 lines read, 30 min")
    assert checked("No error in prod's engine log · 0 lines read, 30 min", one)[0].endswith("30 min")
    assert checked("No error in prod's engine log · 0 lines read, 31 min", one)[0].endswith(f"31\u00a0min{SIGN}")


def test_a_line_with_a_text_of_somebody_else_in_it_may_not() -> None:
    one = reading("It says: the worker says 512 users are hit by it", message="the worker says 512 users are hit by it")
    assert checked("the worker says 512 users are hit", one) == (f"the worker says 512{QUOTED} users are hit",)


def test_of_a_look_up_that_failed_nothing_is_measured() -> None:
    one = Reading(id="r1", operation="status", words="status", at=NOW, said=("It answered after 9 s of 10 s",), failed=True)
    assert SIGN in checked("It took 9 s of 10 s", one)[0] or QUOTED in checked("It took 9 s of 10 s", one)[0]


def test_of_an_alert_only_its_time_is_ours() -> None:
    alert = Heard(text="p90 0.91 s on prod", by="Alertmanager", at=NOW)
    found = judged("Since 03:00 p90 is 0.91 s.", known_of((), alert), "why?", ())
    assert (found.quoted, found.unsupported) == (("0.91 s",), ())


def test_results_without_readings_are_told_apart_the_same_way() -> None:
    found = judged("12 errors, 512 users.", known([{"id": "e", "count": 12, "line": "says 512 users are hit"}]), "", ())
    assert (found.quoted, found.unsupported) == (("512",), ())


@pytest.mark.parametrize("text", ["", "   ", "\u200b\n", "##"])
def test_nothing_is_told_as_no_answer(text: str) -> None:
    found = judged(text, known_of((reading(),)), "why?", ())
    assert (found.lines, found.faults) == ((NO_ANSWER,), ("Say it in plain sentences.",))


def test_any_text_is_judged_in_bounded_lines() -> None:
    found = judged("\n".join(f"line {n} says {n}.{n} s " + "x" * 2000 for n in range(50)), known_of((reading(),)), "why?", ())
    assert len(found.lines) == 12
    assert max(map(len, found.lines)) <= 600
