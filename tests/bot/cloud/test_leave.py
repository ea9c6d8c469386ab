"""Leave to write is made by the gate, for a yes that was given, and nowhere else."""

import ast
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import RefusedError
from bot.nouns import Actor, Role
from bot.operations.execute import leave, leave_in_person
from bot.operations.operation import Context
from bot.ports import Question
from bot.requests import Door, Place, Request
from tests.doubles.ports import ANNA, House

ROOT = Path(__file__).parents[3]
GATE = Path("bot/operations/execute.py")


def makes_leave(call: ast.Call) -> bool:
    """`Authorised(...)` by any path, or a copy of one with other values."""
    called = ast.unparse(call.func)
    copied = called in {"replace", "dataclasses.replace"} and "leave" in ast.unparse(call)
    return called.rpartition(".")[2] == "Authorised" or copied


def makers() -> list[Path]:
    """Files of the product that make leave, once for each place that does."""
    files = [path for folder in ("bot", "handlers", "jobs", "prompts") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        path.relative_to(ROOT)
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and makes_leave(node)
    ]


def test_only_the_gate_makes_leave() -> None:
    assert makers() == [GATE]


def question(*, spent_by: str | None, second_person: bool) -> Question:
    asked = Request(
        id="r1",
        actor=Actor(team_id="T1", user_id="U1"),
        place=Place(channel="C1"),
        words="machine destroy prod-2",
        door=Door.COMMAND,
        at=datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
    )
    return Question(
        id="ask-1",
        request=asked,
        operation="machine.destroy",
        arguments={},
        shown=(),
        second_person=second_person,
        expires_at=datetime(2026, 11, 30, 12, 30, tzinfo=UTC),
        spent_by=spent_by,
    )


def test_nobodys_yes_is_no_leave() -> None:
    with pytest.raises(RefusedError, match="Nobody said yes"):
        leave(question(spent_by=None, second_person=True))


@pytest.mark.parametrize("second_person", [True, False])
def test_a_yes_is_leave_for_its_own_work_and_reaches_no_further_unasked(second_person: bool) -> None:
    given = leave(question(spent_by="U2", second_person=second_person))
    assert (given.work_id, given.others) == ("ask-1", False)


def test_only_a_second_persons_yes_reaches_what_is_not_ours() -> None:
    assert leave(question(spent_by="U2", second_person=True), others=True).others
    with pytest.raises(RefusedError, match="second person"):
        leave(question(spent_by="U2", second_person=False), others=True)


def standing_there(house: House, door: Door, role: Role = Role.ADMIN) -> Context:
    asked = house.request("token", ANNA, door)
    return Context(house.services, ANNA, role, asked.place, house.clock.at, "token", asked.id, asked)


@pytest.mark.parametrize("door", [Door.MODAL, Door.TERMINAL])
async def test_an_admin_who_is_there_in_person_gives_leave_and_that_is_written_down_first(door: Door) -> None:
    house = House()
    given = await leave_in_person(standing_there(house, door))
    assert (given.work_id, given.others) == (standing_there(house, door).request_id, False)
    assert [(line["who"], line["operation"], line["ended"]) for line in house.book.lines] == [("U1ANNA", "token", "begun")]


@pytest.mark.parametrize("door", sorted(set(Door) - {Door.MODAL, Door.TERMINAL}))
async def test_at_no_other_door_is_anybody_there_in_person(door: Door) -> None:
    house = House()
    with pytest.raises(RefusedError, match="in person only"):
        await leave_in_person(standing_there(house, door))
    assert not house.book.lines


@pytest.mark.parametrize("role", [Role.NOBODY, Role.VIEWER, Role.OPERATOR])
async def test_in_person_is_for_admins(role: Role) -> None:
    house = House()
    with pytest.raises(RefusedError, match="Only admins"):
        await leave_in_person(standing_there(house, Door.MODAL, role))
    assert not house.book.lines
