"""`gemma evals` at its door: what is printed, and which mistakes end it."""

import json

import pytest
from typer.testing import CliRunner

from handlers.terminal import processes


@pytest.fixture
def typed():
    return lambda *words: CliRunner().invoke(processes, ["evals", *words])


def test_the_rules_are_scored_without_a_model(typed):
    shown = typed()
    assert shown.exit_code == 0
    assert shown.output.startswith("triage without a model: ")


def test_json_names_each_world(typed):
    found = json.loads(typed("--only", "machine_lost", "--json").output)
    assert [(one["world"], one["said"], one["passed"]) for one in found] == [("machine_lost", "machine_gone", True)]


def test_an_unknown_world_ends_it(typed):
    assert typed("--only", "nonsense").exit_code == 2


def test_a_server_that_is_not_there_is_no_bad_score(typed):
    shown = typed("--base-url", "http://127.0.0.1:9", "--model", "gemma")
    assert shown.exit_code == 2
    assert "questions" not in shown.output
