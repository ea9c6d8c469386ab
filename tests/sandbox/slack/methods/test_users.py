from collections.abc import Awaitable, Callable

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.slack import Person, SlackStandIn

pytestmark = pytest.mark.wire


async def test_people_carry_their_zone_and_whether_they_are_guests(client: AsyncWebClient) -> None:
    carla = (await client.users_info(user="U0CARLA"))["user"]
    assert (carla["tz"], carla["tz_offset"], carla["is_restricted"]) == ("Europe/Madrid", 3600, True)
    assert (await client.users_info(user="U0GEMMA"))["user"]["is_bot"] is True


async def test_a_stranger_belongs_to_another_team(slack: SlackStandIn, client: AsyncWebClient) -> None:
    slack.workspace.people["U9ERIK"] = Person("U9ERIK", "erik", "Erik Far", team_id="T9OTHER")
    erik = (await client.users_info(user="U9ERIK"))["user"]
    assert (erik["team_id"], erik["is_stranger"]) == ("T9OTHER", True)


async def test_an_unknown_person_is_not_found(
    client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    assert await refusal(client.users_info(user="U9")) == "user_not_found"


async def test_the_list_pages(client: AsyncWebClient) -> None:
    first = await client.users_list(limit=2)
    second = await client.users_list(limit=2, cursor=first["response_metadata"]["next_cursor"])
    assert [p["name"] for p in first["members"] + second["members"]] == ["anna", "ben", "carla", "dana"]


async def test_groups_and_their_members(client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]) -> None:
    assert (await client.usergroups_list())["usergroups"][0]["handle"] == "tpu-ops"
    assert (await client.usergroups_users_list(usergroup="S0TPUOPS"))["users"] == ["U0ANNA", "U0BEN"]
    assert await refusal(client.usergroups_users_list(usergroup="S9")) == "no_such_subteam"


async def test_a_free_plan_has_no_groups(
    slack: SlackStandIn, client: AsyncWebClient, refusal: Callable[[Awaitable[object]], Awaitable[str]]
) -> None:
    slack.workspace.paid = False
    assert await refusal(client.usergroups_list()) == "plan_upgrade_required"
