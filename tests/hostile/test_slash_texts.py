"""Ten thousand things that somebody may type after /gemma, by hand, by accident or on purpose."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import BotError, RetryLater, WeMoveNext
from bot.nouns import Actor, Deployment, EngineStart, SeenBy, Wish
from bot.operations import OPERATIONS
from bot.operations.execute import Outcome, execute
from bot.operations.pasted import telling
from bot.operations.planned import PLANNED
from bot.operations.telling import told
from bot.ports import Engines, Grants, Limit, Services
from bot.requests import Request
from bot.serving.specification import EngineSpecification
from bot.slack.limits import validate_message
from bot.slack.render import render
from bot.view import View, plain
from handlers.slack.payloads import from_command
from handlers.slack.secrets import without
from sandbox.slack.pings import mentioned
from tests.bot.operations.house_doubles import HouseInMemory
from tests.bot.serving.wanted_engine import WISH
from tests.doubles.ports import ANNA, BEN, CARLA, DANA, NOW, OPERATORS, TEAM, House, Names
from tests.doubles.vault import Vault
from tests.doubles.yard import Yard

BATCH = 20
BATCHES = 500
"""500 times 20 texts are the ten thousand; hypothesis is quick with few large examples."""

PLANTED = (
    "hf" + "_QmZrTyUiOpAsDfGhJkLzXcVbNmQwErTyUi",
    "xox" + "b-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx",
    "AI" + "zaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "gh" + "p_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
)
VICTIMS = (
    "<!channel>",
    "<!here>",
    "<!everyone>",
    "<@U9VICTIM>",
    "<@U9VICTIM|eve>",
    "<!subteam^S9VICTIM>",
    "<!subteam^S9VICTIM|@all>",
)
DRESSED = (
    *VICTIMS,
    *("&lt;!channel&gt;", "&amp;lt;!here&amp;gt;", "<https://x.example|<!channel>>", "<<!channel>>", "<!channel", "`<!here>`"),
    *("@channel", "@here", "*", "_", "~", "```", "“prod”", "—since", "–", "\u200b", "\u202e", "\x00", "\ud7ff", "𝕏" * 30, "🔥"),
    *("'", '"', "\\", "a=b=c", "=", "--", "--since", "since=", "because", "words", "found=a:b:c", "found=", "x" * 4100),
)
VALUES = (
    "prod",
    "v6e-4",
    "31B",
    "us-east5-a",
    "32K",
    "4h",
    "18:00",
    "$22",
    "fp8",
    "yesterday",
    "raw",
    "ask-1a2b3c",
    "r-1",
    "1e999",
    "key",
    "image=vllm/vllm-tpu:v0.26.0",
    "image=$(id)",
    "for 9h",
    "machine=prod-9",
)
WORDS = tuple(sorted({word for operation in OPERATIONS for word in operation.words} | PLANNED))

EDGES = (" ", '"', "'", "=", ":", "<", ">", "(", "\n", "*", "`", ",")
"""What may stand beside a secret. Glued to other letters or digits it is no token of its issuer's form any more."""

PIECE = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    st.sampled_from(VALUES),
    st.sampled_from(DRESSED),
    st.builds(
        lambda before, secret, after: before + secret + after,
        st.sampled_from(EDGES),
        st.sampled_from(PLANTED),
        st.sampled_from(EDGES),
    ),
    st.text(max_size=30),
)
TEXT = st.builds(lambda pieces, gap: gap.join(pieces), st.lists(PIECE, max_size=7), st.sampled_from((" ", "  ", "\n", "")))
OURS = {f"@{one.user_id}" for one in (ANNA, BEN, DANA, CARLA)} | {f"!subteam^{OPERATORS}"}
"""Whom the bot may mention: those with a role, and who asked."""
NAMED = {"@U9VICTIM", "!subteam^S9VICTIM"}


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


def body(text: str, user: str) -> dict[str, str]:
    place = {"team_id": TEAM, "user_id": user, "channel_id": "C1OPS", "channel_name": "ops", "trigger_id": f"1.{hash(text)}"}
    return {**place, "command": "/gemma", "text": text, "response_url": "https://hooks.example/1"}


def peopled() -> House:
    """A house with one deployment, whose engine cannot be reached."""
    return House(names=Names([Deployment(name="prod", base_url="http://127.0.0.1:1", accelerator="v6e-4", zone="us-east5-a")]))


def connected(house: House) -> Services:
    """Its ports with everything that words can reach beyond looking: roles, budget, secrets, and what the engine shall be."""
    wishes: Any = Wished()
    away: Any = Away()
    inside = HouseInMemory(grants=Grants(), bound=Limit(usd=500, by=ANNA.user_id, at=house.clock.at))
    return replace(
        house.services,
        house=inside.house(),
        capacity=replace(Yard().capacity(), secrets=Vault()),
        engines=Engines(wishes, away, away, away),
        project="my-project",
    )


class Away:
    """Any port of a machine that does not answer."""

    def __getattr__(self, name: str) -> Any:
        async def call(*_values: object, **_more: object) -> None:
            raise RetryLater(f"The machine does not answer ({name}).")

        return call


class Wished:
    """Implements what is read of `bot.ports.Wishes`: one whole specification for every deployment, and another one before it."""

    async def current(self, _team: str, deployment: str) -> Wish:
        wanted = EngineSpecification.model_validate({**WISH, "deployment": deployment})
        said = wanted.model_dump_json()
        return Wish(deployment=deployment, specification=said, fingerprint=wanted.fingerprint, at=NOW, by="U1ANNA", work="w-1")

    async def past(self, team: str, deployment: str) -> tuple[Wish, ...]:
        wanted = EngineSpecification.model_validate({**WISH, "deployment": deployment, "context": 8_192})
        said = wanted.model_dump_json()
        before = Wish(deployment=deployment, specification=said, fingerprint=wanted.fingerprint, at=NOW, by="U1ANNA", work="w-0")
        return await self.current(team, deployment), before

    async def starts(self, _team: str, _deployment: str) -> tuple[EngineStart, ...]:
        return ()


async def answered(services: Services, request: Request) -> Outcome:
    """What the work behind a request shows, as `jobs.answer` does it; only an unforeseen error gets out of here."""
    try:
        return await execute(OPERATIONS, services, request)
    except WeMoveNext:
        raise
    except BotError as error:
        return Outcome(path="", view=told(error, None, request.words), seen_by=SeenBy.YOU)


def holds_no_secret(*texts: str) -> None:
    for secret in PLANTED:
        assert all(secret not in text for text in texts)


def fits_and_pings_nobody(view: View, details: str | None, *, whispered: bool = False) -> None:
    """A message that its asker alone sees may name somebody whom the asker named (`setup admin @eve`): that pings nobody."""
    rendered = render(view, details=details)
    validate_message({"text": rendered.text, "blocks": rendered.blocks})
    assert set(mentioned(rendered.text, rendered.blocks, [])) <= (OURS | NAMED if whispered else OURS)
    holds_no_secret(repr(rendered.blocks), rendered.text, view.attachment.content if view.attachment is not None else "")


async def type_into(services: Services, text: str, user: str) -> None:
    said = from_command(body(text, user), datetime(2026, 11, 30, tzinfo=UTC))
    assert said is not None
    if said.secrets:
        fits_and_pings_nobody(telling(said.secrets, posted=False), None)
    kept = without(said.request, said.secrets)
    holds_no_secret(kept.model_dump_json())
    outcome = await answered(services, kept)
    fits_and_pings_nobody(outcome.view, f"details r-{kept.id}", whispered=outcome.whisper)


@settings(max_examples=BATCHES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(TEXT, min_size=BATCH, max_size=BATCH), user=st.sampled_from((ANNA, BEN, DANA, CARLA)))
def test_whatever_is_typed_is_answered_within_limits_without_a_ping_and_without_keeping_a_secret(
    loop: asyncio.AbstractEventLoop, texts: list[str], user: Actor
) -> None:
    house = peopled()
    services = connected(house)

    async def all_of_them() -> None:
        for text in texts:
            await type_into(services, text, user.user_id)

    loop.run_until_complete(all_of_them())
    holds_no_secret(repr(house.book.lines), repr(house.questions.asked))


def test_the_words_of_the_generator_reach_operations_and_not_only_refusals(loop: asyncio.AbstractEventLoop) -> None:
    house = peopled()
    verdicts = {
        word: plain(loop.run_until_complete(answered(house.services, house.request(word, ANNA))).view.verdict) for word in WORDS
    }
    assert sum(1 for said in verdicts.values() if "do not know" not in said and "not built" not in said) >= 15
    assert all("not built yet" in verdicts[word] for word in PLANNED)


@pytest.mark.parametrize(
    ("words", "reached"),
    [
        ("export vm prod", "as a gcloud command"),
        ("export gke prod v6e-8 spot", "as Kubernetes manifests"),
        ("setup operator <@U9VICTIM|eve>", "is an operator now"),
        ("setup roles", "a role"),
        ("token", "goes into a window"),
        ("token key prod", "Make a new API key"),
        ("budget set $7", "The limit is now $7.00"),
    ],
)
def test_with_everything_connected_hostile_values_reach_what_changes_things_too(
    loop: asyncio.AbstractEventLoop, words: str, reached: str
) -> None:
    house = peopled()
    outcome = loop.run_until_complete(answered(connected(house), house.request(words, ANNA)))
    assert reached in plain(outcome.view.verdict)


def test_a_planted_secret_is_found_in_each_of_its_places() -> None:
    """The check itself: what would be kept without the door's redaction does hold the secret."""
    for secret in PLANTED:
        with pytest.raises(AssertionError):
            holds_no_secret(peopled().request(f"status {secret}").model_dump_json())
