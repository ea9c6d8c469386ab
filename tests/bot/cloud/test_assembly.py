"""The writing half as Core is handed it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from pydantic import SecretStr

from bot.cloud.assembly import GoogleCloud
from bot.errors import NotConnectedError, PersonMovesNext
from bot.nouns import ProvisioningModel, Zone
from bot.ports import Authorised
from bot.serving import slices
from sandbox.clock import HeldClock
from sandbox.google.seed import HOME, PROJECT
from tests.bot.cloud.wired import NOW, Google, an_order

V6E = slices.parse("v6e-4")
LEAVE = Authorised("ask-1")
QUESTIONS: list[Callable[[GoogleCloud], Awaitable[object]]] = [
    lambda cloud: cloud.provisioner.create(LEAVE, an_order()),
    lambda cloud: cloud.provisioner.request(HOME, "x"),
    lambda cloud: cloud.provisioner.operation("x"),
    lambda cloud: cloud.provisioner.delete(LEAVE, HOME, "x"),
    lambda cloud: cloud.provisioner.gone(HOME, "x", None),
    lambda cloud: cloud.machines.machine(HOME, "x"),
    lambda cloud: cloud.machines.start(LEAVE, HOME, "x"),
    lambda cloud: cloud.machines.stop(LEAVE, HOME, "x"),
    lambda cloud: cloud.machines.delete(LEAVE, HOME, "x"),
    lambda cloud: cloud.machines.set_metadata(LEAVE, HOME, "x", {}),
    lambda cloud: cloud.machines.add_ssh_key(LEAVE, HOME, "x", "k"),
    lambda cloud: cloud.machines.guest_attributes(HOME, "x"),
    lambda cloud: cloud.quotas.quotas(V6E, ProvisioningModel.SPOT, (HOME,)),
    lambda cloud: cloud.hardware.offered(V6E, (HOME,)),
    lambda cloud: cloud.secrets.store(LEAVE, "x", SecretStr("y")),
    lambda cloud: cloud.secrets.access("x"),
]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
async def test_without_a_project_every_question_says_what_to_set(number: int) -> None:
    cloud = GoogleCloud.of(None, HeldClock(NOW))
    with pytest.raises(NotConnectedError, match="Machine: not connected, set GOOGLE_CLOUD_PROJECT"):
        await QUESTIONS[number](cloud)
    assert cloud.price_list is None
    await cloud.aclose()


def test_a_root_in_the_open_is_refused_when_it_is_put_together() -> None:
    with pytest.raises(PersonMovesNext, match="GCP_API_ROOT"):
        GoogleCloud.of("p", HeldClock(NOW), root="http://gateway.example")


@pytest.mark.wire
async def test_everything_for_a_project_works_over_one_root(wired: Google) -> None:
    cloud = GoogleCloud.of(PROJECT, wired.clock, root=wired.address)
    assert await cloud.machines.machine(HOME, "prod-1") is not None
    assert await cloud.provisioner.request(HOME, "prod-1-request") is not None
    assert await cloud.hardware.offered(V6E, (HOME,)) == {HOME: True}
    assert len((await cloud.quotas.quotas(V6E, ProvisioningModel.SPOT, (HOME,)))[HOME]) == 2
    assert await cloud.secrets.store(LEAVE, "x", SecretStr("y")) == "1"
    assert cloud.price_list is not None
    book = await cloud.price_list.price_book()
    assert book.price(V6E, Zone(name=HOME), ProvisioningModel.FLEX_START) is not None
    await cloud.aclose()


@pytest.mark.wire
async def test_closed_and_asked_again_it_opens_anew(wired: Google) -> None:
    cloud = GoogleCloud.of(PROJECT, wired.clock, root=wired.address)
    for _ in range(2):
        await asyncio.gather(*(cloud.machines.machine(HOME, "prod-1") for _ in range(3)))
        await cloud.aclose()
