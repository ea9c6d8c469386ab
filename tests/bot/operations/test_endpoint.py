"""`endpoint`: the address, a command without the key, and nothing that the address may hide."""

import shlex
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import NotConnectedError, PersonMovesNext, RetryLater
from bot.nouns import EngineSample, ServedModel
from bot.operations.endpoint import curl, shown_address
from bot.view import LINES_LIMIT, VERDICT_LIMIT, View, plain


def said(view: View) -> str:
    return "\n".join(map(plain, (view.verdict, *view.lines, *view.details)))


def serving(world: Any) -> None:
    started = world.now - timedelta(hours=3)
    world.engine["healthy"] = True
    world.engine["sample"] = EngineSample(at=world.now, started_at=started)
    world.engine["models"] = (ServedModel(id="google/gemma-4-31B-it"),)


async def test_the_address_stands_first_and_the_curl_holds_no_key(world: Any) -> None:
    serving(world)
    view = (await world.ask("endpoint")).view
    assert plain(view.verdict) == "prod answers at http://127.0.0.1:8000"
    assert "$MODEL_API_KEY" in said(view)
    assert "google/gemma-4-31B-it" in said(view)
    assert "2026-11-30 12:00 UTC (3 h ago)" in said(view)


async def test_since_when_is_unknown_when_the_engine_does_not_tell(world: Any) -> None:
    serving(world)
    world.engine["sample"] = EngineSample(at=world.now)
    assert "Since when is not known; the address before is not known." in said((await world.ask("endpoint")).view)


async def test_raw_is_the_address_alone(world: Any) -> None:
    serving(world)
    view = (await world.ask("endpoint raw")).view
    assert (plain(view.verdict), view.lines) == ("http://127.0.0.1:8000", ())


async def test_an_engine_that_is_silent_does_not_answer_there_and_says_why(world: Any) -> None:
    world.engine = {name: RetryLater("Gemma's server does not answer") for name in ("healthy", "models", "sample")}
    told = said((await world.ask("endpoint")).view)
    assert "should answer, and does not, at http://127.0.0.1:8000" in told
    assert told.count("Gemma's server does not answer") == 1


async def test_a_password_in_the_address_is_never_shown(world: Any) -> None:
    serving(world)
    address = "https://anna:hunter2@gemma.example.com/team/v1?key=sesame"
    world.deployments = [world.deployments[0].model_copy(update={"base_url": address})]
    outcome = await world.ask("endpoint")
    for shown in (said(outcome.view), str(outcome.result)):
        assert "hunter2" not in shown
        assert "sesame" not in shown
    assert "https://gemma.example.com/team" in said(outcome.view)
    assert "I left that out" in said(outcome.view)


async def test_what_is_no_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(PersonMovesNext) as refused:
        shown_address("ftp://anna:hunter2@host")
    assert "hunter2" not in str(refused.value)


async def test_without_an_address_it_says_what_to_set(world: Any) -> None:
    world.deployments = [world.deployments[0].model_copy(update={"base_url": None})]
    with pytest.raises(NotConnectedError, match="MODEL_BASE_URL"):
        await world.ask("endpoint")


def test_a_hostile_model_name_stays_inside_its_quotes() -> None:
    typed = shlex.split(curl("http://127.0.0.1:8000", "x'; rm -rf ~; echo '"))
    assert typed[0] == "curl"
    assert "rm" not in typed
    assert typed[-1].startswith('{"model": "x\'; rm -rf ~')


async def test_a_long_address_does_not_make_the_verdict_too_long(world: Any) -> None:
    serving(world)
    long = "https://" + "a" * 60 + ".example.com/" + "b" * 80
    world.deployments = [world.deployments[0].model_copy(update={"base_url": long})]
    view = (await world.ask("endpoint")).view
    assert len(plain(view.verdict)) <= VERDICT_LIMIT
    assert 1 + len(view.lines) <= LINES_LIMIT
    assert long in said(view)


async def test_an_engine_that_listens_on_its_machine_alone_is_told_with_the_way_there(world: Any) -> None:
    serving(world)
    world.deployments[0] = world.deployments[0].model_copy(update={"base_url": "ssh://prod-1:8001", "zone": "us-east5-a"})
    view = (await world.ask("endpoint")).view
    assert plain(view.verdict) == "prod answers at ssh://prod-1:8001"
    assert "gcloud compute tpus tpu-vm ssh prod-1 --zone us-east5-a -- -N -L 8001:127.0.0.1:8001" in said(view)
    assert "curl http://127.0.0.1:8001/v1/chat/completions" in said(view)
