"""`changes`: what the clock saw and what people did, in one order; and what nobody saw is not called unchanged."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.errors import NotConnectedError
from bot.nouns import Happened, Happening, Look, Move, Watched
from bot.operations.changes import CHANGES, MOST
from bot.operations.changes_words import told
from bot.operations.execute import Outcome, execute
from bot.operations.operation import Registry
from bot.operations.status import STATUS
from bot.operations.welcome import WELCOME
from bot.ports import House as HousePorts
from bot.ports import Services
from bot.requests import Door
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Mention, plain
from tests.doubles.ports import NOW, House
from tests.doubles.sights import PROD

TABLE: Registry = (WELCOME, STATUS, CHANGES)
DAY = timedelta(days=1)


@dataclass
class Kept:
    """Changes as a store would give them back."""

    kept: list[Happening] = field(default_factory=list)
    known: Watched | None = field(default_factory=lambda: Watched(since=NOW - 9 * DAY, at=NOW))

    async def note(self, team_id: str, deployment: str, look: Look) -> tuple[Happening, ...]:
        raise AssertionError((team_id, deployment, look))

    async def since(self, team_id: str, deployment: str, since: datetime, most: int) -> tuple[Happening, ...]:
        del team_id, deployment
        young = (one for one in self.kept if one.at >= since)
        return tuple(sorted(young, key=lambda one: one.at, reverse=True)[:most])

    async def watched(self, team_id: str, deployment: str) -> Watched | None:
        del team_id, deployment
        return self.known


@dataclass
class Trail:
    """The audit read back; `preferred` is asked of the same house and knows no channel."""

    entries: list[dict[str, str]] = field(default_factory=list)

    async def since(self, team_id: str, since: datetime, most: int) -> tuple[Mapping[str, str], ...]:
        del team_id
        return tuple(one for one in self.entries if datetime.fromisoformat(one["at"]) >= since)[:most]

    async def preferred(self, team_id: str, channel: str) -> str | None:
        del team_id, channel
        return None

    async def given(self, team_id: str) -> Any:
        del team_id
        return House().grants


def happening(ago: float, kind: Happened = Happened.RESTARTED, *moves: Move) -> Happening:
    """So many minutes before now."""
    return Happening(at=NOW - timedelta(minutes=ago), kind=kind, moves=moves, source="vLLM process start")


def entry(ago: float, operation: str = "machine.stop", **fields: str) -> dict[str, str]:
    at = (NOW - timedelta(minutes=ago)).isoformat()
    made = {"at": at, "who": "U1BEN", "operation": operation, "arguments": '{"name": "prod-1"}', "ended": "prod-1 stops"}
    return {**made, **fields}


def services(house: House, *entries: dict[str, str]) -> Services:
    trail = Trail(list(entries))
    return replace(house.services, house=_house(trail))


def _house(trail: Any) -> Any:
    return HousePorts(trail, trail, trail, trail, trail)


def watched(*kept: Happening) -> House:
    house = House()
    house.names.known = [PROD]
    house.happenings = Kept(list(kept))
    return house


async def asked(house: House, *entries: dict[str, str], words: str = "changes") -> Outcome:
    return await execute(TABLE, services(house, *entries), house.request(words))


async def test_nothing_is_said_in_the_words_of_the_span() -> None:
    outcome = await asked(watched(happening(25 * 60)))
    assert plain(outcome.view.verdict) == "No change seen in 24 h · prod"
    assert outcome.view.lines == ()
    assert plain((await asked(watched(), words="changes prod since 90m")).view.verdict) == "No change seen in 1 h 30 min · prod"


async def test_the_newest_change_is_in_the_first_line_and_each_has_its_own() -> None:
    outcome = await asked(watched(happening(29), happening(60, Happened.SILENT)), entry(40))
    assert plain(outcome.view.verdict) == "3 changes in 24 h: engine restarted 2026-11-30 02:31 UTC"
    assert [plain(one) for one in outcome.view.lines] == [
        "2026-11-30 02:31 UTC engine restarted · vLLM process start",
        "2026-11-30 02:20 UTC @U1BEN machine stop prod-1 · done",
        "2026-11-30 02:00 UTC engine stopped answering · vLLM process start",
    ]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"yes_by": "U1ANNA"}, "@U1BEN machine stop prod-1 · yes by @U1ANNA · done"),
        ({"ended": "failed: Google says no"}, "@U1BEN machine stop prod-1 · failed"),
        ({"ended": "machine-12: asking"}, "@U1BEN machine stop prod-1 · machine-12"),
        ({"operation": "engine.restart", "arguments": '{"deployment": "pr"}'}, "@U1BEN engine restart pr · done"),
        ({"operation": "engine.restart", "arguments": '{"deployment": null}'}, "@U1BEN engine restart · done"),
    ],
)
async def test_what_people_did_is_told_with_whose_yes_and_how_it_ended(fields: dict[str, str], line: str) -> None:
    (found,) = (await asked(watched(), entry(5, **fields))).view.lines
    assert plain(found) == f"2026-11-30 02:55 UTC {line}"
    assert Mention(id="U1BEN") in found


@pytest.mark.parametrize(
    "fields",
    [
        {"arguments": '{"name": "prod-2"}'},
        {"arguments": '{"deployment": "bench"}'},
        {"operation": "budget.set", "arguments": '{"amount": 5.0}'},
        {"arguments": "no json"},
        {"arguments": "[]"},
        {"arguments": ""},
    ],
)
async def test_what_was_done_to_something_else_is_left_out(fields: dict[str, str]) -> None:
    assert (await asked(watched(), entry(5, **fields))).view.lines == ()


async def test_what_only_admins_may_read_stays_in_the_audit() -> None:
    hidden = {"said": "machine stop prod-1 PRIVATE", "because": "PRIVATE", "ended": "failed: PRIVATE", "door": "PRIVATE"}
    arguments = '{"name": "prod-1", "because": "PRIVATE"}'
    outcome = await asked(watched(), entry(5, arguments=arguments, **hidden), entry(6, operation="machine.stop PRIVATE"))
    assert "PRIVATE" not in outcome.model_dump_json()
    assert len(outcome.view.lines) == 2


async def test_long_work_begins_and_ends() -> None:
    outcome = await asked(watched(), entry(5, ended="machine-12: prod-1 is gone"), entry(9, ended="machine-12: deleting"))
    ends = [plain(one).rpartition(" · ")[2] for one in outcome.view.lines]
    assert ends == ["machine-12 ended", "machine-12 began"]


async def test_a_record_that_is_younger_than_the_span_says_since_when_it_counts() -> None:
    house = watched()
    house.happenings = Kept(known=Watched(since=NOW - timedelta(hours=2), at=NOW))
    (found,) = (await asked(house)).view.lines
    assert plain(found) == "The engine is watched since 2026-11-30 01:00 UTC; before that is unknown."
    assert (await asked(house, words="changes since 1h")).view.lines == ()


async def test_a_clock_that_stopped_looking_is_told() -> None:
    house = watched()
    house.happenings = Kept(known=Watched(since=NOW - 9 * DAY, at=NOW - timedelta(hours=5)))
    assert [plain(one) for one in (await asked(house)).view.lines] == [
        "The engine was last looked at 5 h ago; since then is unknown."
    ]


async def test_an_engine_that_nobody_looked_at_is_not_called_unchanged() -> None:
    house = watched()
    house.happenings = Kept(known=None)
    view = (await asked(house)).view
    assert plain(view.verdict) == "No change known in 24 h · prod"
    assert "never looked at" in plain(view.lines[0])


async def test_without_redis_it_says_what_to_set() -> None:
    house = watched()
    house.happenings = None
    with pytest.raises(NotConnectedError, match="REDIS_URL"):
        await asked(house)


async def test_beyond_six_lines_the_rest_waits_and_a_cut_list_says_so() -> None:
    view = (await asked(watched(*(happening(n) for n in range(1, 9))))).view
    assert (len(view.lines), len(view.details)) == (6, 2)
    outcome = await asked(watched(*(happening(n) for n in range(1, MOST + 5))))
    assert plain(outcome.view.verdict).startswith(f"at least {MOST} changes in 24 h: ")
    assert outcome.result is not None
    assert len(outcome.result["changes"]) == MOST


async def test_line_one_fits_a_phone_however_long_the_names_are() -> None:
    moves = [Move(what="w" * 80, before="b" * 80, after="a" * 80) for _ in range(9)]
    house = watched(*(happening(n, Happened.SETTINGS, *moves) for n in range(1, MOST + 5)))
    house.happenings = Kept(list((await house.happenings.since("", "", NOW - DAY, 99)) if house.happenings else ()),
                            Watched(since=NOW - timedelta(hours=1), at=NOW - timedelta(minutes=30)))  # fmt: skip
    view = (await asked(house)).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert len(view.lines) < LINES_LIMIT


@pytest.mark.parametrize(
    ("kind", "moves", "words"),
    [
        (Happened.RESTARTED, (), "engine restarted"),
        (Happened.SILENT, (), "engine stopped answering"),
        (Happened.ANSWERS, (), "engine answers again"),
        (Happened.VERSION, (("vLLM", "0.26.0", "0.32.0"),), "vLLM 0.26.0 → 0.32.0"),
        (Happened.MODEL, (("model", "a", "b"),), "served model a → b"),
        (Happened.WINDOW, (("a", "65,536", "32,768"),), "window 65,536 → 32,768 tokens"),
        (Happened.SETTINGS, (("cache_dtype", "auto", "fp8"),), "setting cache_dtype auto → fp8"),
        (Happened.SETTINGS, (("a", "None", "2"), *[("b", "1", "2")] * 4), "settings a not set → 2, b 1 → 2, b 1 → 2 and 2 more"),
    ],
)
def test_each_kind_has_its_words(kind: Happened, moves: tuple[tuple[str, str, str], ...], words: str) -> None:
    made = tuple(Move(what=what, before=before, after=after) for what, before, after in moves)
    assert told(happening(1, kind, *made)) == words


async def test_status_tells_the_last_change_or_since_when_there_was_none() -> None:
    line = plain((await asked(watched(happening(29)), words="status")).view.lines[1])
    assert line.startswith("Last change: engine restarted 2026-11-30 02:31 UTC. New errors: unknown.")
    back = watched(happening(29), happening(27, Happened.ANSWERS))
    assert "Last change: engine restarted 2026-11-30 02:31 UTC" in plain((await asked(back, words="status")).view.lines[1])
    line = plain((await asked(watched(), words="status")).view.lines[1])
    assert line.startswith("Last change: none seen since 2026-11-21 03:00 UTC. ")
    alone = watched()
    alone.happenings = None
    assert plain((await asked(alone, words="status")).view.lines[1]).startswith("Last change: unknown. ")


@pytest.mark.parametrize(("words", "said"), [("status", "changes prod since 24h"), ("", "changes since 24h")])
async def test_what_changed_today_is_one_press_away(words: str, said: str) -> None:
    (button,) = [one for one in (await asked(watched(), words=words)).view.buttons if one.label == "What changed today"]
    assert button.words == said
    pressed = await execute(TABLE, services(watched()), watched().request(button.words, door=Door.BUTTON))
    assert pressed.path == "changes"
