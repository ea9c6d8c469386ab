import json
from pathlib import Path

from sandbox.slack.method import facts
from sandbox.slack.methods import METHODS
from sandbox.slack.rates import SPECIAL_PER_MINUTE

PUBLISHED = json.loads((Path(__file__).parents[2] / "fixtures/slack/web_api_methods.json").read_text())


def test_every_method_served_has_its_published_facts() -> None:
    assert set(METHODS) | {"apps.connections.open"} == set(facts())


def test_the_facts_agree_with_what_slack_published() -> None:
    for name, known in facts().items():
        published = PUBLISHED[name]
        assert known.args == set(published["args"])
        assert list(known.required) == published["required"]
        assert list(known.scopes) == [scope["name"] for scope in published["scopes"].get("bot", [])]


def test_each_method_has_a_rate() -> None:
    for name, known in facts().items():
        assert known.per_minute or name in SPECIAL_PER_MINUTE
        if known.per_minute:
            assert f"{known.per_minute}+" in PUBLISHED[name]["tier"]["label"]
