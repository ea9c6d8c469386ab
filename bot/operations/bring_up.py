"""Steps of long work that bring a whole deployment up: a machine is asked for with our key and its start-up script, its engine is
brought up, and where the deployment stands now is recorded. Put into any operation's `steps`; FIRST begins with a machine that
is to be made (notes `plan` and `wanted`), `engine_up.FIRST` with one that stands (notes `place` and `wanted`).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel

from bot.errors import PersonMovesNext, RefusedError
from bot.nouns import Deployment, Machine
from bot.operations import engine_up
from bot.operations.course import BILLS, Course, Ended, Move, capacity_of
from bot.operations.engine_outcome import Failure, Up
from bot.operations.execute import leave
from bot.operations.machine_plan import Plan
from bot.operations.machine_steps import ASKED_AT, PLAN, MachineSteps, Nothing, Step, plan_of
from bot.operations.machine_words import rate
from bot.serving.boot_script import startup_script
from bot.serving.container import run_argv
from bot.serving.specification import EngineSpecification

FIRST, SCRIPT = "bring-up", "boot-script"
WRITE_SCRIPT = "write_script"
"""The note that has a machine which stood before told the new start-up script once its engine answers."""
_STANDS, _SINCE = "stands", "script_since"
STARTUP_SCRIPT = "startup-script"
"""The key of the metadata that Google's images run at each boot."""
SCRIPT_PATIENCE = timedelta(minutes=5)
"""Our choice: metadata that is not written by then is told instead of waited for."""


class Stands(BaseModel):
    """A deployment that answers: where and since when. `took_s` is what its start took, `fresh` False: it ran as wanted already.
    `before` is the address it had. `script_old`: its machine would bring up at a reboot what was wanted before; why."""

    place: Deployment
    at: datetime
    took_s: float
    fresh: bool
    before: str | None
    script_old: str = ""


Answers = Callable[[Course, Stands], Awaitable[Move | Ended]]
Failed = Callable[[Course, Failure], Awaitable[Move | Ended]]


@dataclass(frozen=True)
class BringUp:
    """How a deployment comes up. `answers` goes on when it answered a known question and is recorded, `no_machine` when there is
    no machine and nothing bills, `failed` when the machine stands and its engine does not come up.
    """

    answers: Answers
    no_machine: Nothing
    failed: Failed

    @property
    def gets(self) -> MachineSteps:
        """The part that gets the machine."""
        return MachineSteps(_machine_ready, self.no_machine, prefix="machine-")

    @property
    def steps(self) -> dict[str, Step]:
        """All steps by state."""
        return {FIRST: _begin, **self.gets.steps, **engine_up.steps(self._up, self.failed), SCRIPT: self._script}

    async def _up(self, course: Course, up: Up) -> Move | Ended:
        """Record where it stands; the address it had is looked up before, once."""
        place, wanted, context = engine_up.place_of(course.notes), engine_up.wanted_of(course.notes), course.context
        made = recorded(place, wanted, up.base_url)
        before = course.notes.get("address_before") or None
        if context.services.house is not None:
            await context.services.house.setups.settle(context.services.team_id, made)
        stands = Stands(place=made, at=context.now, took_s=up.took_s, fresh=up.fresh, before=before)
        if not course.notes.get(WRITE_SCRIPT):
            return await self.answers(course, stands)
        return Move(SCRIPT, {_STANDS: stands.model_dump_json(), _SINCE: context.now.isoformat()})

    async def _script(self, course: Course) -> Move | Ended:
        """Have the machine bring up the same at its next boot. Only None says that it held, so it is said again until then."""
        stands = Stands.model_validate_json(course.notes[_STANDS])
        place, wanted, capacity = stands.place, engine_up.wanted_of(course.notes), course.context.services.capacity
        since = course.context.now - datetime.fromisoformat(course.notes[_SINCE])
        if capacity is None or place.zone is None or place.machine is None:
            return await self.answers(course, stands)
        if since > SCRIPT_PATIENCE:
            return await self.answers(course, stands.model_copy(update={"script_old": "Google did not take it in time"}))
        values = {STARTUP_SCRIPT: script_of(wanted)}
        try:
            change = await capacity.machines.set_metadata(leave(course.yes), place.zone, place.machine, values)
        except (PersonMovesNext, RefusedError) as error:
            return await self.answers(course, stands.model_copy(update={"script_old": str(error)}))
        return await self.answers(course, stands) if change is None else Move(SCRIPT, wait_s=2.0)


def recorded(place: Deployment, wanted: EngineSpecification, base_url: str | None) -> Deployment:
    """The record of a deployment that was brought up there."""
    return place.model_copy(
        update={
            "base_url": base_url,
            "model_id": wanted.model,
            "accelerator": wanted.piece.name,
            "image": wanted.image,
            "context": wanted.context,
        }
    )


def script_of(wanted: EngineSpecification) -> str:
    """What its machine runs at each boot. It names secrets and holds none."""
    return startup_script(wanted, run_argv(wanted))


def bills(made: Plan) -> str:
    """What may bill while the machine of this plan is on its way."""
    order = made.order
    may = f"{order.name} may stand in {order.zone.name} and become a machine for {rate(made.usd_per_hour)}"
    return f"{may}: look with /gemma machine {order.machine}"


async def _begin(course: Course) -> Move:
    """All that the machine is made with stands in the notes before it is asked for: our key, and its start-up script."""
    made, wanted = plan_of(course), engine_up.wanted_of(course.notes)
    key = await engine_up.engines_of(course.context).hosts.public_key(leave(course.yes), wanted.deployment)
    order = made.order.model_copy(update={"ssh_keys": (key,), "startup_script": script_of(wanted)})
    whole = made.model_copy(update={"order": order})
    capacity_of(course.context)
    return Move("machine-new", {PLAN: whole.model_dump_json(), ASKED_AT: course.context.now.isoformat(), BILLS: bills(made)})


async def _machine_ready(course: Course, made: Plan, machine: Machine, ends: datetime) -> Move:
    """On to its engine."""
    order = made.order
    place = Deployment(
        name=engine_up.wanted_of(course.notes).deployment,
        zone=order.zone.name,
        machine=machine.name,
        accelerator=order.piece.name,
        owner=course.context.actor.user_id,
        ends_at=ends,
        origin="store",
    )
    until = f"bills {rate(made.usd_per_hour)} until {ends:%d %b %H:%M} UTC"
    told = f"{machine.name} {until}: end it with /gemma machine destroy {machine.name}"
    return Move(engine_up.FIRST, {engine_up.PLACE: place.model_dump_json(), BILLS: told})
