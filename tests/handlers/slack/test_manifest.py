"""The manifest is valid, covers what the code does, and asks for nothing more."""

import ast
import json
from pathlib import Path

import jsonschema
import pytest

from bot.errors import UsageError
from handlers.http import PATH
from handlers.slack.manifest import EVENTS_PATH, SCOPES, manifest

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "tests" / "fixtures" / "slack"
METHODS = json.loads((FIXTURES / "web_api_methods.json").read_text())
SCHEMA = json.loads((FIXTURES / "manifest.schema.2.0.0.json").read_text())
HTTP = "https://gemma.example.com"

EVENT_SCOPE = {"app_mention": "app_mentions:read", "message.im": "im:history", "app_home_opened": None}
"""Source: each event's page on docs.slack.dev; app_home_opened needs none."""

HISTORY = {"channels:history", "groups:history", "im:history"}
"""One for each kind of place we post to: public channels, private ones, direct messages."""

NEEDS = {"conversations.history": HISTORY, "conversations.replies": HISTORY, "conversations.open": {"im:write"}}
"""Methods with a scope for each kind of conversation: those for what we use them for (`open_dm` opens one person's messages)."""


def methods_called() -> set[str]:
    """Every Web API method that is named in a call in bot/slack."""
    called = set()
    for path in (ROOT / "bot" / "slack").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called |= {arg.value for arg in node.args if isinstance(arg, ast.Constant) and arg.value in METHODS}
    return called


def scopes_of(method: str) -> set[str]:
    return NEEDS.get(method) or {scope["name"] for scope in METHODS[method]["scopes"].get("bot", ())}


@pytest.mark.parametrize("http_url", [None, HTTP])
def test_it_is_valid_against_slacks_schema(http_url):
    jsonschema.validate(manifest(http_url), SCHEMA)


def test_the_schema_refuses_an_unknown_key():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(manifest() | {"surprise": 1}, SCHEMA)


@pytest.mark.parametrize("method", sorted(methods_called()))
def test_its_scopes_cover_each_method_called(method):
    assert scopes_of(method) <= set(SCOPES)
    assert all(scope["name"] in SCOPES or method in NEEDS for scope in METHODS[method]["scopes"].get("bot", ()))


@pytest.mark.parametrize("method", sorted(NEEDS))
def test_the_scopes_chosen_by_kind_of_conversation_are_among_those_that_slack_names(method):
    assert NEEDS[method] <= {scope["name"] for scope in METHODS[method]["scopes"]["bot"]}


def test_the_methods_are_found_in_the_code():
    assert {"chat.postMessage", "chat.update", "conversations.history", "users.info"} <= methods_called()


def test_each_event_has_its_scope():
    events = manifest()["settings"]["event_subscriptions"]["bot_events"]
    assert set(events) == set(EVENT_SCOPE)
    assert {EVENT_SCOPE[event] for event in events} - {None} <= set(SCOPES)


def test_it_asks_for_no_scope_that_nothing_needs():
    needed = {"commands"} | {scope for scope in EVENT_SCOPE.values() if scope}
    for method in methods_called():
        needed |= scopes_of(method)
    assert needed == set(SCOPES)


def test_socket_mode_has_no_addresses():
    made = manifest()
    assert made["settings"]["socket_mode_enabled"] is True
    assert "https://" not in json.dumps(made)


@pytest.mark.parametrize("given", [HTTP, f"{HTTP}/", f"{HTTP}/slack/events"])
def test_http_mode_sends_commands_events_and_buttons_to_one_address(given):
    made = manifest(given)
    assert made["settings"]["socket_mode_enabled"] is False
    assert made["settings"]["event_subscriptions"]["request_url"] == f"{HTTP}/slack/events"
    assert made["settings"]["interactivity"]["request_url"] == f"{HTTP}/slack/events"
    assert [command["url"] for command in made["features"]["slash_commands"]] == [f"{HTTP}/slack/events"]


@pytest.mark.parametrize(
    "given", ["http://gemma.example.com", "gemma.example.com", "https://", "https://u:p@host", "https://host?a=b"]
)
def test_an_address_that_slack_would_not_call_is_refused(given):
    with pytest.raises(UsageError, match="https"):
        manifest(given)


def test_slack_is_sent_where_we_listen():
    assert EVENTS_PATH == PATH


def test_names_in_commands_arrive_as_ids():
    assert all(command["should_escape"] for command in manifest()["features"]["slash_commands"])


def test_the_manifest_in_the_repository_is_what_the_command_prints():
    assert json.loads((ROOT / "slack-manifest.json").read_text()) == manifest(), "run `make docs`"
