"""`machine start` and `machine stop`: for the kinds that can be; the others say why not."""

import pytest

from bot.errors import PersonMovesNext, RefusedError
from bot.nouns import CloudOperation, MachineState, ProvisioningModel, Refusal, RefusalKind, RequestState
from bot.operations.machine_power import MACHINE_START, MACHINE_STOP
from bot.view import plain
from tests.doubles.ports import ANNA, BEN
from tests.doubles.sights import OURS, PROD, asked_for, machine, scrape
from tests.doubles.works import Works

ZONE = "us-east5-a"
ON_DEMAND = ProvisioningModel.ON_DEMAND


def works(state: MachineState = MachineState.READY, **more: object) -> Works:
    made = Works((MACHINE_START, MACHINE_STOP))
    made.yard.put(machine("prod-2", state, **{"provisioning": ON_DEMAND, **more}))
    return made


def arrives(made: Works, what: str, state: MachineState) -> None:
    def happen() -> None:
        made.yard.put(machine("prod-2", state, provisioning=ON_DEMAND))
        made.yard.operations[f"{what}-prod-2"] = CloudOperation(name=f"{what}-prod-2", done=True)

    made.yard.soon = [lambda: None, happen]


async def test_flex_start_says_why_it_cannot_be_stopped_and_what_can_be_done() -> None:
    made = works(provisioning=ProvisioningModel.FLEX_START)
    for words in ("machine stop prod-2", "machine start prod-2"):
        with pytest.raises(PersonMovesNext, match="it is flex-start") as why:
            await made.say(words)
        assert why.value.telling.next_step == "To end it: /gemma machine destroy prod-2"
        assert why.value.telling.billing == "It bills $5.40/h."


async def test_what_a_request_made_says_why_too() -> None:
    made = works()
    made.yard.put(asked_for(RequestState.ACTIVE, "prod-2-request", machine="prod-2"))
    with pytest.raises(PersonMovesNext, match="made by the request prod-2-request"):
        await made.say("machine stop prod-2")


async def test_a_stop_is_confirmed_asked_for_and_told_when_the_machine_stands_still() -> None:
    made = works()
    asked = await made.say("machine stop prod-2")
    assert plain(asked.view.verdict) == "Stop prod-2"
    name = await made.agree(asked)
    arrives(made, "stop", MachineState.STOPPED)
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict).startswith("prod-2 is stopped since ")
    assert made.yard.asked.count(f"stop {ZONE}/prod-2") == 1


async def test_a_machine_on_its_way_down_is_not_stopped_yet() -> None:
    made = works()
    name = await made.begins("machine stop prod-2")
    await made.take(name)
    made.yard.put(machine("prod-2", MachineState.STOPPED, provisioning=ON_DEMAND))
    came = await made.take(name)
    assert made.works[name].state == "settling"
    assert came is not None


async def test_a_start_says_what_it_bills_and_ends_when_it_is_ready() -> None:
    made = works(MachineState.STOPPED)
    asked = await made.say("machine start prod-2")
    assert "bills $10.80/h until somebody stops or destroys it" in plain(asked.view.lines[1])
    name = await made.agree(asked)
    arrives(made, "start", MachineState.READY)
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict).startswith("prod-2 runs again since ")


async def test_a_refusal_of_google_is_told_in_its_words() -> None:
    made = works(MachineState.STOPPED)
    name = await made.begins("machine start prod-2")
    no = Refusal(kind=RefusalKind.STOCKOUT, text="There is no more capacity")
    made.yard.soon = [
        lambda: made.yard.operations.update({"start-prod-2": CloudOperation(name="start-prod-2", done=True, refusal=no)})
    ]
    view = await made.end(name)
    assert view is not None
    assert plain(view.verdict) == "prod-2 was not switched: There is no more capacity"


async def test_a_machine_that_goes_meanwhile_and_one_that_never_arrives_are_told() -> None:
    made = works()
    name = await made.begins("machine stop prod-2")
    made.yard.soon = [made.yard.vanish(ZONE, None, "prod-2")]
    gone = await made.end(name)
    assert gone is not None
    assert "somebody deleted it" in plain(gone.verdict)
    made = works()
    late = await made.end(await made.begins("machine stop prod-2"))
    assert late is not None
    assert "I stopped looking" in plain(late.verdict)


async def test_what_serves_or_is_not_ours_needs_a_second_person() -> None:
    made = works()
    made.house.names.known = [PROD.model_copy(update={"machine": "prod-2"})]
    made.house.engine.health = True
    made.house.engine.scrape = scrape(running=2, waiting=0)
    asked = await made.say("machine stop prod-2")
    assert "those are cut off" in plain(asked.view.lines[1])
    with pytest.raises(RefusedError, match="second person"):
        await made.agree(asked, BEN)
    await made.agree(asked, ANNA)
    theirs = works(labels={"owner": "research"})
    with pytest.raises(RefusedError, match="second person"):
        await theirs.agree(await theirs.say("machine start prod-2"), BEN)


async def test_what_begins_to_serve_between_question_and_yes_is_not_stopped() -> None:
    made = works(labels=OURS)
    asked = await made.say("machine stop prod-2")
    made.house.names.known = [PROD.model_copy(update={"machine": "prod-2"})]
    made.house.engine.health = True
    with pytest.raises(RefusedError, match="serves now"):
        await made.agree(asked)
