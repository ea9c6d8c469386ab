"""Operations that take long, gone through by hand: asked, said yes to, begun, and stepped through while a held clock moves on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.nouns import Actor
from bot.operations.approvals import NO, YES
from bot.operations.course import STOP, Course, Ended, Move
from bot.operations.execute import Outcome, execute
from bot.operations.operation import AnyOperation, Context, Registry
from bot.ports import Lease, Services
from bot.requests import Request
from bot.view import View, plain
from tests.doubles.ports import BEN, House
from tests.doubles.yard import Yard

MOST = 500
"""Steps after which a work that has no end is caught."""


@dataclass
class Begun:
    """Long work as it was recorded, and where it stands."""

    request: Request
    path: str
    arguments: str
    notes: dict[str, str]
    state: str = "new"


@dataclass
class Works:
    """Implements `bot.ports.LongWork` and `Leases`; `progress` is every line that the first message showed."""

    table: Registry
    yard: Yard = field(default_factory=Yard)
    house: House = field(default_factory=House)
    works: dict[str, Begun] = field(default_factory=dict)
    ends: dict[tuple[str, str], Lease] = field(default_factory=dict)
    progress: list[str] = field(default_factory=list)

    @property
    def services(self) -> Services:
        return replace(self.house.services, cloud=self.yard, long_work=self, leases=self, capacity=self.yard.capacity())

    async def begin(
        self, request: Request, path: str, arguments: str, notes: Mapping[str, str], *, queue: str | None = None
    ) -> str:
        del queue
        known = await self.begun(request, path)
        name = known or f"{path.partition('.')[0]}-{len(self.works) + 1}"
        self.works.setdefault(name, Begun(request, path, arguments, dict(notes)))
        return name

    async def begun(self, request: Request, path: str) -> str | None:
        return next((name for name, one in self.works.items() if (one.request.id, one.path) == (request.id, path)), None)

    async def put(self, team_id: str, lease: Lease) -> None:
        del team_id
        self.ends[lease.zone, lease.machine] = lease

    async def all(self, team_id: str) -> tuple[Lease, ...]:
        del team_id
        return tuple(self.ends.values())

    async def drop(self, team_id: str, zone: str, machine: str) -> None:
        del team_id
        self.ends.pop((zone, machine), None)

    async def say(self, words: str, by: Actor = BEN) -> Outcome:
        """Typed in the channel."""
        return await execute((*self.table, YES, NO), self.services, self.house.request(words, by))

    async def agree(self, asked: Outcome, by: Actor = BEN, because: str = "") -> str:
        """Press the first button, and let the request that this sets free begin its work. The work's name."""
        await self.say(f"{asked.view.buttons[0].words}{f' because {because}' if because else ''}", by)
        started = (await execute(self.table, self.services, self.house.questions.works[-1])).started
        assert started is not None
        return started

    async def begins(self, words: str, by: Actor = BEN, yes_by: Actor | None = None) -> str:
        """Asked and agreed to."""
        return await self.agree(await self.say(words, by), yes_by or by)

    async def take(self, name: str, state: str | None = None) -> Move | Ended:
        """One step of a work, and its transition."""
        work = self.works[name]
        operation: AnyOperation = next(one for one in self.table if one.path == work.path)
        came: Move | Ended = await operation.steps[state or work.state](await self.course(name, operation))
        if isinstance(came, Move):
            work.state, work.notes = came.to, {**work.notes, **came.notes}
            if came.progress is not None:
                self.progress.append(plain(came.progress.verdict))
        return came

    async def course(self, name: str, operation: AnyOperation) -> Course:
        work = self.works[name]
        services = self.services
        request = work.request
        context = Context(
            services, request.actor, operation.role, request.place, services.clock.now(), operation.path, request.id, request
        )
        arguments = operation.arguments.model_validate_json(work.arguments)
        question = await services.approvals.get(request.approval or "")
        return Course(name, context, arguments, work.notes, question)

    async def end(self, name: str, *, stop: bool = False) -> View | None:
        """Step after step, time passing at each wait, until its final message; None when it ended without one."""
        for number in range(MOST):
            came = await self.take(name, STOP if stop and number == 0 else None)
            if isinstance(came, Ended):
                return came.view
            if came.to == "done":
                return None
            if came.wait_s is not None:
                self.house.clock.move(seconds=came.wait_s)
                self.yard.pass_time()
        raise AssertionError(f"{name} does not end: {self.works[name].state}")
