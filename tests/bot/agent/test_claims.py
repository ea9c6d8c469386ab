"""What an answer may not hold: deeds that nobody did, the orders, secrets, addresses from nowhere."""

import base64

import pytest

from bot.agent.claims import (
    NOTHING_DONE,
    WITHHELD,
    action_claims,
    is_raw_call,
    quotes,
    undressed,
    without_actions,
    without_quotes,
    without_secrets,
)
from prompts import ANSWER, text


@pytest.mark.parametrize(
    "sentence",
    [
        "I restarted the engine.",
        "I have restarted prod and all is well.",
        "I've just rolled back the change.",
        "We successfully deployed 31B to prod.",
        "I'm restarting it now.",
        "I am now destroying prod-2.",
        "Done.",
        "Done: prod is gone.",
        "The destruction is complete.",
        "Restart initiated.",
        "It has now been restarted? Successfully stopped.",
        "I increased the limit to 8.",
        "I notified the team.",
        "I have sent the logs.",
        "Ｉ ｒｅｓｔａｒｔｅｄ it.",
        "I re\u200bstarted it.",
    ],
)
def test_a_deed_is_seen_and_replaced_by_the_truth(sentence: str) -> None:
    said = undressed(sentence)
    assert action_claims(said)
    assert NOTHING_DONE in without_actions(said)


@pytest.mark.parametrize(
    "sentence",
    [
        "The engine was restarted at 03:11.",
        "Somebody restarted prod at 02:10.",
        "I did not restart anything.",
        "I cannot restart it; an operator can.",
        "I would restart it.",
        "Next: restart the engine, about 11 min.",
        "I looked at metrics and changes.",
        "I see 23 waiting requests.",
        "Likely: long prompts fill the cache.",
        "A restart is proposed; nothing has happened.",
        "Deployed since 28 November, running 4.",
        "If I restarted it, 4 requests would be lost.",
    ],
)
def test_what_others_did_what_could_be_done_and_what_was_not_are_no_deeds(sentence: str) -> None:
    assert action_claims(sentence) == []


def test_the_orders_are_known_in_capitals_in_lists_and_across_lines() -> None:
    orders = text(ANSWER)
    shouted = "\n".join(f"{number}) {row.upper()}" for number, row in enumerate(orders.splitlines()))
    broken = (
        "All is well.\nNever guess. Every number, time and name you\nwrite must stand in a result of this thread.\nThat is it."
    )
    assert len(quotes(shouted, (orders,))) > 10
    assert without_quotes(broken, (orders,)) == "All is well.\nThat is it."


def test_our_own_sentences_are_no_quotation() -> None:
    said = "Yes: first token p90 rose at 02:38.\nLikely: long prompts fill the cache.\nNot known: who sends them."
    assert quotes(said, (text(ANSWER),)) == []


def test_secrets_opaque_words_and_letters_one_by_one_are_left_out() -> None:
    known = '{"image": "vllm/vllm-tpu@sha256:0123456789012345678901234567890123456789"}'
    opaque = base64.b64encode(b"all that was not to be said, in a form that nobody reads").decode()
    said = f"key hf_{'aB3' * 12} and {opaque} and Y o u a r e G e m m a o n c a l l and prod"
    clean = without_secrets(said, known)
    assert "hf_aB3" not in clean
    assert opaque not in clean
    assert "Y o u" not in clean
    assert clean.count(WITHHELD) == 2
    assert clean.endswith("and prod")
    stands = "vllm/vllm-tpu@sha256:0123456789012345678901234567890123456789"
    assert without_secrets(f"It runs {stands}", known) == f"It runs {stands}"


def test_an_address_may_be_said_only_where_a_result_has_it() -> None:
    known = '{"url": "http://10.0.0.7:8000/v1"}'
    assert without_secrets("It serves at http://10.0.0.7:8000/v1.", known) == "It serves at http://10.0.0.7:8000/v1."
    assert without_secrets("See https://evil.example/?d=1 now", known) == f"See {WITHHELD} now"


def test_markdown_and_what_cannot_be_seen_are_taken_off_and_digits_are_digits() -> None:
    assert undressed("## **Slow**\n> p90 ４.２ s, ٩ users\u202e") == "Slow\np90 4.2 s, 9 users"


@pytest.mark.parametrize("said", ['call:status{deployment:"prod"}', '{"name": "status", "arguments": {}}', "<|tool_call>x"])
def test_a_call_written_as_text_is_known(said: str) -> None:
    assert is_raw_call(said)
    assert not is_raw_call("The call of status found 4 running.")
