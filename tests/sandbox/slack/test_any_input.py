"""Whatever a client sends, Slack answers with a code, and so does the stand-in. Valid calls are spoiled in a few places."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.page.block_html import BlockHtml
from sandbox.slack import ManualClock, SlackStandIn
from sandbox.slack.message import Message
from sandbox.slack.methods import METHODS
from sandbox.slack.refusal import Refused
from sandbox.slack.responses import checked
from sandbox.slack.transcript import render_text
from sandbox.slack.web_api import WebApi

Path = tuple[str | int, ...]


def text(kind: str = "plain_text") -> dict[str, Any]:
    return {"type": kind, "text": "x"}


BUTTON = {"type": "button", "text": text(), "action_id": "a", "value": "v", "confirm": {"title": text(), "text": text("mrkdwn")}}
OPTION = {"text": text(), "value": "v"}
SELECT = {"type": "static_select", "placeholder": text(), "options": [OPTION], "initial_option": OPTION}
IMAGE = {"type": "image", "image_url": "https://x.example", "alt_text": "x"}
CELL = {"type": "raw_text", "text": "x"}
RICH = {
    "type": "rich_text_section",
    "elements": [{"type": "text", "text": "x", "style": {"bold": True}}, {"type": "user", "user_id": "U0BEN"}],
}
BLOCKS: list[dict[str, Any]] = [
    {"type": "section", "block_id": "b", "text": text("mrkdwn"), "fields": [text()], "accessory": BUTTON},
    {"type": "actions", "elements": [BUTTON, SELECT, {"type": "overflow", "options": [OPTION]}]},
    {"type": "context", "elements": [text("mrkdwn"), IMAGE]},
    {"type": "markdown", "text": "**x** <!here>"},
    {"type": "table", "rows": [[CELL, CELL]]},
    {"type": "rich_text", "elements": [RICH, {"type": "rich_text_list", "style": "bullet", "elements": [RICH]}]},
    {"type": "container", "title": text(), "child_blocks": [{"type": "section", "text": text()}]},
    {"type": "card", "title": text(), "actions": [BUTTON]},
    {"type": "plan", "title": "x", "tasks": [{"type": "task_card", "task_id": "1", "title": "t", "status": "complete"}]},
    {"type": "input", "label": text(), "element": {"type": "plain_text_input"}},
    {"type": "image", "alt_text": "x", "slack_file": {"id": "F0"}},
    {"type": "data_visualization", "title": "x", "chart": {}},
]
META = {"event_type": "work", "event_payload": {"id": "1"}}
FORM = {"type": "modal", "title": text(), "submit": text(), "blocks": [BLOCKS[0], BLOCKS[9]], "private_metadata": "x"}
CHUNKS = [{"type": "markdown_text", "text": "x"}, {"type": "task_update", "id": "1", "title": "t", "status": "complete"}]
POST = {
    "channel": "C0OPS",
    "text": "x",
    "blocks": BLOCKS[:10],
    "metadata": META,
    "attachments": [{"text": "x", "blocks": BLOCKS[:2]}],
}
PLACE = {"channel": "C0OPS", "ts": "OWN"}
PAGE = {"cursor": "YXQ6MA==", "limit": 5}
VALID: dict[str, dict[str, Any]] = {
    "api.test": {"foo": "bar"},
    "assistant.threads.setStatus": {"channel_id": "C0OPS", "thread_ts": "OWN", "status": "x", "loading_messages": ["x"]},
    "assistant.threads.setSuggestedPrompts": {"channel_id": "D00ANNA", "prompts": [{"title": "x", "message": "y"}]},
    "assistant.threads.setTitle": {"channel_id": "C0OPS", "thread_ts": "OWN", "title": "x"},
    "auth.test": {},
    "bots.info": {"bot": "B0GEMMA"},
    "chat.appendStream": {"channel": "C0OPS", "ts": "STREAM", "chunks": CHUNKS},
    "chat.delete": PLACE,
    "chat.getPermalink": {"channel": "C0OPS", "message_ts": "OWN"},
    "chat.postEphemeral": {**POST, "user": "U0ANNA", "thread_ts": "OWN"},
    "chat.postMessage": {**POST, "thread_ts": "OWN", "link_names": True},
    "chat.startStream": {
        "channel": "C0OPS",
        "thread_ts": "OWN",
        "recipient_team_id": "T",
        "recipient_user_id": "U0ANNA",
        "chunks": CHUNKS,
    },
    "chat.stopStream": {"channel": "C0OPS", "ts": "STREAM", "markdown_text": "x", "blocks": BLOCKS[:3], "metadata": META},
    "chat.update": {**POST, "ts": "OWN"},
    "conversations.history": {"channel": "C0OPS", **PAGE, "oldest": "1.0", "latest": "9999999999.0", "inclusive": True},
    "conversations.info": {"channel": "C0OPS"},
    "conversations.join": {"channel": "C0OPS"},
    "conversations.list": {**PAGE, "types": "public_channel,im"},
    "conversations.members": {"channel": "C0OPS", **PAGE},
    "conversations.open": {"users": "U0ANNA"},
    "conversations.replies": {**PLACE, **PAGE},
    "files.completeUploadExternal": {"files": [{"id": "FILE", "title": "x"}], "channel_id": "C0OPS", "thread_ts": "OWN"},
    "files.getUploadURLExternal": {"filename": "a.png", "length": 5, "alt_txt": "x"},
    "files.info": {"file": "FILE"},
    "reactions.add": {"channel": "C0OPS", "timestamp": "OWN", "name": "eyes"},
    "reactions.remove": {"channel": "C0OPS", "timestamp": "OWN", "name": "eyes"},
    "team.info": {},
    "usergroups.list": {"include_users": True},
    "usergroups.users.list": {"usergroup": "S0TPUOPS"},
    "users.info": {"user": "U0ANNA"},
    "users.list": PAGE,
    "views.open": {"trigger_id": "TRIGGER", "view": FORM},
    "views.publish": {"user_id": "U0ANNA", "view": {"type": "home", "blocks": BLOCKS[:3]}},
    "views.push": {"trigger_id": "PUSH", "view": FORM},
    "views.update": {"view_id": "VIEW", "view": FORM},
}
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", 0, -1, 1.5, True, [], {}, [[]], [{}], {"type": "section"}, {"type": []}, "x" * 13_001, "{", "\x00", "<script>"]
)


def paths(node: Any, at: Path = ()) -> Iterator[Path]:
    """Every place inside a value, the value itself left out."""
    inside: list[tuple[str | int, Any]] = []
    if isinstance(node, dict):
        inside = list(node.items())
    elif isinstance(node, list):
        inside = list(enumerate(node))
    for key, value in inside:
        yield (*at, key)
        yield from paths(value, (*at, key))


@st.composite
def spoiled(draw: st.DrawFn, whole: dict[str, Any]) -> dict[str, Any]:
    """A copy with up to two places replaced, and perhaps a key too many."""
    given_args: dict[str, Any] = copy.deepcopy(whole)
    for _ in range(draw(st.integers(0, 2))):
        places = list(paths(given_args))
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        node: Any = given_args
        for key in way:
            node = node[key]
        node[last] = copy.deepcopy(draw(ODD))
    return given_args


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    method = draw(st.sampled_from(sorted(METHODS)))
    return method, draw(spoiled(VALID[method]))


class World:
    """A stand-in without sockets, with one of everything to refer to."""

    def __init__(self) -> None:
        self.slack = SlackStandIn(clock=ManualClock(), rate_limits=False)
        slack = self.slack
        slack.workspace.app.scopes |= {"channels:join", "team:read"}
        slack.workspace.direct("U0ANNA")
        slack.backend.on_event = lambda _subscription, _event: None
        self._api = WebApi(slack.backend, slack.interactions, slack.rates, slack.faults, slack.sockets)
        own: Message = slack.backend.add(slack.backend.app_message("C0OPS", "x", []))
        self.names = {"OWN": own.ts, "TRIGGER": slack.interactions.trigger("U0ANNA")}
        self.names["STREAM"] = self.answer("chat.startStream", VALID["chat.startStream"])["ts"]
        self.names["FILE"] = self.answer("files.getUploadURLExternal", VALID["files.getUploadURLExternal"])["file_id"]
        slack.backend.files[self.names["FILE"]].content = b"12345"
        trigger = {**VALID["views.open"], "trigger_id": slack.interactions.trigger("U0BEN")}
        self.names["VIEW"] = self.answer("views.open", trigger)["view"]["id"]
        self.names["PUSH"] = slack.interactions.trigger("U0BEN", self.names["VIEW"])

    def answer(self, method: str, args: dict[str, Any]) -> dict[str, Any]:
        """What Slack says; names such as OWN stand for what is there."""
        named = {key: self.names.get(value, value) if isinstance(value, str) else value for key, value in args.items()}
        if isinstance(named.get("files"), list):
            named["files"] = [
                {**f, "id": self.names["FILE"]} if isinstance(f, dict) and f.get("id") == "FILE" else f for f in named["files"]
            ]
        return self._api.answer(method, copy.deepcopy(named), self.slack.workspace.app.bot_token)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_call_that_is_spoiled_below_is_valid(method: str) -> None:
    already = method in {"reactions.remove", "files.info"}
    answer = World().answer(method, VALID[method])
    assert answer["ok"] is (not already), answer


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(calls(), min_size=1, max_size=3))
def test_every_call_gets_an_answer_and_leaves_a_readable_conversation(sequence: list[tuple[str, dict[str, Any]]]) -> None:
    world = World()
    for method, args in sequence:
        answer = world.answer(method, args)
        assert answer["ok"] is True or isinstance(answer["error"], str)
    entries = world.slack.transcript("anna")
    assert render_text(entries)
    writer = BlockHtml(world.slack.transcripts.reader("anna"), world.slack.workspace)
    for entry in entries:
        assert "<script" not in writer.blocks(entry.blocks)
    world.slack.transcripts.home_text("anna")
    world.slack.transcripts.modal_text("anna")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(spoiled({"text": "x", "blocks": BLOCKS[:10], "attachments": [{"text": "x"}], "response_type": "in_channel"}))
def test_every_body_for_a_response_url_is_taken_or_refused(body: dict[str, Any]) -> None:
    slack = World().slack
    try:
        taken = checked(slack.backend, body)
    except Refused:
        return
    assert taken == body
