"""What is ours bears our labels; whoever else's it is, is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cloud.ownership import is_ours, is_this_work, labels_for, require_ours, whose
from bot.errors import RefusedError
from bot.nouns import Actor, owner_label
from bot.ports import Authorised
from sandbox.google import names
from tests.bot.cloud.wired import an_order

LEAVE = Authorised("ask-1")


def test_labels_are_such_as_google_takes_and_tell_no_slack_id() -> None:
    labels = labels_for(an_order(), LEAVE)
    names.check_words(labels, [], {})
    assert "u0anna" not in str(labels).lower()


def test_what_we_ordered_is_recognised_also_when_somebody_added_a_label() -> None:
    labels = labels_for(an_order(), LEAVE) | {"team": "night"}
    assert is_this_work(labels, an_order(), LEAVE)
    assert is_ours(labels)
    require_ours("prod-1", labels, LEAVE)


@pytest.mark.parametrize("key", sorted(labels_for(an_order(), LEAVE)))
def test_one_label_less_or_another_is_other_work(key: str) -> None:
    labels = labels_for(an_order(), LEAVE)
    assert not is_this_work(labels | {key: "x"}, an_order(), LEAVE)
    assert not is_this_work({name: value for name, value in labels.items() if name != key}, an_order(), LEAVE)


@pytest.mark.parametrize(
    ("labels", "owner"),
    [
        ({"owner": "research"}, "research"),
        ({"managed-by": "terraform"}, "terraform"),
        ({}, "somebody without a label"),
        ({"managed-by": "gemma-chatops", "deployment": "prod", "work": "deploy-12"}, "deploy-12 for prod"),
        ({"managed-by": "gemma-chatops"}, "other work for another deployment"),
    ],
)
def test_whose_it_is_is_said_as_far_as_labels_tell(labels: dict[str, str], owner: str) -> None:
    assert whose(labels) == owner


def test_only_a_second_persons_leave_reaches_what_is_not_ours() -> None:
    with pytest.raises(RefusedError, match="belongs to research"):
        require_ours("x", {"owner": "research"}, LEAVE)
    require_ours("x", {"owner": "research"}, Authorised("ask-2", others=True))


ids = st.builds(Actor, team_id=st.text(max_size=12), user_id=st.text(max_size=12))


@given(ids, ids)
def test_a_person_has_one_label_and_two_people_do_not_share_it(one: Actor, other: Actor) -> None:
    assert (owner_label(one) == owner_label(other)) == (f"{one.team_id}:{one.user_id}" == f"{other.team_id}:{other.user_id}")
    names.check_words({"owner": owner_label(one)}, [], {})
