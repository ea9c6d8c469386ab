"""What can be read of a message, wherever its words stand and whatever shape it has."""

from hypothesis import given
from hypothesis import strategies as st

from bot.slack.words import words_of

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["text", "attachments", "blocks", "fields", "title", "value"]), inner, max_size=4),
    ),
)
ALERT = {
    "text": "",
    "attachments": [
        {
            "title": "[FIRING:1] EngineDown",
            "text": "prod does not answer",
            "fallback": "FIRING",
            "fields": [{"title": "zone", "value": "us-east5-a"}],
        }
    ],
    "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "since 03:12"}}, {"type": "divider"}],
}


def test_an_alert_is_read_from_attachments_and_blocks() -> None:
    assert words_of(ALERT, 1000).splitlines() == [
        "[FIRING:1] EngineDown",
        "prod does not answer",
        "FIRING",
        "zone: us-east5-a",
        "since 03:12",
    ]


def test_it_is_cut_where_it_must_be() -> None:
    assert words_of({"text": "x" * 50}, 10) == "x" * 10


@given(st.dictionaries(st.sampled_from(["text", "attachments", "blocks"]), JSON))
def test_whatever_shape_it_has_it_is_read_without_a_crash(message: dict[str, object]) -> None:
    assert len(words_of(message, 100)) <= 100
