"""From what people type, on phones too, to an operation with its arguments."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.operations import OPERATIONS
from bot.operations.command_line import LENGTH_LIMIT, near, normalise, parse, usage, words_of
from bot.operations.help import help_operation
from bot.operations.machines import MACHINES
from bot.operations.memory import MEMORY
from bot.operations.operation import AnyOperation, Registry
from bot.operations.status import STATUS
from bot.operations.welcome import WELCOME
from bot.operations.work import CANCEL, WORK

TABLE: Registry = (WELCOME, STATUS, MACHINES, MEMORY, WORK, CANCEL, help_operation(lambda: TABLE))


def read(typed: str) -> tuple[str, dict[str, object]]:
    parsed = parse(TABLE, typed)
    return parsed.operation.path, parsed.arguments.model_dump(exclude_unset=True)


def refused(typed: str) -> UsageError:
    with pytest.raises(UsageError) as found:
        parse(TABLE, typed)
    return found.value


@pytest.mark.parametrize(
    ("typed", "path", "arguments"),
    [
        ("", "", {}),
        ("   ", "", {}),
        ("status", "status", {}),
        ("STATUS Prod", "status", {"deployment": "prod"}),
        ("machines us-east5-a", "machines", {"zone": "us-east5-a"}),
        ("machines zone=us-east5-a", "machines", {"zone": "us-east5-a"}),
        ("machines --zone us-east5-a", "machines", {"zone": "us-east5-a"}),
        ("machines --zone=us-east5-a", "machines", {"zone": "us-east5-a"}),
        ("machines zone us-east5-a", "machines", {"zone": "us-east5-a"}),
        ("memory v6e-4 31B 32K fp8", "memory", {"slice": "v6e-4", "model": "31B", "context": 32768, "cache": "fp8"}),
        ("memory fp8 32k 31b V6E-4", "memory", {"slice": "v6e-4", "model": "31b", "context": 32768, "cache": "fp8"}),
        ("cancel bench-12", "cancel", {"work": "bench-12"}),
    ],
)
def test_values_of_unmistakable_form_need_no_key_and_have_no_order(typed: str, path: str, arguments: dict[str, object]) -> None:
    assert read(typed) == (path, arguments)


@pytest.mark.parametrize(
    "typed",
    [
        "machines \u2014zone us-east5-a",
        "machines \u2013zone us-east5-a",
        "machines *\u2014zone us-east5-a*",
        "machines us\u2013east5\u2013a",
        "machines us\u2011east5\u2011a",
        "*machines* us-east5-a",
        "_machines_ `us-east5-a`",
        "```machines us-east5-a```",
        "~machines~ \u201cus-east5-a\u201d",
        "machines \u2018us-east5-a\u2019",
        "machines \u00abus-east5-a\u00bb",
        "machines\u00a0us-east5-a",
        "machines\u202fus-east5\u200b-a\ufeff",
        "\tmachines\n us-east5-a ",
    ],
)
def test_what_phones_and_chat_make_of_plain_words_is_undone(typed: str) -> None:
    assert read(typed) == ("machines", {"zone": "us-east5-a"})


def test_a_lone_quote_is_only_a_character() -> None:
    assert words_of("what's wrong") == ["what's", "wrong"]


def test_quoted_words_stay_together() -> None:
    assert words_of("ask \u201cwhy so slow\u201d") == ["ask", "why so slow"]


@pytest.mark.parametrize(
    ("typed", "path"), [("stat", "status"), ("mach", "machines"), ("canc x-1", "cancel"), ("stat prod", "status")]
)
def test_three_letters_that_begin_one_word_only_mean_it(typed: str, path: str) -> None:
    assert read(typed)[0] == path


def test_two_letters_or_two_candidates_are_not_guessed() -> None:
    assert refused("st").near == ("status",)
    assert set(refused("m").near) == {"machines", "memory"}


def test_a_plain_question_is_not_taken_for_a_shortened_word() -> None:
    assert "stat" in str(refused("stat is what exactly today?"))


def test_a_word_that_is_nearly_right_offers_the_right_one() -> None:
    error = refused("statsu")
    assert (str(error), error.near) == ("I do not know the word “statsu”.", ("status",))
    assert error.telling.next_step == "Did you mean status?"


def test_a_word_like_none_points_to_help() -> None:
    error = refused("xyzzy")
    assert (error.near, error.telling.next_step) == ((), "Type /gemma help to see what can be asked.")


def test_hidden_words_are_not_offered() -> None:
    assert near(OPERATIONS, "detail") == ()


def test_a_word_that_fits_no_value_shows_how_it_is_typed() -> None:
    error = refused("machines !!")
    assert str(error) == "I do not know what “!!” means for machines."
    assert (error.usage, error.telling.next_step) == ("/gemma machines [zone]", "For example: /gemma machines us-east5-a")


def test_the_same_value_given_twice_is_refused() -> None:
    assert str(refused("machines zone=us-east5-a zone=us-east5-b")) == "“zone” is given twice."


def test_a_missing_value_is_named() -> None:
    error = refused("cancel")
    assert (str(error), error.usage) == ("“work” is missing.", "/gemma cancel work")


@pytest.mark.parametrize("typed", ["machines zone=../../x", "status deployment=<!channel>"])
def test_a_value_with_its_key_must_have_the_form_too(typed: str) -> None:
    assert "is not a" in str(refused(typed))


@pytest.mark.parametrize("typed", ["machines --zone", "machines zone=", "machines zone"])
def test_a_key_without_its_value_says_which_and_what_it_looks_like(typed: str) -> None:
    assert str(refused(typed)) == "“zone” needs a value, such as us-east5-a."


def test_a_number_out_of_its_range_is_named() -> None:
    assert "users" in str(refused("memory users=-1"))


def test_usage_shows_required_values_bare_and_optional_ones_in_brackets() -> None:
    assert usage(CANCEL) == "/gemma cancel work"
    assert usage(STATUS) == "/gemma status [deployment]"
    assert usage(MEMORY).startswith("/gemma memory [model] [slice] [context] [cache]")


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if not one.hidden], ids=lambda one: one.path)
def test_the_example_of_each_operation_can_be_typed(operation: AnyOperation) -> None:
    as_slack_sends_it = operation.example.replace("@ben", "<@U0BEN|ben>")
    assert parse(OPERATIONS, as_slack_sends_it).operation is operation


PUNCTUATION = st.sampled_from(
    ["--", "\u2014", "\u2013", "=", "*", "`", "'", '"', "\u201c", "\u2019", "\\", "\x00", "\u00a0", "?"]
)
WORDS = st.sampled_from(["status", "prod", "machines", "zone", "us-east5-a", "memory", "32K", "context", "cancel", "users", "4ſ"])
TYPED = st.one_of(st.text(), st.lists(st.one_of(WORDS, PUNCTUATION, st.text(max_size=3)), max_size=8).map(" ".join))


@given(TYPED)
@settings(max_examples=300)
def test_whatever_is_typed_makes_a_request_or_a_usage_error(typed: str) -> None:
    try:
        parsed = parse(OPERATIONS, typed)
    except UsageError:
        return
    assert parsed.operation in OPERATIONS


@given(TYPED)
@settings(max_examples=300)
def test_normalising_twice_is_normalising_once(typed: str) -> None:
    once = normalise(typed[: LENGTH_LIMIT // 2])
    assert normalise(once) == once


@pytest.mark.parametrize("typed", ["what is slow here?", "why?", "how many users fit"])
def test_a_question_is_a_question_though_its_first_word_looks_like_one_of_the_table(typed: str) -> None:
    parsed = parse(OPERATIONS, typed)
    assert (parsed.operation.path, parsed.arguments.model_dump()["question"]) == ("ask", typed)


@pytest.mark.parametrize(
    ("typed", "question", "stats"),
    [
        ("ask why is “prod” slow?", "why is “prod” slow?", False),
        ("ask why is prod slow? stats", "why is prod slow?", True),
        ("ask show me the stats", "show me the stats", False),
        ("ASK is it --fine -- or 'not", "is it --fine -- or 'not", False),
    ],
)
def test_all_behind_ask_is_the_question_as_it_was_typed(typed: str, question: str, stats: bool) -> None:
    assert parse(OPERATIONS, typed).arguments.model_dump() == {"question": question, "stats": stats}


def test_ask_without_a_question_is_told_how_it_is_said() -> None:
    with pytest.raises(UsageError, match="“question” is missing"):
        parse(OPERATIONS, "ask")


def test_a_table_without_ask_answers_no_questions() -> None:
    assert str(refused("what is slow here?")) == "I do not know the word “what”."


def test_a_slip_of_the_fingers_is_one_in_a_longer_line_too() -> None:
    with pytest.raises(UsageError) as found:
        parse(OPERATIONS, "metrisc since 6h")
    assert found.value.near == ("metrics",)


def test_the_name_of_a_value_without_the_value_is_not_taken_for_a_name() -> None:
    with pytest.raises(UsageError, match="“since” needs a value, such as"):
        parse(OPERATIONS, "metrics since")
