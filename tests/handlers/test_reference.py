"""docs/operations.md tells what the table of operations holds, and the 33 old tools are all accounted for."""

from pathlib import Path

import pytest

from bot.operations import OPERATIONS
from bot.operations.command_line import usage
from handlers.old_tools import COMING, OLD_TOOLS
from handlers.reference import reference

ROOT = Path(__file__).parents[2]
STILL_COMING = 8
"""How many old tools nothing replaces yet. It may be lowered, never raised."""

REPLACED = {name for operation in OPERATIONS for name in operation.was}
SHOWN = [operation for operation in OPERATIONS if not operation.hidden]


@pytest.mark.parametrize("name", OLD_TOOLS)
def test_each_old_tool_is_replaced_or_stands_in_the_shrinking_list(name):
    assert (name in REPLACED) != (name in COMING)


def test_there_are_33_old_tools_and_nobody_replaces_another():
    assert len(OLD_TOOLS) == len(set(OLD_TOOLS)) == 33
    assert set(OLD_TOOLS) >= REPLACED | set(COMING)


def test_the_list_of_what_is_coming_only_shrinks():
    assert len(COMING) <= STILL_COMING


def test_an_old_tool_is_replaced_once():
    names = [name for operation in OPERATIONS for name in operation.was]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("operation", SHOWN, ids=lambda one: one.path)
def test_each_operation_is_described_with_how_it_is_typed_and_an_example(operation):
    section = reference().split(f"\n## {' '.join(operation.words)}\n")[1].split("\n## ")[0]
    assert usage(operation) in section
    assert f"/gemma {operation.example}" in section
    assert operation.when_to_use in section
    assert operation.effect.value in section
    assert all(f"`{name}`" in section for name in operation.was)


def test_what_is_only_pressed_has_no_section():
    assert "## yes" not in reference()


def test_the_page_in_docs_is_what_the_table_says():
    assert (ROOT / "docs" / "operations.md").read_text() == reference(), "run `make docs`"


def test_every_row_of_a_table_has_as_many_cells_as_its_head():
    heads = 0
    for block in reference().split("\n\n"):
        rows = [line.replace("\\|", "") for line in block.splitlines() if line.startswith("|")]
        if rows:
            heads += 1
            assert len({row.count("|") for row in rows}) == 1, rows[0]
    assert heads == 2
