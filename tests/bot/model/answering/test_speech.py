"""Prose piece by piece: nothing is given out that has to be taken back."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.model.answering.control_tokens import CONTROL_TOKENS, has_control_token
from bot.model.answering.speech import Pieces, speech_in

CONTENT = st.lists(
    st.one_of(st.sampled_from(CONTROL_TOKENS), st.text("ab <|{\n", max_size=5), st.just("<|channel>thought\nhm<channel|>")),
    max_size=8,
).map("".join)


def given_out(content: str, cuts: list[int], *, tools: bool = False) -> tuple[str, str]:
    """(what was given out while it grew, what came at the end)."""
    pieces = Pieces(tools_offered=tools)
    ends = sorted({min(cut, len(content)) for cut in cuts} | {len(content)})
    early = "".join(pieces.next(content[:end]) for end in ends)
    return early, pieces.rest(speech_in(content).text)


@settings(deadline=None)
@given(CONTENT, st.lists(st.integers(0, 60), max_size=8))
def test_however_a_text_is_cut_the_pieces_are_its_final_text(content: str, cuts: list[int]) -> None:
    early, rest = given_out(content, cuts)
    final = speech_in(content).text
    assert early + rest == final or not final.startswith(early)
    assert not has_control_token(early + rest)


@settings(deadline=None)
@given(st.text("abc .\n", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_plain_text_arrives_whole_and_in_order(content: str, cuts: list[int]) -> None:
    early, rest = given_out(content, cuts)
    assert early + rest == content.strip()


def test_text_comes_at_once_and_only_its_doubtful_end_is_held_back() -> None:
    pieces = Pieces(tools_offered=False)
    assert pieces.next("Two pods") == "Two pods"
    assert pieces.next("Two pods are <") == " are"
    assert pieces.next("Two pods are <|turn") == ""
    assert pieces.next("Two pods are <|turn>up.") == " up."


def test_a_thought_or_a_call_inside_the_text_is_never_given_out() -> None:
    early, rest = given_out("One.<|channel>thought\nsecret<channel|> Two.", list(range(45)))
    assert early + rest == "One. Two."
    early, _ = given_out('Checking.<|tool_call>call:get_pods{a:<|"|>b<|"|>}<tool_call|>', list(range(60)), tools=True)
    assert early == "Checking."


def test_what_begins_like_a_call_waits_for_its_end_where_tools_were_offered() -> None:
    text = '{"name": "get_pods", "arguments": {}}'
    assert given_out(text, list(range(40)), tools=True)[0] == ""
    assert given_out(text, list(range(40)), tools=False)[0] == text
