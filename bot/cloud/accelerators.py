"""Which zone has which slice at all: the hardware, whatever quota and capacity say (ListAcceleratorTypes, REST v2alpha1)."""

import asyncio
from collections.abc import Sequence

from google.api_core import exceptions as google_errors

from bot.cloud.apis import TPU_VIEW
from bot.cloud.refusals import told
from bot.cloud.resource import refusal_of_error, zone_path
from bot.cloud.rest import GoogleRest
from bot.errors import BotError
from bot.nouns import RefusalKind, Slice

ZONES_AT_ONCE = 48
DEADLINE_S = 5.0


class AcceleratorTypes:
    """Implements `bot.ports.Hardware`."""

    def __init__(self, rest: GoogleRest, *, deadline_s: float = DEADLINE_S) -> None:
        """Share the connections; `deadline_s` holds for each zone from when its turn comes."""
        self._rest = rest
        self._deadline_s = deadline_s

    async def offered(self, piece: Slice, zones: Sequence[str]) -> dict[str, bool | None]:
        """See `bot.ports.Hardware.offered`. Raises the last error when no zone at all could be asked."""
        turn = asyncio.Semaphore(ZONES_AT_ONCE)
        asked = tuple(dict.fromkeys(zones))
        answers = await asyncio.gather(*(self._in_turn(piece, zone, turn) for zone in asked))
        errors = [answer for answer in answers if isinstance(answer, BotError)]
        if errors and len(errors) == len(answers):
            raise errors[-1]
        return {zone: None if isinstance(answer, BotError) else answer for zone, answer in zip(asked, answers, strict=True)}

    async def _in_turn(self, piece: Slice, zone: str, turn: asyncio.Semaphore) -> bool | BotError | None:
        async with turn:
            try:
                return await self._ask(piece, zone)
            except BotError as error:
                return error

    async def _ask(self, piece: Slice, zone: str) -> bool | None:
        """The server filters by the exact name. A zone that Google could not ask itself is unknown, not empty."""
        path = f"{zone_path(self._rest.project, zone)}/acceleratorTypes"
        query = {"filter": f'type="{piece.name}"', "pageSize": "100"}
        doing = f"looking for {piece.name} in {zone}"
        try:
            answer = await self._rest.call(TPU_VIEW, "GET", path, query=query, doing=doing, deadline_s=self._deadline_s)
        except google_errors.GoogleAPICallError as error:
            if refusal_of_error(error).kind is RefusalKind.UNSUPPORTED_ZONE:
                return False
            raise told(error, doing, self._rest.project, TPU_VIEW) from error
        if any(kind.get("type") == piece.name for kind in answer.get("acceleratorTypes", ())):
            return True
        return None if answer.get("unreachable") else False
