"""Requests for TPU capacity (queued resources): asked for once, adopted when they stand there, deleted and verified gone."""

from typing import Any

from google.api_core import exceptions as google_errors

from bot.cloud.apis import TPU
from bot.cloud.machines import TpuMachines
from bot.cloud.order_body import body_of, create_id
from bot.cloud.ownership import is_this_work, require_ours, whose
from bot.cloud.refusals import told
from bot.cloud.resource import QUEUED, operation_from, operation_path, path_of, refusal_of_error, request_from, zone_path
from bot.cloud.rest import GoogleRest
from bot.errors import RefusedError, RetryLater
from bot.nouns import CapacityOrder, CapacityRequest, CloudOperation, Placement, Refusal, RefusalKind, RequestState
from bot.ports import Authorised

_PASSING = (
    google_errors.ServiceUnavailable,
    google_errors.DeadlineExceeded,
    google_errors.Cancelled,
    google_errors.Aborted,
    google_errors.InternalServerError,
    google_errors.Unknown,
)
"""Answers that say nothing about the order itself: they are raised, not returned."""
_LOOK_AGAIN = (google_errors.NotFound, google_errors.FailedPrecondition)


class TpuProvisioner:
    """Implements `bot.ports.Provisioner`. Every write looks first: a repeat after a time-out or a crash does nothing twice."""

    def __init__(self, rest: GoogleRest, machines: TpuMachines) -> None:
        """Share the connections; whoever made `rest` closes it."""
        self._rest = rest
        self._machines = machines

    async def create(self, leave: Authorised, order: CapacityOrder) -> Placement | Refusal:
        """See `bot.ports.Provisioner.create`."""
        body = body_of(self._rest.project, order, leave)
        doing = f"asking for {order.piece.name} in {order.zone.name}"
        try:
            standing = await self._look(order.zone.name, order.name, doing)
            if standing is None:
                return await self._place(leave, order, body, doing)
        except google_errors.AlreadyExists:
            return await self._adopt_after_conflict(leave, order)
        except google_errors.GoogleAPICallError as error:
            refusal = refusal_of_error(error)
            if isinstance(error, google_errors.Unauthenticated) or (
                refusal.kind is RefusalKind.OTHER and isinstance(error, _PASSING)
            ):
                raise told(error, doing, self._rest.project, TPU) from error
            return refusal
        return _adopted(leave, order, request_from(standing))

    async def request(self, zone: str, name: str) -> CapacityRequest | None:
        """See `bot.ports.Provisioner.request`."""
        doing = f"looking at {name} in {zone}"
        try:
            found = await self._look(zone, name, doing)
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, TPU) from error
        return None if found is None else request_from(found)

    async def operation(self, name: str) -> CloudOperation:
        """See `bot.ports.Provisioner.operation`."""
        return operation_from(await self._rest.ask(TPU, "GET", operation_path(name), doing="looking how a change goes on"))

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        """See `bot.ports.Provisioner.delete`.

        No request id goes along: the name says it all, and a repeat must not be answered with an earlier try that failed.
        """
        doing = f"deleting {name} in {zone}"
        found = await self.request(zone, name)
        if found is None:
            return False
        require_ours(f"{name} in {zone}", found.labels, leave)
        if found.state is RequestState.DELETING:
            return True
        path = path_of(self._rest.project, zone, QUEUED, name)
        try:
            await self._rest.call(TPU, "DELETE", path, query={"force": "true"}, doing=doing)
        except _LOOK_AGAIN as error:
            found = await self.request(zone, name)
            if found is not None and found.state is not RequestState.DELETING:
                raise told(error, doing, self._rest.project, TPU) from error
            return found is not None
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, TPU) from error
        return True

    async def gone(self, zone: str, name: str, machine: str | None) -> bool:
        """See `bot.ports.Provisioner.gone`."""
        if await self.request(zone, name) is not None:
            return False
        return machine is None or await self._machines.machine(zone, machine) is None

    async def _look(self, zone: str, name: str, doing: str) -> dict[str, Any] | None:
        """The queued resource as it is answered, None when there is none. Google's errors pass."""
        try:
            return await self._rest.call(TPU, "GET", path_of(self._rest.project, zone, QUEUED, name), doing=doing)
        except google_errors.NotFound:
            return None

    async def _place(self, leave: Authorised, order: CapacityOrder, body: dict[str, Any], doing: str) -> Placement | Refusal:
        """The create itself. A repeat of one that the zone refused is answered with that refusal."""
        path = f"{zone_path(self._rest.project, order.zone.name)}/{QUEUED}"
        query = {"queuedResourceId": order.name, "requestId": create_id(order, leave)}
        operation = operation_from(await self._rest.call(TPU, "POST", path, query=query, body=body, doing=doing))
        return operation.refusal or Placement(operation=operation)

    async def _adopt_after_conflict(self, leave: Authorised, order: CapacityOrder) -> Placement:
        """The name is taken: by a request that came between look and create, or by a machine without one."""
        zone = order.zone.name
        standing = await self.request(zone, order.name)
        if standing is not None:
            return _adopted(leave, order, standing)
        machine = await self._machines.machine(zone, order.machine)
        if machine is None:
            raise RetryLater(f"{order.name} in {zone} was there a moment ago and is gone.", arrived=False, next_step="Try again.")
        raise _taken(f"The machine {order.machine} in {zone}", machine.labels)


def _adopted(leave: Authorised, order: CapacityOrder, standing: CapacityRequest) -> Placement:
    """What stands there, when it is what this order would have made; else RefusedError names whose it is."""
    same = standing.machine == order.machine and standing.accelerator == order.piece.name
    if not (same and is_this_work(standing.labels, order, leave)):
        raise _taken(f"The request {standing.name} in {standing.zone.name}", standing.labels)
    return Placement(request=standing)


def _taken(what: str, labels: dict[str, str]) -> RefusedError:
    return RefusedError(f"{what} exists already and belongs to {whose(labels)}.", next_step="Use another name, or ask its owner.")
