"""Two thousand payloads that are nearly Slack's: a field is gone, of another type, or holds what it never holds."""

import asyncio
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.requests import Request
from bot.view import View
from handlers.slack.app import Listeners
from jobs.inbox import Inbox
from tests.doubles.ports import HeldClock

SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
USER = {"id": "U1ANNA", "name": "anna", "team_id": "T1"}
PERSON = {"user": "U1ANNA", "team": "T1"}
FIELDS = {
    "name": {"name": {"type": "plain_text_input", "value": "lab"}},
    "address": {"address": {"type": "plain_text_input", "value": "https://gemma.example.com"}},
    "here": {"here": {"type": "checkboxes", "selected_options": [{"value": "true"}]}},
}
OUTER = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "api_app_id": "A1"}
PAYLOADS: dict[str, list[dict[str, Any]]] = {
    "command": [
        {
            "command": "/gemma",
            "text": "status prod",
            "team_id": "T1",
            "user_id": "U1ANNA",
            "channel_id": "C1",
            "channel_name": "ops",
            "trigger_id": "1.2.a",
            "response_url": "https://hooks.example/1",
        }
    ],
    "event": [
        {**OUTER, "event": {"type": "app_mention", **PERSON, "channel": "C1", "ts": "1.0001", "text": "<@U0BOT> status"}},
        {**OUTER, "event": {"type": "message", "channel_type": "im", **PERSON, "channel": "D1", "ts": "1.0002", "text": "help"}},
        {**OUTER, "event": {"type": "app_home_opened", "user": "U1ANNA", "tab": "home", "channel": "D1", "event_ts": "1.0003"}},
    ],
    "button": [
        {
            "type": "block_actions",
            "user": USER,
            "team": {"id": "T1"},
            "trigger_id": "1.2.b",
            "channel": {"id": "C1"},
            "container": {"type": "message", "channel_id": "C1", "message_ts": "1.0004", "is_ephemeral": True},
            "actions": [{"action_id": "say:0", "type": "button", "value": "status prod"}],
            "response_url": "https://hooks.example/2",
        },
        {
            "type": "block_actions",
            "user": USER,
            "team": {"id": "T1"},
            "trigger_id": "1.2.c",
            "view": {"type": "home"},
            "container": {"type": "view", "view_id": "V1"},
            "actions": [{"type": "button", "value": "machines"}],
        },
    ],
    "shortcut": [
        {
            "type": "message_action",
            "callback_id": "ask_about",
            "user": USER,
            "team": {"id": "T1"},
            "channel": {"id": "C1"},
            "trigger_id": "1.2.d",
            "message_ts": "1.0005",
            "response_url": "https://hooks.example/3",
            "message": {
                "type": "message",
                "ts": "1.0005",
                "thread_ts": "1.0001",
                "text": "prod is slow",
                "attachments": [{"title": "[FIRING:1]", "fields": [{"title": "pod", "value": "prod-1"}]}],
                "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "p90 over 2 s"}}],
            },
        }
    ],
    "form": [
        {
            "type": "view_submission",
            "user": USER,
            "team": {"id": "T1"},
            "view": {"id": "V1", "hash": "1.a", "callback_id": "setup", "private_metadata": "C1", "state": {"values": FIELDS}},
        }
    ],
}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.just([[{}]]),
    st.just({"id": {"id": []}}),
    st.just("x" * 20_000),
    st.just("\x00<!channel>"),
)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Each place in a payload, from the outside in."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from places(value, (*path, key))


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A kind, and a payload of it with one to three things changed."""
    kind = draw(st.sampled_from(sorted(PAYLOADS)))
    payload = copy.deepcopy(draw(st.sampled_from(PAYLOADS[kind])))
    for _ in range(draw(st.integers(1, 3))):
        known = sorted(places(payload), key=repr)
        if not known:
            break
        *outer, last = draw(st.sampled_from(known))
        holder: Any = payload
        for step in outer:
            holder = holder[step]
        if draw(st.booleans()) and isinstance(holder, dict):
            del holder[last]
        else:
            holder[last] = copy.deepcopy(draw(ODD))
    return kind, payload


@dataclass
class Taken:
    """An inbox that only remembers."""

    requests: list[Request] = field(default_factory=list)

    async def accept(self, request: Request) -> bool:
        self.requests.append(request)
        return True


@dataclass
class Ack:
    """What Slack would be answered."""

    said: list[tuple[tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    async def __call__(self, *words: Any, **more: Any) -> None:
        self.said.append((words, more))


async def unsaid(_url: str, _view: View) -> None:
    return None


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.run_until_complete(asyncio.sleep(0.05))
    made.close()


def brought(loop: asyncio.AbstractEventLoop, kind: str, payload: dict[str, Any]) -> tuple[Taken, Ack]:
    taken, ack = Taken(), Ack()
    listeners = Listeners(cast(Inbox, taken), HeldClock(), unsaid)
    loop.run_until_complete(getattr(listeners, kind)(ack, payload))
    return taken, ack


@pytest.mark.parametrize("kind", sorted(PAYLOADS))
def test_each_payload_is_one_request_before_anything_is_changed_in_it(loop: asyncio.AbstractEventLoop, kind: str) -> None:
    for payload in PAYLOADS[kind]:
        taken, ack = brought(loop, kind, copy.deepcopy(payload))
        assert len(taken.requests) == 1
        assert len(ack.said) == 1


@settings(max_examples=2000, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(changed=mutated())
def test_a_payload_in_another_shape_is_acknowledged_once_and_makes_at_most_one_whole_request(
    loop: asyncio.AbstractEventLoop, changed: tuple[str, dict[str, Any]]
) -> None:
    kind, payload = changed
    taken, ack = brought(loop, kind, payload)
    assert len(ack.said) == 1
    assert len(taken.requests) <= 1
    for request in taken.requests:
        assert SAFE_ID.fullmatch(request.id)
        assert request.approval is None
        assert request.actor.user_id
        assert request.actor.team_id
        assert request.place.channel
        assert len(request.words) <= 4000
        assert "\x00" not in request.words
        assert Request.model_validate_json(request.model_dump_json()) == request
