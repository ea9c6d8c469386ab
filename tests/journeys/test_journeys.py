"""Each file here is a conversation as people have it: what they type, and all that they then see.

`> anna in #ops: /gemma status` is typed; `> anna in the thread: @gemma status` answers below her last message in that channel;
`> anna presses Details` presses a button of the newest message; `> the engine gets slow` changes the world. The indented block
below is everything new that this person then sees, word for word, with `{placeholders}` where clocks and dice decide; a last line
`…` leaves the rest to another journey, and so does one at the end of a message where the last line is `… in any order`: that
stands where two works that know nothing of each other end. When the wording was improved, the failing test prints what people see
now.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from bot.operations import OPERATIONS
from bot.view import LINES_LIMIT, VERDICT_LIMIT
from sandbox.machine import Ending
from sandbox.machine.last_words import ENGINE_CORE_DIED
from sandbox.slack import Entry, Person
from sandbox.whole import Sandbox

FOLDER = Path(__file__).parent
SPAN = r"\d+ (?:s|min|h|d)(?: \d+ (?:min|h))?"
PLACEHOLDERS = {
    "time": r"\d{2}:\d{2}",
    "day": r"\d{1,2} [A-Z][a-z]{2}",
    "number": r"[\d,]+(?:\.\d+)?",
    "seconds": r"\d+(?:\.\d+)? s",
    "latency": r"\d+(?:\.\d+)? m?s",
    "bounds": r"[\d.]+–[\d.]+ m?s",
    "dollars": r"\$[\d,]+\.\d{2}",
    "month": r"[A-Z][a-z]+",
    "moment": r"(?:today|yesterday|\d{1,2} [A-Z][a-z]{2}) \d{2}:\d{2}",
    "address": r"http://127\.0\.0\.1:\d+",
    "span": SPAN,
    "since": r"(?: since \d{2}:\d{2}(?: UTC)?)?",
    "when": r"(?:today |tomorrow |[\w ,]+ )?\d{2}:\d{2}",
    "id": r"[0-9a-f]{12}",
    "change": r"(?:none known|.+ \d{2}:\d{2})\.",
    "starts": r".+",
    "state": r".+",
    "ago": rf"(?:just now|{SPAN} ago)",
}
SAID = re.compile(r"(?P<user>\w+) in (?P<where>#\w+|@gemma|the thread): (?P<words>.+)")
SLOW_FOR = timedelta(minutes=3)
"""How long the engine has been slow when somebody looks."""

ENDINGS = {
    "the next start does not fit in memory": Ending.HBM,
    "the next start is refused by Hugging Face": Ending.HF_403,
}
"""What becomes of the next start of prod's engine, when it is not ready in the end."""

DIES, BACK = "the engine dies", "what is done next brings the engine back"
WAITS = {DIES: True, BACK: False}
"""From the first to the second a question that is asked waits as work, so it is not waited for that nothing is due."""

KEEPS, NEW_WITHIN_S = "Your question is kept", 60.0

in_sandbox = pytest.mark.asyncio(loop_scope="module")
ALERTMANAGER = Person("U0ALERTS", "alertmanager", "Alertmanager", "Etc/UTC", bot=True)
STRANGER = Person("U0ERIN", "erin", "Erin Fox", "Europe/Dublin", team_id="T0OTHER")


@dataclass(frozen=True)
class Turn:
    """What somebody does, and the lines that they then see."""

    does: str
    sees: tuple[str, ...]


def turns(written: str) -> list[Turn]:
    """The turns of a file, in order."""
    found: list[Turn] = []
    for one in written.splitlines():
        if one.startswith("> "):
            found.append(Turn(one.removeprefix("> "), ()))
        elif one.startswith("    ") and found:
            found[-1] = Turn(found[-1].does, (*found[-1].sees, one.removeprefix("    ")))
    return found


def matches(expected: str, line: str) -> bool:
    pattern = re.sub(r"\\\{(\w+)\\\}", lambda name: PLACEHOLDERS[name[1]], re.escape(expected))
    return re.fullmatch(pattern, line) is not None


ANY_ORDER = "… in any order"
OPENS = re.compile(r" *gemma(?: \(only you\))?: ")
"""How the first line of a message begins."""


def messages(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each message."""
    found: list[list[str]] = []
    for one in lines:
        if OPENS.match(one):
            found.append([])
        found[-1].append(one)
    return found


def same_in_any_order(expected: Sequence[str], lines: list[str]) -> bool:
    """Each message once, whichever came first."""
    left = messages(lines)
    for wanted in messages(expected):
        came = next((one for one in left if same(tuple(wanted), one)), None)
        if came is None:
            return False
        left.remove(came)
    return not left


def same(expected: tuple[str, ...], lines: list[str]) -> bool:
    """Line by line; a last line `…` stands for whatever follows."""
    if expected and expected[-1] == ANY_ORDER:
        return same_in_any_order(expected[:-1], lines)
    if expected and expected[-1].strip() == "…":
        expected, lines = expected[:-1], lines[: len(expected) - 1]
    return len(expected) == len(lines) and all(map(matches, expected, lines))


def shown(entry: Entry, indent: str = "") -> list[str]:
    """A message as this person sees it, without its time."""
    mark = " (only you)" if entry.ephemeral and entry.kind == "message" else ""
    first, *rest = entry.text.split("\n")
    return [f"{indent}{entry.name}{mark}: {first}", *(f"{indent}  {line}" for line in rest)]


class Conversation:
    """One person at a time, in the sandbox that all journeys share."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._user, self._channel, self._root, self._kept = "anna", "#ops", "", False

    async def turn(self, does: str) -> list[str]:
        """Do it, wait until all is answered, and return what is new or changed."""
        said = SAID.fullmatch(does)
        if said is not None:
            self._user, where = said["user"], said["where"]
            self._channel = self._channel if where == "the thread" else where
        elif " presses " in does:
            self._user = does.split(" presses ", maxsplit=1)[0]
        before = self._seen()
        typed = await self._do(does, said)
        if does in WAITS:
            self._kept = WAITS[does]
            return []
        await self._quiet(before, typed)
        return [line for ts, lines in self._seen().items() if before.get(ts) != lines and ts != typed for line in lines]

    async def _quiet(self, before: dict[str, list[str]], typed: str | None) -> None:
        """Until all is answered; while a question is kept, until something new stands there, for that is work which waits."""
        if not self._kept:
            assert await self._sandbox.settled(), self._sandbox.logs()
            return
        async with asyncio.timeout(NEW_WITHIN_S):
            while not self._keeps() or {ts: one for ts, one in self._seen().items() if ts != typed} == before:
                await asyncio.sleep(0.1)

    def _keeps(self) -> bool:
        return any(KEEPS in line for lines in self._seen().values() for line in lines)

    def _seen(self) -> dict[str, list[str]]:
        """Every message by its ts, as this person sees it now; replies stand below their root, indented."""
        entries = [one for one in self._sandbox.slack.transcript(self._user, self._channel) if one.kind != "command"]
        return {
            one.ts: shown(one, indent)
            for root in entries
            for one, indent in ((root, ""), *((reply, "  ") for reply in root.replies))
        }

    async def _do(self, does: str, said: re.Match[str] | None) -> str | None:
        people = self._sandbox.slack.people
        if said is not None:
            thread = self._root if said["where"] == "the thread" else None
            message = await people.type(self._user, self._channel, said["words"], thread)
            self._root = thread or message.ts
            return message.ts
        if does in ENDINGS:
            self._sandbox.park.machines["prod-1"].docker.ending = ENDINGS[does]
            return None
        if does == BACK:
            return None
        if does == DIES:
            self._sandbox.park.machines["prod-1"].docker.crash("gemma-engine", 1, ENGINE_CORE_DIED)
            return None
        if does == "the engine gets slow":
            await self._sandbox.vllm.scenario("saturated")
            self._sandbox._shifted.behind -= SLOW_FOR
            return None
        self._user, label = does.split(" presses ")
        entries = self._sandbox.slack.transcript(self._user, self._channel)
        newest = [one for root in entries for one in (root, *root.replies) if label in one.buttons][-1]
        await people.click(self._user, newest.ts, label)
        return None


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[Sandbox]:
    async with Sandbox(SAMPLE_SECONDS="3600", WATCH_SECONDS="0") as sandbox:
        sandbox.slack.workspace.people[STRANGER.id] = STRANGER
        sandbox.slack.workspace.people[ALERTMANAGER.id] = ALERTMANAGER
        sandbox.slack.workspace.channels["C0OPS"].members |= {STRANGER.id, ALERTMANAGER.id}
        yield sandbox


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def unconnected() -> AsyncIterator[Sandbox]:
    async with Sandbox(past=False, DEPLOYMENTS_FILE="none.toml", OPERATORS="", ADMINS="") as sandbox:
        yield sandbox


async def follow(file: Path, sandbox: Sandbox) -> None:
    conversation = Conversation(sandbox)
    for turn in turns(file.read_text()):
        lines = await conversation.turn(turn.does)
        assert same(turn.sees, lines), "\n".join(
            [f"{file.name}: after “{turn.does}” people saw", *(f"    {line}" for line in lines)]
        )


LAST = ["errors.md", *sorted(one.name for one in FOLDER.glob("*slow*.md")), "t12_gemma_is_down.md", "t11_second_yes.md"]
"""After these the engine is not what it was, or its machine is gone."""

COST = "t08_cost.md"
"""Goes first of all: its sums are those of the machines that stand there, before other conversations make more."""

ENGINES = ["engine.md", "t05_not_started.md"]
"""Each in a sandbox of its own: they stop and start the engine that others measure."""

ALERTS = ["incident.md", "t04_lease_ends.md"]
"""In a sandbox of their own (`test_alerts`): nobody begins these."""

OTHERS = sorted(
    one.name for one in FOLDER.glob("*.md") if one.name not in {*LAST, COST, *ENGINES, *ALERTS} and "unconnected" not in one.name
)
FIRST = [COST, *OTHERS]


@pytest.mark.wire
@in_sandbox
@pytest.mark.parametrize("name", [*FIRST, *LAST])
async def test_a_conversation_goes_as_it_is_written(name: str, running: Sandbox) -> None:
    await follow(FOLDER / name, running)


@pytest.mark.wire
@in_sandbox
async def test_before_anything_is_connected(unconnected: Sandbox) -> None:
    await follow(FOLDER / "t00_unconnected.md", unconnected)


@pytest.mark.wire
@in_sandbox
@pytest.mark.parametrize("name", ENGINES)
async def test_what_is_done_to_an_engine_goes_as_it_is_written(name: str) -> None:
    async with Sandbox(SAMPLE_SECONDS="3600") as sandbox:
        await follow(FOLDER / name, sandbox)


NOT_SHOWN_YET = {"changes", "machine.start", "replace", "rollback"}
"""Words without a conversation of their own. This list may only shrink."""

LEADING_NAMES = re.compile(r"^(?:@\S+ )+(?:· )?")
"""Who is mentioned opens the notification and is not counted (`bot.slack.render.notification`)."""


def written() -> list[Turn]:
    return [turn for file in FOLDER.glob("*.md") for turn in turns(file.read_text())]


def test_every_word_that_can_be_said_is_shown_somewhere() -> None:
    said = [turn.does.partition(": ")[2].removeprefix("/gemma ").removeprefix("@gemma ") for turn in written()]
    missing = {one.path for one in OPERATIONS if one.path and not one.hidden and not is_said(one.words, said)}
    assert missing <= NOT_SHOWN_YET


def is_said(words: tuple[str, ...], said: list[str]) -> bool:
    return any(tuple(line.split()[: len(words)]) == words for line in said)


def test_what_people_see_fits_a_phone() -> None:
    """Line 1 is the verdict, short enough for a notification; at most eight lines, buttons and pictures apart."""
    for turn in written():
        text = [one for one in turn.sees if not one.strip().startswith(("[", "Chart: ", "…"))]
        first = LEADING_NAMES.sub("", text[0].partition(": ")[2].replace("*", "").replace("`", "")) if text else ""
        first = re.sub(r"\{\w+\}", "12 s", first)
        assert len(first) <= VERDICT_LIMIT, turn
        assert len(text) <= LINES_LIMIT or turn.does.endswith(("presses Details", "presses Share here")), turn


def test_every_journey_has_something_to_see() -> None:
    for file in FOLDER.glob("*.md"):
        assert any(turn.sees for turn in turns(file.read_text())), file.name


@pytest.mark.parametrize(
    ("expected", "line", "alike"),
    [
        ("seen {ago}", "seen just now", True),
        ("seen {ago}", "seen 4 h 10 min ago", True),
        ("seen {ago}", "seen", False),
        ("first {seconds}.", "first 0.42 s.", True),
        ("first {seconds}.", "first 0.42 s!", False),
        ("a.b", "axb", False),
    ],
)
def test_a_placeholder_stands_for_its_kind_and_everything_else_for_itself(expected: str, line: str, *, alike: bool) -> None:
    assert matches(expected, line) is alike


def test_a_missing_line_is_noticed_and_a_last_ellipsis_stands_for_any_number() -> None:
    assert not same(("a",), ["a", "b"])
    assert not same(("a", "b"), ["a"])
    assert same(("a", "…"), ["a", "b", "c"])
    assert not same(("a", "…"), ["b", "c"])


def test_in_any_order_each_message_has_to_come_once_and_whole() -> None:
    wanted = ("gemma: *one*", "  more", "gemma: *two* at {time}", "  …", ANY_ORDER)
    assert same(wanted, ["gemma: *two* at 03:00", "  whatever", "gemma: *one*", "  more"])
    assert not same(wanted, ["gemma: *two* at 03:00", "gemma: *one*"])
    assert not same(wanted, ["gemma: *one*", "  more"])
    assert not same(wanted, ["gemma: *one*", "  more", "gemma: *two* at 03:00", "gemma: *two* at 03:00"])
