"""TPU machines (nodes): looked at, started, stopped, deleted, given metadata; and what they tell of themselves."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.api_core import exceptions as google_errors

from bot.cloud.apis import TPU
from bot.cloud.order_body import SSH_KEYS, check_metadata, check_ssh_key
from bot.cloud.ownership import require_ours
from bot.cloud.refusals import told
from bot.cloud.resource import NODES, machine_from, operation_from, path_of
from bot.cloud.rest import GoogleRest
from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import CloudOperation, Machine, MachineState
from bot.ports import Authorised

PAUSES_S = (0.5, 1.0, 2.0, 4.0)
"""Between tries to change metadata while another change of the same machine runs (HTTP 409)."""

_Change = Callable[[Mapping[str, str]], dict[str, str]]


class TpuMachines:
    """Implements `bot.ports.Machines` over REST v2alpha1."""

    def __init__(self, rest: GoogleRest, *, pauses_s: Sequence[float] = PAUSES_S) -> None:
        """Share the connections; whoever made `rest` closes it."""
        self._rest = rest
        self._pauses_s = tuple(pauses_s)

    async def machine(self, zone: str, name: str) -> Machine | None:
        """See `bot.ports.Machines.machine`."""
        found = await self._look(zone, name)
        return None if found is None else machine_from(found)

    async def start(self, leave: Authorised, zone: str, name: str) -> CloudOperation | None:
        """See `bot.ports.Machines.start`."""
        found = await self._held(leave, zone, name)
        if machine_from(found).state in {MachineState.READY, MachineState.CREATING}:
            return None
        return await self._switch(zone, name, "start", "starting")

    async def stop(self, leave: Authorised, zone: str, name: str) -> CloudOperation | None:
        """See `bot.ports.Machines.stop`."""
        found = await self._held(leave, zone, name)
        if machine_from(found).state is MachineState.STOPPED:
            return None
        return await self._switch(zone, name, "stop", "stopping")

    async def delete(self, leave: Authorised, zone: str, name: str) -> bool:
        """See `bot.ports.Machines.delete`."""
        found = await self.machine(zone, name)
        if found is None:
            return False
        require_ours(f"{name} in {zone}", found.labels, leave)
        if found.state is MachineState.ENDING:
            return True
        doing = f"deleting {name} in {zone}"
        try:
            await self._rest.call(TPU, "DELETE", self._path(zone, name), doing=doing)
        except (google_errors.NotFound, google_errors.FailedPrecondition) as error:
            found = await self.machine(zone, name)
            if found is not None and found.state is not MachineState.ENDING:
                raise told(error, doing, self._rest.project, TPU) from error
            return found is not None
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, TPU) from error
        return True

    async def set_metadata(
        self, leave: Authorised, zone: str, name: str, values: Mapping[str, str | None]
    ) -> CloudOperation | None:
        """See `bot.ports.Machines.set_metadata`."""
        check_metadata({key: value for key, value in values.items() if value is not None})

        def change(before: Mapping[str, str]) -> dict[str, str]:
            kept = {key: value for key, value in before.items() if key not in values}
            return kept | {key: value for key, value in values.items() if value is not None}

        return await self._rewrite(leave, zone, name, change)

    async def add_ssh_key(self, leave: Authorised, zone: str, name: str, line: str) -> CloudOperation | None:
        """See `bot.ports.Machines.add_ssh_key`."""
        check_ssh_key(line)

        def change(before: Mapping[str, str]) -> dict[str, str]:
            lines = before.get(SSH_KEYS, "").splitlines()
            return dict(before) if line in lines else {**before, SSH_KEYS: "\n".join([*lines, line])}

        return await self._rewrite(leave, zone, name, change)

    async def guest_attributes(self, zone: str, name: str, path: str = "") -> dict[str, str]:
        """See `bot.ports.Machines.guest_attributes`."""
        doing = f"reading what {name} in {zone} tells of itself"
        body = {"queryPath": path, "workerIds": ["0"]}
        try:
            answer = await self._rest.call(TPU, "POST", f"{self._path(zone, name)}:getGuestAttributes", body=body, doing=doing)
        except google_errors.NotFound:
            return {}
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, TPU) from error
        return _attributes(answer)

    async def _rewrite(self, leave: Authorised, zone: str, name: str, change: _Change) -> CloudOperation | None:
        """Read, change, write; anew when another change of the machine runs, for an update replaces the whole map."""
        doing = f"changing the metadata of {name} in {zone}"
        for pause in (*self._pauses_s, None):
            before = _texts((await self._held(leave, zone, name)).get("metadata"))
            after = change(before)
            if after == before:
                return None
            query, body = {"updateMask": "metadata"}, {"metadata": after}
            try:
                return operation_from(
                    await self._rest.call(TPU, "PATCH", self._path(zone, name), query=query, body=body, doing=doing)
                )
            except (google_errors.Aborted, google_errors.AlreadyExists):
                if pause is not None:
                    await asyncio.sleep(pause)
            except google_errors.GoogleAPICallError as error:
                raise told(error, doing, self._rest.project, TPU) from None  # its words may repeat what was sent
        raise RetryLater(
            f"Another change of {name} in {zone} has not ended yet.", arrived=False, next_step="Try again in a minute."
        )

    async def _held(self, leave: Authorised, zone: str, name: str) -> dict[str, Any]:
        """The machine as it is answered, after a look whose it is. PersonMovesNext when it is gone."""
        found = await self._look(zone, name)
        if found is None:
            raise PersonMovesNext(f"There is no machine {name} in {zone} any more.", next_step="Look at the list: machines.")
        require_ours(f"{name} in {zone}", machine_from(found).labels, leave)
        return found

    async def _switch(self, zone: str, name: str, verb: str, doing: str) -> CloudOperation:
        path = f"{self._path(zone, name)}:{verb}"
        return operation_from(await self._rest.ask(TPU, "POST", path, body={}, doing=f"{doing} {name} in {zone}"))

    async def _look(self, zone: str, name: str) -> dict[str, Any] | None:
        doing = f"looking at {name} in {zone}"
        try:
            return await self._rest.call(TPU, "GET", self._path(zone, name), doing=doing)
        except google_errors.NotFound:
            return None
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, TPU) from error

    def _path(self, zone: str, name: str) -> str:
        return path_of(self._rest.project, zone, NODES, name)


def _texts(found: object) -> dict[str, str]:
    """A map of texts, whatever else stood there."""
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, Mapping) else {}


def _attributes(answer: Mapping[str, Any]) -> dict[str, str]:
    """ "namespace/key" -> value of the first worker that answered."""
    for worker in answer.get("guestAttributes", ()):
        items = worker.get("queryValue", {}).get("items", ())
        return {f"{item.get('namespace', '')}/{item.get('key', '')}".lstrip("/"): str(item.get("value", "")) for item in items}
    return {}
