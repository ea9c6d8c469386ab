"""What a search for capacity is to do, worked out before anybody is asked: where in which order, for how much, until when."""

from datetime import datetime, timedelta

from pydantic import BaseModel, Field

from bot.errors import UsageError
from bot.nouns import CapacityOrder, Deployment, ProvisioningModel, Slice, Zone
from bot.operations import choice, recent, zones
from bot.operations.machine_plan import LONGEST_S, SHORTEST_S
from bot.operations.machines import UNASSIGNED
from bot.operations.operation import Arguments, Context
from bot.operations.values import Bought, ClockTime, DeploymentName, HourlyRate, Seconds, SliceName
from bot.serving import slices
from bot.serving.recent_capacity import Candidate, ranked

USUAL_AT_ONCE, MOST_AT_ONCE = 4, 16
"""Zones that are asked together when nothing is said, and the most. Our choice: each may become a machine that bills."""

USUAL_S = 12 * 3600
"""How long it looks when no end is said. Our choice: a night."""

OVERLAP_S = 900
"""For so long, at most, machines that came in the same moment are thought to bill until they are verified gone. Our choice."""


class FindArguments(Arguments):
    """For which deployment, which slice, how it is bought; until when it looks (UTC), for how many dollars an hour together,
    how many zones at once; for how long the machine is kept: `for`, or `hold` when it is only held and then deleted."""

    deployment: DeploymentName | None = None
    slice: SliceName | None = None
    provisioning: Bought = ProvisioningModel.FLEX_START
    until: ClockTime | None = None
    max: HourlyRate | None = Field(default=None, gt=0)
    for_: Seconds = Field(default=8 * 3600, ge=SHORTEST_S, le=LONGEST_S)
    hold: Seconds | None = Field(default=None, ge=SHORTEST_S, le=LONGEST_S)
    zones_at_once: int | None = Field(default=None, ge=1, le=MOST_AT_ONCE)


class Choice(BaseModel):
    """A zone that may be asked, and what its machine would cost in USD per hour."""

    zone: str
    usd: float


class Search(BaseModel):
    """What is done. `ceiling` is in USD per hour and holds for all that could become machines together; `unpriced` are zones that
    are left out because nobody knows what they cost, `out` counts those that surely cannot give one. `ssh_keys` lets us into the
    machine, so that the deployment it is for can be brought up on it; empty where none is, or its key cannot be had."""

    piece: Slice
    provisioning: ProvisioningModel
    deployment: str
    asked_at: datetime
    deadline: datetime
    ceiling: float
    at_once: int
    run_s: int
    hold: bool
    choices: tuple[Choice, ...]
    unpriced: int
    out: int
    ssh_keys: tuple[str, ...] = ()

    @property
    def most_usd(self) -> float:
        """The most it can cost: the dearest machine for its whole time, and a while of all others that may come with it."""
        dearest = max(one.usd for one in self.choices)
        return dearest * self.run_s / 3600 + max(self.ceiling - min(one.usd for one in self.choices), 0) * OVERLAP_S / 3600

    @property
    def together(self) -> int:
        """How many zones are asked at once: as many as places, zones and ceiling allow, the cheapest counted first."""
        room, usd = 0, 0.0
        for one in sorted(self.choices, key=lambda one: one.usd)[: self.at_once]:
            usd += one.usd
            room += usd <= self.ceiling + 1e-9
        return room

    def machine(self, work: str) -> str:
        """The name of the machine, the same in every zone, for only one remains."""
        return work if self.deployment == UNASSIGNED else f"{self.deployment}-{work}"

    def order(self, context: Context, work: str, zone: str, attempt: int) -> CapacityOrder:
        """What is asked of one zone. The same for the same attempt, however often it is sent."""
        flex = self.provisioning is ProvisioningModel.FLEX_START
        return CapacityOrder(
            name=f"{self.machine(work)}-request",
            machine=self.machine(work),
            zone=Zone(name=zone),
            piece=self.piece,
            provisioning=self.provisioning,
            deployment=self.deployment,
            owner=context.actor,
            wait_s=max(int((self.deadline - self.asked_at).total_seconds()), SHORTEST_S),
            run_s=self.run_s if flex else None,
            attempt=attempt,
            ssh_keys=self.ssh_keys,
        )


async def plan(context: Context, arguments: FindArguments) -> Search:
    """Work it out. Raises UsageError when no zone can be asked, or none for that little money."""
    meant = await choice.deployment(context, arguments.deployment) if arguments.deployment is not None else None
    piece = slices.parse(arguments.slice or (meant.accelerator if meant is not None else None) or zones.USUAL_SLICE)
    asked = zones.ZonesArguments(slice=piece.name, provisioning=arguments.provisioning)
    found = await zones.run(context, asked)
    able = [one for one in found.zones if one.out is None]
    priced = [Candidate(one.name, one.usd_per_hour.value) for one in able if one.usd_per_hour is not None]
    tried = await recent.known(context.services, piece, arguments.provisioning)
    order = ranked(priced, tried, await _home(context, meant), context.now)
    choices = tuple(Choice(zone=one.zone, usd=one.usd_per_hour or 0.0) for one in order)
    at_once = arguments.zones_at_once or (USUAL_AT_ONCE if arguments.max is None else MOST_AT_ONCE)
    return Search(
        piece=piece,
        provisioning=arguments.provisioning,
        deployment=UNASSIGNED if meant is None else meant.name,
        asked_at=context.now,
        deadline=deadline(context.now, arguments.until),
        ceiling=_ceiling(piece, choices, arguments.max, at_once),
        at_once=at_once,
        run_s=arguments.hold or arguments.for_,
        hold=arguments.hold is not None,
        choices=tuple(one for one in choices if arguments.max is None or one.usd <= arguments.max),
        unpriced=len(able) - len(priced),
        out=len(found.zones) - len(able),
    )


def deadline(now: datetime, until: int | None) -> datetime:
    """The next time that the clock shows so many minutes after midnight (UTC)."""
    if until is None:
        return now + timedelta(seconds=USUAL_S)
    end = now.replace(hour=until // 60, minute=until % 60, second=0, microsecond=0)
    return end if end > now else end + timedelta(days=1)


def _ceiling(piece: Slice, choices: tuple[Choice, ...], most: float | None, at_once: int) -> float:
    near = (f"zones {piece.name}",)
    if not choices:
        raise UsageError(f"No zone with a known price can be asked for a {piece.name}.", near=near, next_step="See why:")
    least = min(one.usd for one in choices)
    if most is None:
        return sum(sorted((one.usd for one in choices), reverse=True)[:at_once])
    if most < least:
        raise UsageError(
            f"A {piece.name} costs ${least:.2f}/h at least, more than ${most:.2f}/h.", near=near, next_step="Allow more."
        )
    return most


async def _home(context: Context, meant: Deployment | None) -> str | None:
    """The region of the deployment, else of the first that has one: from there distances are counted."""
    known = (meant,) if meant is not None else await context.services.deployments.all(context.services.team_id)
    zone = next((one.zone for one in known if one.zone is not None), None)
    return None if zone is None else zone.rpartition("-")[0]
