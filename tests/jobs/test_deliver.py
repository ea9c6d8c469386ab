"""Where an answer goes, as a table."""

import pytest

from bot.nouns import SeenBy
from bot.requests import Door, Place
from jobs.deliver import Alone, Among, replaces, route
from tests.doubles.ports import House

URL = "https://hooks.example/1"
COMMAND = Place(channel="C1", response_url=URL)
THREAD = Place(channel="C1", thread="1.0", message="2.0")
ROOT = Place(channel="C1", message="2.0")
IN_DIRECT = Place(channel="D1", direct=True, response_url=URL)
DIRECT = Place(channel="D1", message="2.0", direct=True)
PRESSED = Place(channel="C1", message="2.0", response_url=URL)
PRESSED_IN_THREAD = Place(channel="C1", thread="1.0", message="2.0", response_url=URL)
PRESSED_ALONE = Place(channel="C1", message="2.0", ephemeral=True, response_url=URL)

ROUTES = [
    ("a command for me", Door.COMMAND, COMMAND, SeenBy.YOU, Alone(URL, replace=True)),
    ("a command for all", Door.COMMAND, COMMAND, SeenBy.CHANNEL, Among("C1", None)),
    ("a command in a direct message", Door.COMMAND, IN_DIRECT, SeenBy.YOU, Among("D1", None)),
    ("a command without an address", Door.COMMAND, Place(channel="C1"), SeenBy.YOU, Among("C1", None)),
    ("a mention in a thread", Door.MENTION, THREAD, SeenBy.YOU, Among("C1", "1.0")),
    ("a mention begins a thread", Door.MENTION, ROOT, SeenBy.CHANNEL, Among("C1", "2.0")),
    ("a direct message", Door.MESSAGE, DIRECT, SeenBy.YOU, Among("D1", "2.0")),
    ("a button for me under a message of all", Door.BUTTON, PRESSED, SeenBy.YOU, Alone(URL, replace=False)),
    ("a button for all", Door.BUTTON, PRESSED, SeenBy.CHANNEL, Among("C1", "2.0")),
    ("a button for all in a thread", Door.BUTTON, PRESSED_IN_THREAD, SeenBy.CHANNEL, Among("C1", "1.0")),
    ("a button for me under what only I see", Door.BUTTON, PRESSED_ALONE, SeenBy.YOU, Alone(URL, replace=True)),
    ("a button for all under what only I see", Door.BUTTON, PRESSED_ALONE, SeenBy.CHANNEL, Among("C1", None)),
    ("a button in a direct message", Door.BUTTON, PRESSED.model_copy(update={"direct": True}), SeenBy.YOU, Among("C1", "2.0")),
]  # fmt: skip


@pytest.mark.parametrize(("door", "place", "seen_by", "to"), [pytest.param(*rest, id=name) for name, *rest in ROUTES])
def test_an_answer_goes_where_it_was_asked_and_to_whom_it_concerns(
    door: Door, place: Place, seen_by: SeenBy, to: Alone | Among
) -> None:
    assert route(House().request("status", door=door, place=place), seen_by) == to


def test_a_second_answer_replaces_the_first_except_under_a_message_of_all() -> None:
    assert replaces(Among("C1", None))
    assert replaces(Alone(URL, replace=True))
    assert not replaces(Alone(URL, replace=False))
