"""The first admin, and deployments that are taken over."""

from typing import Any

import pytest
from house_doubles import HouseInMemory, ask

from bot.errors import PersonMovesNext, RefusedError, RetryLater, UsageError
from bot.nouns import ServedModel
from bot.ports import Grants
from bot.view import plain

CODE = "0123456789abcdef0123456789abcdef"
ADMIN = Grants(admins=("U1",))
SERVED = (ServedModel(id="google/gemma-4-31B-it", context=65536),)


async def test_the_right_code_makes_the_first_admin_once(world: Any) -> None:
    house = HouseInMemory(code=CODE)
    outcome = await ask(world, house, f"setup code={CODE}")
    assert outcome.result == {"admin": "U1"}
    assert house.grants.admins == ("U1",)
    with pytest.raises(RefusedError, match="There is an admin already"):
        await ask(world, house, f"setup code={CODE}", user="U2")


async def test_a_wrong_code_makes_nobody_admin_and_does_not_spend_the_right_one(world: Any) -> None:
    house = HouseInMemory(code=CODE)
    with pytest.raises(RefusedError, match="That is not the code"):
        await ask(world, house, "setup code=" + "f" * 32)
    assert house.code == CODE


async def test_without_a_code_only_an_admin_is_shown_the_form(world: Any) -> None:
    with pytest.raises(RefusedError, match="Only admins"):
        await ask(world, HouseInMemory(grants=Grants(admins=("U2",))), "setup")
    outcome = await ask(world, HouseInMemory(grants=ADMIN), "setup")
    assert [button.words for button in outcome.view.buttons] == ["setup"]


async def test_while_nobody_is_admin_whoever_tries_is_told_where_the_code_is(world: Any) -> None:
    with pytest.raises(RefusedError, match="Nobody is admin here yet") as refused:
        await ask(world, HouseInMemory(), "setup")
    assert "/gemma setup CODE" in refused.value.telling.next_step


async def test_a_running_server_is_remembered_with_what_it_says_of_itself(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN)
    world.engine["models"] = SERVED
    outcome = await ask(world, house, "setup adopt name=lab address=http://127.0.0.1:9000 here=true")
    made = house.stored["lab"]
    assert (made.base_url, made.model_id, made.context) == ("http://127.0.0.1:9000", "google/gemma-4-31B-it", 65536)
    assert house.channels == {"C1": "lab"}
    assert "lab serves google/gemma-4-31B-it" in plain(outcome.view.verdict)


async def test_a_silent_server_is_remembered_and_its_silence_told(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN)
    world.engine["models"] = RetryLater("Gemma's server does not answer.")
    outcome = await ask(world, house, "setup adopt name=lab address=http://127.0.0.1:9000")
    assert house.stored["lab"].model_id is None
    assert house.channels == {}
    assert any("does not answer" in plain(one) for one in outcome.view.lines)
    assert any("MODEL_API_KEY" in plain(one) for one in outcome.view.lines)


async def test_an_address_that_may_not_be_asked_is_not_remembered(world: Any) -> None:
    house = HouseInMemory(grants=ADMIN)
    world.engine["models"] = PersonMovesNext("Gemma's server would be asked over plain http")
    with pytest.raises(PersonMovesNext, match="plain http"):
        await ask(world, house, "setup adopt name=lab address=http://gemma.example.com")
    assert not house.stored


async def test_a_name_of_the_settings_is_not_taken_over(world: Any) -> None:
    world.engine["models"] = SERVED
    with pytest.raises(UsageError, match="taken by the settings"):
        await ask(world, HouseInMemory(grants=ADMIN), "setup adopt name=prod address=http://127.0.0.1:9000")


async def test_a_viewer_takes_nothing_over(world: Any) -> None:
    house = HouseInMemory(grants=Grants(operators=("U1",)))
    world.engine["models"] = SERVED
    with pytest.raises(RefusedError, match="Only admins"):
        await ask(world, house, "setup adopt name=lab address=http://127.0.0.1:9000")
    assert not house.stored


async def test_a_role_given_from_slack_counts_like_one_of_the_settings(world: Any) -> None:
    assert (await ask(world, HouseInMemory(grants=ADMIN), "audit")).path == "audit"
    with pytest.raises(RefusedError):
        await ask(world, HouseInMemory(grants=ADMIN), "audit", user="U2")
