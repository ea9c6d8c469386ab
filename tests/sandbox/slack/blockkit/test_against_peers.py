"""What two independent libraries build without complaint, the stand-in takes; what they call too long, it refuses."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models import blocks as sdk
from slackblocks import blocks as peer
from slackblocks import elements as peer_elements
from slackblocks import errors as peer_errors
from slackblocks import objects as peer_objects

from sandbox.slack.blockkit import check_blocks
from sandbox.slack.refusal import Refused


def refused(block: dict[str, Any]) -> bool:
    try:
        check_blocks([block], "message", {})
    except Refused:
        return True
    return False


SDK_BLOCKS = [
    sdk.SectionBlock(text="hi", accessory=sdk.ButtonElement(text="Go", action_id="go", value="v")),
    sdk.SectionBlock(fields=["a", "b"]),
    sdk.HeaderBlock(text="prod is ready"),
    sdk.DividerBlock(),
    sdk.ContextBlock(elements=[sdk.MarkdownTextObject(text="seen 12 s ago")]),
    sdk.MarkdownBlock(text="**bold**"),
    sdk.ImageBlock(image_url="https://x.example/a.png", alt_text="chart", title="TTFT"),
    sdk.ActionsBlock(
        elements=[
            sdk.ButtonElement(
                text="Stop",
                style="danger",
                action_id="stop",
                confirm=sdk.ConfirmObject(title="Sure?", text="It serves.", confirm="Stop", deny="Keep"),
            ),
            sdk.StaticSelectElement(action_id="s", placeholder="Pick", options=[sdk.Option(text="A", value="a")]),
            sdk.UserSelectElement(action_id="u", placeholder="Who"),
            sdk.OverflowMenuElement(action_id="o", options=[sdk.Option(text="A", value="a"), sdk.Option(text="B", value="b")]),
            sdk.DatePickerElement(action_id="d", placeholder="When"),
        ]
    ),
    sdk.InputBlock(label="Name", element=sdk.PlainTextInputElement(action_id="n", multiline=True), hint="short", optional=True),
    sdk.InputBlock(label="Some", element=sdk.CheckboxesElement(action_id="c", options=[sdk.Option(text="A", value="a")])),
    sdk.InputBlock(label="How many", element=sdk.NumberInputElement(action_id="n", is_decimal_allowed=False)),
]


@pytest.mark.parametrize("block", SDK_BLOCKS, ids=[f"{block.type} {number}" for number, block in enumerate(SDK_BLOCKS)])
def test_what_the_sdk_builds_is_taken(block: sdk.Block) -> None:
    assert not refused(block.to_dict())


@pytest.mark.parametrize(
    "make",
    [
        lambda extra: sdk.SectionBlock(text="x" * (3000 + extra)),
        lambda extra: sdk.HeaderBlock(text="x" * (150 + extra)),
        lambda extra: sdk.MarkdownBlock(text="x" * (12_000 + extra)),
        lambda extra: sdk.ActionsBlock(elements=[sdk.ButtonElement(text="x" * (75 + extra), action_id="a")]),
        lambda extra: sdk.ActionsBlock(elements=[sdk.ButtonElement(text="x", action_id="a", value="v" * (2000 + extra))]),
    ],
)
def test_the_sdk_and_the_stand_in_draw_the_line_at_the_same_place(make: Callable[[int], Any]) -> None:
    assert not refused(make(0).to_dict())
    with pytest.raises(SlackObjectFormationError):
        make(1).to_dict()


def test_what_slackblocks_builds_is_taken() -> None:
    built = [
        peer.SectionBlock(text="hi"),
        peer.HeaderBlock("prod"),
        peer.DividerBlock(),
        peer.ContextBlock(elements=[peer_objects.Text("x")]),
        peer.ActionsBlock(elements=[peer_elements.Button(text="Go", action_id="go", value="v")]),
    ]
    for block in built:
        assert not refused(block._resolve()), block


def test_slackblocks_draws_the_line_at_the_same_place() -> None:
    assert not refused(peer.HeaderBlock("x" * 150)._resolve())
    with pytest.raises(peer_errors.LengthError):
        peer.HeaderBlock("x" * 151)
