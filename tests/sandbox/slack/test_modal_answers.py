from typing import Any

import pytest

from sandbox.slack import CannotDo, SlackStandIn

pytestmark = pytest.mark.wire


def front(slack: SlackStandIn) -> str:
    """The id of the form that Anna has in front."""
    top = slack.people.top_view("anna")
    assert top
    return top.id


async def test_a_form_is_filled_in_by_label_refused_with_errors_and_then_taken(
    slack: SlackStandIn, bot: dict[str, list[Any]]
) -> None:
    await slack.type("anna", "ops", "/gemma form")
    view = front(slack)
    empty = await slack.people.submit(view, {})
    assert empty.errors == {"name": "Please complete this required field."}
    taken = await slack.people.submit(view, {"Name": "taken"})
    assert (taken.errors, taken.open) == ({"name": "That name is taken"}, True)
    done = await slack.people.submit(view, {"Name": "prod", "slice": "V6e-8"})
    assert (done.errors, done.open) == ({}, False)
    assert slack.people.top_view("anna") is None
    sent = bot["view"][-1]["view"]
    assert sent["state"]["values"]["slice"]["v"]["selected_option"]["value"] == "v6e-8"
    assert sent["private_metadata"] == "id-1"
    with pytest.raises(CannotDo, match="closed"):
        await slack.people.submit(view, {"Name": "again"})


async def test_a_value_that_fits_no_input_is_a_mistake(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    await slack.type("anna", "ops", "/gemma form")
    with pytest.raises(CannotDo, match="the form has no Nmae"):
        await slack.people.submit(front(slack), {"Nmae": "x"})


async def test_closing_is_told_when_asked_for(slack: SlackStandIn, bot: dict[str, list[Any]]) -> None:
    await slack.type("anna", "ops", "/gemma form")
    await slack.people.close(front(slack))
    assert bot["closed"][0]["view"]["callback_id"] == "setup"
