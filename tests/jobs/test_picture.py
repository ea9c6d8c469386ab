"""A chart goes out as a picture where that works, and never takes the answer with it where it does not."""

import dataclasses
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from bot.errors import PersonMovesNext
from bot.nouns import Actor
from bot.requests import Door, Place, Request
from bot.store.work import Work
from bot.view import Chart, View, line
from jobs.picture import CLAIMS_WITH_PICTURE, picture
from jobs.steps import LeaseLostError, Step

LINES = (("first token p90", tuple((1_796_006_280.0 + 60 * n, 0.4) for n in range(10))),)
VIEW = View(verdict=line("prod"), chart=Chart(title="prod", unit="s", alt="flat at 0.4 s", series=LINES))


@dataclass
class Slack:
    """Takes pictures, or refuses them."""

    refuses: Exception | None = None
    taken: list[tuple[bytes, str, str]] = field(default_factory=list)

    async def upload_chart(self, png: bytes, title: str, alt: str) -> str:
        if self.refuses is not None:
            raise self.refuses
        self.taken.append((png, title, alt))
        return f"F0000000{len(self.taken)}"


@dataclass
class WorkBook:
    """Keeps what a step writes, unless the lease is lost."""

    lost: bool = False
    kept: list[dict[str, str]] = field(default_factory=list)

    async def advance(self, work: Work, to: str, *, wait_s: float | None = None, **fields: str) -> bool:
        del work, to, wait_s
        self.kept.append(fields)
        return not self.lost


@dataclass
class Runtime:
    slack: Slack = field(default_factory=Slack)
    work: WorkBook = field(default_factory=WorkBook)


def step(runtime: Runtime, *, state: str = "answered", fence: int = 1, data: dict[str, str] | None = None) -> Step:
    request = Request(
        id="r1",
        door=Door.COMMAND,
        actor=Actor(team_id="T1", user_id="U1"),
        place=Place(channel="C1"),
        words="metrics",
        at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    made = {"id": "r-1", "kind": "request", "state": state, "queue": "reads", "request": request, "fence": fence}
    defaults = {one.name: 0 for one in dataclasses.fields(Work) if one.name not in made}
    work = Work(**cast(Any, {**defaults, **made, "data": data or {}}))

    async def kick(work_id: str, queue: str) -> None:
        del work_id, queue

    return Step(work, cast(Any, runtime), (), kick)


async def test_the_chart_is_uploaded_with_its_words_and_kept_with_the_answer() -> None:
    runtime = Runtime()
    assert await picture(step(runtime), VIEW) == "F00000001"
    png, title, alt = runtime.slack.taken[0]
    assert (png[:4], title, alt) == (b"\x89PNG", "prod", "flat at 0.4 s")
    assert runtime.work.kept == [{"picture": "F00000001"}]


async def test_whoever_takes_over_does_not_upload_it_again() -> None:
    runtime = Runtime()
    assert await picture(step(runtime, data={"picture": "F00000009"}), VIEW) == "F00000009"
    assert runtime.slack.taken == []


async def test_an_answer_without_a_chart_uploads_nothing() -> None:
    runtime = Runtime()
    assert await picture(step(runtime), View(verdict=line("prod"))) is None
    assert runtime.slack.taken == []


@pytest.mark.parametrize(
    "trouble", [PersonMovesNext("This workspace does not let me upload pictures."), OSError("no"), TimeoutError()]
)
async def test_a_picture_that_cannot_be_sent_leaves_the_words(trouble: Exception) -> None:
    assert await picture(step(Runtime(slack=Slack(refuses=trouble))), VIEW) is None


async def test_a_chart_that_cannot_be_drawn_leaves_the_words() -> None:
    broken = VIEW.model_copy(update={"chart": Chart.model_construct(title="x", unit="s", alt="", series=None, below=None)})
    assert await picture(step(Runtime()), broken) is None


async def test_when_slack_refuses_the_message_with_its_picture_again_and_again_it_goes_without() -> None:
    runtime = Runtime()
    assert await picture(step(runtime, fence=CLAIMS_WITH_PICTURE + 1, data={"picture": "F00000009"}), VIEW) is None


async def test_who_lost_the_lease_sends_nothing() -> None:
    with pytest.raises(LeaseLostError):
        await picture(step(Runtime(work=WorkBook(lost=True))), VIEW)
