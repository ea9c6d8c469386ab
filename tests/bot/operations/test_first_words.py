"""`/gemma` alone, `help`, the words on errors, and an answer that is opened or shared again."""

import pytest

from bot.errors import PersonMovesNext, RefusedError, RetryLater, UsageError
from bot.nouns import Actor, Role
from bot.operations import OPERATIONS
from bot.operations.again import Given, show_shared
from bot.operations.execute import Outcome, early, execute
from bot.operations.operation import AnyOperation, Context
from bot.operations.telling import told, unexpected
from bot.ports import Grants
from bot.requests import Door, Place
from bot.view import LINES_LIMIT, VERDICT_LIMIT, Attachment, Button, Shape, View, line, plain
from tests.doubles.ports import ANNA, BEN, DANA, OPERATORS, House
from tests.doubles.sights import PROD, fleet, machine, scrape


def serving() -> House:
    house = House()
    house.names.known = [PROD]
    house.engine.health = True
    house.engine.scrape = scrape(running=4, waiting=0)
    house.cloud.answer = fleet(machine())
    return house


async def said(house: House, words: str, by: Actor = DANA) -> Outcome:
    return await execute(OPERATIONS, house.services, house.request(words, by))


def shown(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines)))


async def test_gemma_alone_says_how_it_stands_how_to_ask_and_who_may_do_more() -> None:
    view = (await said(serving(), "")).view
    assert plain(view.verdict) == "prod is ready · gemma-4-31B-it on v6e-4"
    assert "Ask in plain words: /gemma is 64K safe?" in shown(view)
    assert "You can look at everything. To start, change or stop something, ask " in shown(view)
    assert f"@{OPERATORS}" in shown(view)
    assert view.buttons[0].words == "status"


@pytest.mark.parametrize(
    ("by", "may"), [(BEN, "and start, change and stop things."), (ANNA, "You can do everything here, as an admin.")]
)
async def test_operators_and_admins_are_told_what_they_may(by: Actor, may: str) -> None:
    assert may in shown((await said(serving(), "", by)).view)


async def test_where_nobody_is_operator_it_says_what_to_set() -> None:
    house = serving()
    house.grants = Grants()
    assert "Nobody was made operator yet: set OPERATORS." in shown((await said(house, "")).view)


async def test_before_anything_is_connected_the_first_words_say_what_to_set() -> None:
    view = (await said(House(), "")).view
    assert plain(view.verdict) == "Nothing is connected yet: set MODEL_BASE_URL"
    assert await early(OPERATIONS, House().services, House().request("")) is None


async def test_gemma_alone_is_answered_from_memory_first() -> None:
    house = serving()
    house.past.scrapes = [scrape(running=4, waiting=0)]
    outcome = await early(OPERATIONS, house.services, house.request(""))
    assert outcome is not None
    assert plain(outcome.view.verdict) == "prod is ready · gemma-4-31B-it on v6e-4"


async def test_help_shows_what_there_is_and_hides_what_is_pressed() -> None:
    everything = (await said(House(), "help all")).view
    typed = [plain(one).split()[0] for one in (*everything.lines, *everything.details)]
    assert {"status", "machines", "model", "work", "cancel", "help"} <= set(typed)
    assert not {"yes", "no", "details", "share"} & set(typed)
    assert len(everything.lines) < LINES_LIMIT


async def test_help_on_one_word_shows_how_it_is_typed() -> None:
    view = (await said(House(), "help Status")).view
    assert shown(view) == (
        "Whenever somebody asks whether it is up, slow, full or what it costs right now.\n"
        "/gemma status [deployment] how it stands, against what is usual"
    )


async def test_help_on_a_word_that_is_nearly_one_offers_it() -> None:
    with pytest.raises(UsageError) as unknown:
        await said(House(), "help statsu")
    assert unknown.value.near == ("help status",)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.path or "alone")
def test_each_operation_says_in_plain_words_what_it_is_for(operation: AnyOperation) -> None:
    summary, when = operation.summary, operation.when_to_use
    assert 5 < len(summary) <= 80
    assert summary[0].islower()
    assert when.endswith(".")


def test_a_refusal_names_who_may_as_people_to_ask() -> None:
    view = told(RefusedError("Only operators can do this.", needs=f"{OPERATORS} {ANNA.user_id}"))
    assert shown(view).splitlines() == [
        "Only operators can do this.",
        "Nothing was changed.",
        f"Ask @{OPERATORS} @{ANNA.user_id} ",
    ]
    assert view.shape is Shape.NONE


def test_a_name_in_foreign_words_is_never_made_a_mention() -> None:
    view = told(UsageError("I do not know the word “@U1ANNA”."))
    assert all(span.kind != "mention" for one in (view.verdict, *view.lines) for span in one)


def test_an_error_says_what_failed_what_was_not_done_what_bills_and_what_next() -> None:
    error = PersonMovesNext("It failed.", untouched="Nothing was started.", billing="$5.40/h goes on.", next_step="Try b.")
    assert shown(told(error, "7F3A")) == "It failed.\nNothing was started.\n$5.40/h goes on.\nTry b.\nref 7F3A"


def test_usage_and_near_names_become_a_line_and_buttons() -> None:
    view = told(UsageError("“x” is not a zone.", usage="/gemma machines [zone]", near=("status", "y" * 1901)))
    assert shown(view).endswith("/gemma machines [zone]")
    assert [(one.label, one.words) for one in view.buttons] == [("status", "status")]


def test_passing_trouble_is_marked_as_bad_and_keeps_its_next_step() -> None:
    view = told(RetryLater("Engine: no answer.", next_step="Try again."))
    assert (view.shape, shown(view)) == (Shape.BAD, "Engine: no answer.\nTry again.")


def test_our_own_fault_claims_nothing_that_we_do_not_know() -> None:
    words = shown(unexpected("7F3A"))
    assert "ref 7F3A" in words
    assert "If you only asked: nothing was changed" in words
    assert len(words.splitlines()[0]) <= VERDICT_LIMIT


ANSWER = View(
    verdict=line("It is so"),
    lines=tuple(line(f"line {n}") for n in range(7)),
    details=(line("more"),),
    buttons=(Button(label="Look again", words="status"),),
)


async def answered(house: House) -> None:
    house.desk.given["r-1"] = (house.request("status", DANA), ANSWER)


async def test_details_show_the_whole_answer_as_it_was_given() -> None:
    house = House()
    await answered(house)
    outcome = await execute(OPERATIONS, house.services, house.request("details r-1", DANA))
    assert [plain(one) for one in outcome.view.lines][-1] == "more"
    assert outcome.view.buttons == (Button(label="Look again", words="status"),)


@pytest.mark.parametrize(
    ("words", "by", "share"),
    [
        ("status", DANA, "r-1"),
        ("audit", DANA, None),
        ("help", DANA, None),
        ("no such word", DANA, None),
        ("share r-0", DANA, None),
    ],
)
async def test_the_whole_answer_can_still_be_shared_by_its_asker(words: str, by: Actor, share: str | None) -> None:
    house = House()
    house.desk.given["r-1"] = (house.request(words, DANA), ANSWER)
    outcome = await execute(OPERATIONS, house.services, house.request("details r-1", by))
    assert outcome.result is not None
    assert outcome.result["share"] == share


async def test_a_shared_answer_says_who_shared_it() -> None:
    house = House()
    await answered(house)
    view = (await execute(OPERATIONS, house.services, house.request("share r-1", DANA))).view
    assert plain(view.lines[-1]) == f"line 6 · Shared by @{DANA.user_id}"
    assert len(view.lines) < LINES_LIMIT


@pytest.mark.parametrize("words", ["details r-1", "share r-1"])
async def test_only_who_asked_opens_or_shares_an_answer(words: str) -> None:
    house = House()
    await answered(house)
    with pytest.raises(RefusedError, match="Only who asked"):
        await execute(OPERATIONS, house.services, house.request(words, BEN))


@pytest.mark.parametrize(("words", "door"), [("status", Door.MENTION), ("share r-0", Door.BUTTON)])
async def test_what_stands_before_all_is_opened_by_all(words: str, door: Door) -> None:
    house = House()
    house.desk.given["r-1"] = (house.request(words, DANA).model_copy(update={"door": door}), ANSWER)
    outcome = await execute(OPERATIONS, house.services, house.request("details r-1", BEN))
    assert plain(outcome.view.lines[-1]) == "more"
    assert outcome.result is not None
    assert outcome.result["share"] is None


@pytest.mark.parametrize("words", ["audit", "no such word at all"])
async def test_what_only_its_asker_was_shown_stays_with_the_asker(words: str) -> None:
    house = House()
    house.desk.given["r-1"] = (house.request(words, DANA).model_copy(update={"door": Door.MENTION}), ANSWER)
    with pytest.raises(RefusedError, match="Only who asked"):
        await execute(OPERATIONS, house.services, house.request("details r-1", BEN))


async def test_an_answer_that_is_forgotten_says_so() -> None:
    with pytest.raises(UsageError, match="more than a day old"):
        await execute(OPERATIONS, House().services, House().request("details r-2"))


@pytest.mark.parametrize("private", [True, False])
def test_a_private_file_is_never_shared(*, private: bool) -> None:
    file = Attachment(name="prod.log", title="prod", content="words", private=private)
    given = Given(view=View(verdict=line("x"), attachment=file), asked_by="U1DANA")
    house = House()
    context = Context(house.services, DANA, Role.VIEWER, Place(channel="C1"), house.clock.at)
    assert (show_shared(given, context).attachment is None) is private
