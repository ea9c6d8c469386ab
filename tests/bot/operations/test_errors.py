"""`errors`: counted over all logs, compared with the report before, with what rules and Gemma make of them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from bot.errors import NotConnectedError, PersonMovesNext, RetryLater
from bot.nouns import Answer, Deployment
from bot.operations.errors import ERRORS, Errors
from bot.operations.execute import Outcome, execute
from bot.ports import Compared, LastReport
from bot.requests import Door
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Shape, plain
from tests.bot.diagnosis.test_triage import sample
from tests.bot.operations.test_logs import BUSY, PROMPT, Cloud, Desk, entry, stamped, told
from tests.doubles.ports import DANA


class Memory:
    """Reports in a dict; implements `bot.ports.KnownErrors`."""

    def __init__(self) -> None:
        self.first: dict[str, str] = {}
        self.reports: list[tuple[str, datetime]] = []

    async def report(
        self, team_id: str, deployment: str, report_id: str, at: datetime, errors: int, fingerprints: Sequence[str]
    ) -> Compared:
        del team_id, deployment, errors
        before = [when for name, when in self.reports if name != report_id]
        self.reports.append((report_id, at))
        new = tuple(one for one in fingerprints if self.first.setdefault(one, report_id) == report_id)
        return Compared(new=new, before=before[-1] if before else None)

    async def last(self, team_id: str, deployment: str) -> LastReport | None:
        raise AssertionError((team_id, deployment))


class Speaker:
    """Words on results, or the error that stands in their place; implements `bot.ports.Answerer.word`."""

    def __init__(self, said: Answer | Exception) -> None:
        self.said = said
        self.given: list[dict[str, Any]] = []

    async def word(self, deployment: Deployment, task: str, results: Sequence[dict[str, Any]]) -> Answer:
        assert deployment.name == "prod"
        assert task
        self.given.extend(results)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


class Counter(Desk):
    """The same machine, with a memory of reports and somebody who finds words."""

    def __init__(self, said: Answer | Exception | None = None, **lines: Any) -> None:
        super().__init__(**lines)
        self.memory: Memory | None = Memory()
        self.speaker = Speaker(said) if said is not None else None

    async def ask(self, words: str = "errors", by: Any = DANA, **more: Any) -> Outcome:
        others: dict[str, Any] = {"logs": self.cloud, "known_errors": self.memory, "answerer": self.speaker}
        services = replace(self.house.services, **others)
        return await execute((ERRORS,), services, self.house.request(words, by, **more))


async def test_kinds_are_counted_over_all_logs() -> None:
    desk = Counter(engine=BUSY, system=["2026-11-30T02:59:00+0000 host kernel: Out of memory: Killed process 12 (vllm)"])
    desk.cloud = Cloud(entry(5, "TPU is unhealthy"), entry(9, "TPU is well", "INFO"))
    lines = told(await desk.ask())
    assert lines[0] == "5 errors at prod in 1 h, of 3 kinds"
    assert lines[1] == "ERROR ×3 02:55 UTC to 02:55 UTC: request 0 failed (engine)"
    assert "Next: " in lines[4]
    assert lines[-1] == (
        "5 engine lines read; 1 system line read; 2 Cloud Logging entries read; Cloud Logging does not receive container logs"
    )


async def test_nothing_found_says_what_was_looked_at() -> None:
    desk = Counter(engine=[stamped(n, "INFO fine") for n in range(4_312)][:3000], system=[])
    outcome = await desk.ask()
    assert told(outcome) == [
        "0 errors at prod in 1 h",
        "3,000 engine lines read; 0 system lines read; 0 Cloud Logging entries read; "
        "Cloud Logging does not receive container logs",
    ]
    assert outcome.view.shape is Shape.GOOD


async def test_an_engine_that_we_did_not_make_may_send_its_log_anywhere() -> None:
    desk = Counter(engine=[])
    desk.rig.wished.clear()
    assert "container logs" not in told(await desk.ask())[-1]


async def test_new_is_what_no_report_held_before_and_stands_first() -> None:
    desk = Counter(engine=BUSY)
    assert told(await desk.ask(id="r1"))[0] == "3 errors at prod in 1 h, of 1 kind"
    desk.cloud = Cloud(entry(5, "TPU is unhealthy"))
    for _ in range(2):
        lines = told(await desk.ask(id="r2"))
        assert lines[0] == "1 new kind of error at prod in 1 h: 4 errors of 2 kinds"
        assert lines[1].startswith("New: ERROR ×1 at 02:59 UTC: TPU is unhealthy")
        assert "compared with the report of" in lines[-1]
    again = await desk.ask(id="r3")
    assert told(again)[0] == "No new error at prod in 1 h: 4 errors of 2 kinds"


async def test_without_a_memory_nothing_is_called_new() -> None:
    desk = Counter(engine=BUSY)
    desk.memory = None
    assert told(await desk.ask())[0] == "3 errors at prod in 1 h, of 1 kind"


async def test_a_known_failure_is_named_with_its_signs_and_what_to_do() -> None:
    log = [stamped(60, one) for one in sample("program_too_large").splitlines()]
    outcome = await Counter(engine=log).ask()
    (named,) = [one for one in told(outcome) if "Next: " in one]
    assert "signs)" in named
    assert Errors.model_validate(outcome.result).known[0].name == "program_too_large"


async def test_gemmas_words_are_shown_and_what_nothing_supports_is_said() -> None:
    desk = Counter(Answer(lines=("Three requests failed.", "Why is not known."), figures=1, unsupported=("7",)), engine=BUSY)
    lines = told(await desk.ask())
    assert "Gemma: Three requests failed. Why is not known. (1 figure of it in no log)" in lines
    assert desk.speaker is not None
    assert desk.speaker.given[0]["events"][0]["count"] == 3


@pytest.mark.parametrize(
    "error", [RetryLater("Gemma does not answer at 127.0.0.1:1."), NotConnectedError("Gemma", "MODEL_BASE_URL")]
)
async def test_without_gemma_it_works_and_says_so(error: Exception) -> None:
    lines = told(await Counter(error, engine=BUSY).ask())
    assert lines[0] == "3 errors at prod in 1 h, of 1 kind"
    assert f"Without Gemma's words: {str(error).rstrip('.')}." in lines


async def test_where_no_gemma_is_configured_it_says_so() -> None:
    assert "Without Gemma's words: no Gemma is configured." in told(await Counter(engine=BUSY).ask())


async def test_a_quiet_hour_needs_no_words_and_a_model_gets_no_other_models() -> None:
    desk = Counter(Answer(lines=("words",)), engine=[])
    await desk.ask()
    await Counter.ask(desk, door=Door.MODEL)
    assert desk.speaker is not None
    assert desk.speaker.given == []


async def test_what_users_said_reaches_neither_people_nor_gemma() -> None:
    desk = Counter(Answer(lines=("words",)), engine=[stamped(9, f"ERROR {PROMPT}")])
    outcome = await desk.ask()
    assert desk.speaker is not None
    assert "diary" not in str(desk.speaker.given) + outcome.view.model_dump_json() + str(outcome.result)


@pytest.mark.parametrize(
    "error", [RetryLater("Machine: prod-1 does not answer.", arrived=False), PersonMovesNext("Machine: no key for prod.")]
)
async def test_a_log_that_cannot_be_read_is_said_and_the_others_count(error: Exception) -> None:
    desk = Counter(engine=error, system=[])
    desk.cloud = Cloud(entry(5, "TPU is unhealthy"))
    lines = told(await desk.ask())
    assert lines[0] == "1 error at prod in 1 h, of 1 kind"
    assert f"engine log not read: {str(error).rstrip('.')}" in lines[-1]


async def test_when_no_log_can_be_read_errors_are_unknown_and_not_none() -> None:
    away = RetryLater("Machine: prod-1 does not answer.", arrived=False)
    desk = Counter(engine=away, system=away)
    desk.cloud = Cloud(error=RetryLater("Cloud Logging did not answer in time."))
    outcome = await desk.ask()
    assert told(outcome)[0] == "Errors of prod are unknown: no log could be read"
    assert outcome.view.shape is not Shape.GOOD


async def test_many_kinds_fit_a_phone() -> None:
    log = [stamped(n, f"ERROR {'abcdefghijklmnop'[n] * 40} broke in its own way {'xyz' * n}") for n in range(16)]
    desk = Counter(
        Answer(lines=("word " * 300,)), engine=[*log, *(stamped(1, one) for one in sample("engine_died").splitlines())]
    )
    outcome = await desk.ask()
    assert len(plain(outcome.view.verdict)) <= VERDICT_LIMIT
    assert len(outcome.view.lines) < LINES_LIMIT
    assert outcome.view.details
