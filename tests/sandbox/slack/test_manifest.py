import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from sandbox.slack import SlackStandIn, default_workspace, installed
from sandbox.slack.manifest import hears

SCHEMA = json.loads((Path(__file__).parents[2] / "fixtures/slack/manifest.schema.2.0.0.json").read_text())
MANIFEST: dict[str, Any] = {
    "_metadata": {"major_version": 2, "minor_version": 0},
    "display_information": {"name": "Gemma"},
    "features": {
        "bot_user": {"display_name": "gemma"},
        "slash_commands": [{"command": "/gemma", "description": "Look after Gemma", "should_escape": True}],
        "shortcuts": [{"name": "Ask", "type": "message", "callback_id": "ask", "description": "Ask about it"}],
    },
    "oauth_config": {"scopes": {"bot": ["chat:write", "commands", "app_mentions:read"]}},
    "settings": {
        "event_subscriptions": {"bot_events": ["app_mention", "message.im"]},
        "interactivity": {"is_enabled": True},
        "socket_mode_enabled": True,
    },
}


def test_the_manifest_of_this_test_is_valid() -> None:
    assert list(Draft7Validator(SCHEMA).iter_errors(MANIFEST)) == []


def test_an_app_gets_what_its_manifest_declares_and_no_more() -> None:
    app = installed(MANIFEST)
    assert app.scopes == {"chat:write", "commands", "app_mentions:read"}
    assert app.commands == {"/gemma"}
    assert app.shortcuts == {"ask": "Ask"}
    assert app.app_scopes == {"connections:write"}


def test_an_event_needs_the_subscription_and_the_scope() -> None:
    app = installed(MANIFEST)
    assert hears(app, "app_mention")
    assert not hears(app, "message.im")
    assert not hears(app, "message.channels")


def test_without_socket_mode_there_are_no_connections() -> None:
    settings = {**MANIFEST["settings"], "socket_mode_enabled": False}
    assert installed({**MANIFEST, "settings": settings}).app_scopes == set()


def test_a_manifest_without_bot_is_refused() -> None:
    with pytest.raises(ValueError, match="bot_user"):
        installed({"display_information": {"name": "x"}})


@pytest.mark.wire
async def test_what_the_manifest_forgot_fails_as_it_would_in_slack() -> None:
    manifest = json.loads(json.dumps(MANIFEST))
    manifest["oauth_config"]["scopes"]["bot"].remove("commands")
    manifest["settings"]["interactivity"]["is_enabled"] = False
    slack = SlackStandIn(default_workspace(installed(manifest)))
    await slack.start()
    try:
        await slack.type("anna", "ops", "/gemma status")
        assert "not a valid command" in slack.transcript("anna", "ops")[-1].text
        typed = await slack.type("anna", "ops", "hi")
        ack = await slack.people.shortcut("anna", typed, "ask")
        assert ack.error == "interactivity_disabled"
    finally:
        await slack.stop()
