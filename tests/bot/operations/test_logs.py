"""`logs`: what was looked at is counted, what users said is hidden, and what somebody searches for is only ever compared."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import NotConnectedError, PersonMovesNext, RefusedError, RetryLater
from bot.nouns import LogEntry, LogsFound
from bot.operations.execute import Outcome, execute
from bot.operations.logs import LOGS
from bot.ports import Host, LogPiece, LogSearch, LogSource
from bot.requests import Door
from bot.view import VERDICT_LIMIT, plain
from tests.doubles.engines import PLACE, Rig
from tests.doubles.ports import ANNA, BEN, DANA, NOW, FakeCloud, House
from tests.doubles.sights import fleet, machine

PROMPT = "Received request cmpl-1: prompt: 'my secret diary', params: SamplingParams(n=1)"


def stamped(ago_s: float, words: str) -> str:
    return f"{(NOW - timedelta(seconds=ago_s)).strftime('%Y-%m-%dT%H:%M:%S.000000000Z')} {words}"


class Control:
    """The logs of one machine; implements the reading half of `bot.ports.EngineControl`."""

    def __init__(self, lines: dict[LogSource, list[str] | Exception], inner: Any) -> None:
        self.lines = lines
        self.asked: list[dict[str, Any]] = []
        self.status = inner.status

    async def logs(self, host: Host, source: LogSource, **asked: Any) -> LogPiece:
        assert host.name == "prod-1"
        self.asked.append({"source": source, **asked})
        found = self.lines.get(source, [])
        if isinstance(found, Exception):
            raise found
        return LogPiece(source, tuple(found[-asked["tail"] :]), truncated=len(found) > asked["tail"])


class Cloud:
    """Cloud Logging; implements `bot.ports.Logs`."""

    def __init__(self, *entries: LogEntry, stopped: str | None = None, error: Exception | None = None) -> None:
        self.entries, self.stopped, self.error = entries, stopped, error
        self.asked: list[LogSearch] = []

    async def find(self, search: LogSearch) -> LogsFound:
        self.asked.append(search)
        if self.error is not None:
            raise self.error
        return LogsFound(at=NOW, since=search.since, until=search.until, entries=self.entries, pages=1, stopped=self.stopped)


def entry(ago_s: float, words: str, severity: str = "ERROR") -> LogEntry:
    at = NOW - timedelta(seconds=ago_s)
    return LogEntry(at=at, severity=severity, text=words, log="runtime_monitor", resource="tpu_worker")


class Desk:
    """prod on prod-1; what its logs hold, and people who ask."""

    def __init__(self, **lines: list[str] | Exception) -> None:
        self.house = House()
        self.rig = Rig(self.house.clock)
        self.rig.serves()
        self.control = Control({LogSource(name): told for name, told in lines.items()}, self.rig.engines.control)
        self.house.engines = replace(self.rig.engines, control=self.control)
        self.house.names.known = [PLACE]
        self.house.cloud = FakeCloud(fleet(machine(number="4000")))
        self.cloud = Cloud()

    async def ask(self, words: str, by: Any = DANA, **more: Any) -> Outcome:
        services = replace(self.house.services, logs=self.cloud)
        return await execute((LOGS,), services, self.house.request(words, by, **more))


def told(outcome: Outcome) -> list[str]:
    return [plain(outcome.view.verdict), *map(plain, outcome.view.lines)]


BUSY = [
    stamped(600, "INFO 11-30 02:50:00 [loggers.py:1] Engine 000: Avg prompt throughput: 10.0 tokens/s"),
    *(stamped(300 - n, f"ERROR 11-30 02:55:0{n} [core.py:9] request {n} failed") for n in range(3)),
    stamped(60, 'INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 200 OK'),
]


async def test_events_are_counted_exactly_with_their_times_and_the_lines_follow_as_a_file() -> None:
    outcome = await Desk(engine=BUSY).ask("logs")
    assert told(outcome)[0] == "3 errors in prod's engine log · 5 lines read, 30 min"
    assert told(outcome)[1] == "ERROR ×3 02:55 UTC to 02:55 UTC: request 0 failed"
    assert outcome.view.attachment is not None
    assert outcome.view.attachment.name == "prod-engine.log"
    assert len(outcome.view.attachment.content.splitlines()) == 5
    assert outcome.view.attachment.content.startswith("2026-11-30T02:50:00.000+00:00 INFO")


async def test_a_quiet_log_says_how_much_was_looked_at() -> None:
    outcome = await Desk(engine=[]).ask("logs engine since 2h")
    assert told(outcome) == ["No line in prod's engine log · 0 lines read, 2 h"]
    assert outcome.view.attachment is None


async def test_a_container_that_is_not_there_is_no_quiet_log() -> None:
    desk = Desk(engine=[])
    desk.rig.docker.containers.clear()
    assert "There is no engine container on prod-1." in told(await desk.ask("logs"))


async def test_what_users_said_is_hidden_and_cannot_be_searched_for() -> None:
    desk = Desk(engine=[stamped(9, PROMPT)])
    outcome = await desk.ask("logs lines 1")
    everything = outcome.view.model_dump_json() + str(outcome.result)
    assert "diary" not in everything
    assert "[hidden: 17 characters]" in everything
    assert told(await desk.ask("logs grep diary"))[0].startswith("No line of prod's engine log holds “diary”")


async def test_operators_can_have_it_unmasked_in_a_private_file_and_nowhere_else() -> None:
    outcome = await Desk(engine=[stamped(9, PROMPT)]).ask("logs unmasked grep diary", BEN)
    assert outcome.view.attachment is not None
    assert "my secret diary" in outcome.view.attachment.content
    assert outcome.view.attachment.private
    assert "diary" not in str(outcome.result).replace("'words': 'diary'", "")
    assert "secret" not in outcome.view.model_copy(update={"attachment": None}).model_dump_json()


@pytest.mark.parametrize(("by", "door"), [(DANA, Door.COMMAND), (ANNA, Door.MODEL), (ANNA, Door.MCP)])
async def test_viewers_and_models_cannot(by: Any, door: Door) -> None:
    desk = Desk(engine=[stamped(9, PROMPT)])
    with pytest.raises(RefusedError):
        await desk.ask("logs unmasked", by, door=door)
    assert desk.control.asked == []


@pytest.mark.parametrize("words", ["; rm -rf /", "$(reboot)", '" OR severity>=DEFAULT', "`id`", "|| true", "\\"])
async def test_what_is_searched_for_reaches_no_machine(words: str) -> None:
    desk = Desk(engine=[stamped(5, f"a line with {words} in it"), stamped(4, "another")])
    outcome = await desk.ask(f"logs engine grep {words}")
    assert all(words not in str(asked) for asked in desk.control.asked)
    assert len(plain(outcome.view.verdict)) <= VERDICT_LIMIT


async def test_lines_that_hold_the_words_are_shown_and_counted() -> None:
    outcome = await Desk(engine=BUSY).ask("logs grep REQUEST 1")
    assert told(outcome) == [
        "1 line of prod's engine log holds “REQUEST 1” · 5 lines read, 30 min",
        "ERROR 11-30 02:55:01 [core.py:9] request 1 failed",
    ]


async def test_at_a_time_reads_around_it_and_drops_what_came_later() -> None:
    desk = Desk(engine=[stamped(50 * 60, "before"), stamped(30 * 60, "around"), stamped(60, "after")])
    outcome = await desk.ask("logs engine at 02:30 lines 5")
    assert told(outcome)[0] == "The newest line of prod's engine log · 1 line read, 02:15 to 02:45 UTC"
    assert desk.control.asked[0]["since"] == NOW - timedelta(minutes=45)


async def test_twelve_lines_are_all_there_the_first_seven_at_once() -> None:
    outcome = await Desk(engine=[stamped(60 - n, f"line {n}") for n in range(30)]).ask("logs engine prod lines 12")
    rows = [*map(plain, outcome.view.lines), *map(plain, outcome.view.details)]
    assert rows == [f"line {n}" for n in range(18, 30)]
    assert len(outcome.view.lines) == 7


async def test_a_log_longer_than_we_read_says_so() -> None:
    desk = Desk(engine=[stamped(1, f"line {n}") for n in range(20_050)])
    outcome = await desk.ask("logs")
    assert "Only the newest 20,000 lines were read." in told(outcome)
    assert outcome.view.attachment is not None
    assert len(outcome.view.attachment.content) <= 1_000_000


async def test_the_systems_log_comes_without_the_machines_name_on_each_line() -> None:
    line = "2026-11-30T02:59:00+0000 t1v-n-1-w-0 kernel: Out of memory: Killed process 12 (vllm)"
    outcome = await Desk(system=[line]).ask("logs system prod")
    assert told(outcome)[1] == "CRITICAL ×1 at 02:59 UTC: kernel: Out of memory: Killed process 12 (vllm)"


async def test_cloud_logging_is_asked_for_the_machine_by_name_and_number() -> None:
    desk = Desk()
    desk.cloud = Cloud(
        entry(5, "TPU is unhealthy"), entry(9, "TPU is well", "INFO"), stopped="only the newest 2 entries were read"
    )
    outcome = await desk.ask("logs cloud since 6h grep tpu")
    (asked,) = desk.cloud.asked
    assert (asked.zone, asked.nodes, asked.words) == ("us-east5-a", ("prod-1", "4000"), "tpu")
    assert asked.since == NOW - timedelta(hours=6)
    assert told(outcome)[1:] == [
        "INFO TPU is well",
        "ERROR TPU is unhealthy",
        "Cloud Logging: only the newest 2 entries were read.",
    ]


@pytest.mark.parametrize(
    "error", [RetryLater("Machine: prod-1 does not answer.", arrived=False), PersonMovesNext("Machine: no key for prod.")]
)
async def test_a_machine_that_cannot_be_read_is_an_error_and_no_empty_log(error: Exception) -> None:
    with pytest.raises(type(error)):
        await Desk(engine=error).ask("logs")


async def test_nothing_connected_says_what_to_set() -> None:
    desk = Desk()
    desk.house.engines = None
    with pytest.raises(NotConnectedError, match="GOOGLE_CLOUD_PROJECT"):
        await desk.ask("logs")


async def test_secrets_and_control_characters_do_not_reach_the_message() -> None:
    outcome = await Desk(engine=[stamped(5, "ERROR token=hf_" + "a1" * 17 + " \x1b[31mred \u202e bad")]).ask("logs")
    said = "\n".join(told(outcome))
    assert "hf_a1" not in said
    assert "\x1b" not in said
