"""The Cloud port over Google's TPU API (google.cloud.tpu.v2alpha1): what exists, in all zones at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import grpc
from google.api_core import exceptions as google_errors
from google.api_core.retry_async import AsyncRetry
from google.auth import exceptions as auth_errors
from google.auth.credentials import Credentials
from google.cloud import tpu_v2alpha1 as tpu
from google.cloud.location import locations_pb2
from google.cloud.tpu_v2alpha1.services.tpu.transports import TpuGrpcAsyncIOTransport

from bot.cloud.channel import TPU_API, open_channel
from bot.cloud.refusals import reason, told
from bot.cloud.translation import machine_of, request_of
from bot.errors import BotError, PersonMovesNext
from bot.nouns import CapacityRequest, Fleet, Machine
from bot.ports import Clock

DEADLINE_S = 5.0
ZONES_AT_ONCE = 48
"""Two lists a zone then fit the 100 streams that HTTP/2 servers usually allow on one connection (RFC 9113, 6.5.2)."""
RETRY_FOR_S = 2.0
PAGE_SIZE = 500

_TROUBLE = (google_errors.GoogleAPICallError, google_errors.RetryError, auth_errors.GoogleAuthError, TimeoutError)


@dataclass
class _ZoneAnswer:
    """What one zone said: its machines and requests as far as they came, and why the rest did not."""

    zone: str
    machines: list[Machine] = field(default_factory=list)
    requests: list[CapacityRequest] = field(default_factory=list)
    unreachable: dict[str, str] = field(default_factory=dict)
    errors: list[BotError] = field(default_factory=list)
    answered: bool = False


class TpuCloud:
    """TPU capacity of one project. Make it with `open` inside the running loop and close it with `aclose` or `async with`."""

    def __init__(
        self,
        project: str,
        channel: grpc.aio.Channel,
        clock: Clock,
        *,
        zones: tuple[str, ...] | None = None,
        deadline_s: float = DEADLINE_S,
        page_size: int = PAGE_SIZE,
    ) -> None:
        """Own the channel; `zones` None means: those that Google lists. `deadline_s` holds for each zone."""
        self._project = project
        self._channel = channel
        self._client = tpu.TpuAsyncClient(transport=TpuGrpcAsyncIOTransport(channel=channel))
        self._clock = clock
        self._zones = zones
        self._deadline_s = deadline_s
        self._page_size = page_size
        self._retry = AsyncRetry(
            predicate=_is_passing, initial=0.1, maximum=1.0, multiplier=2.0, timeout=min(RETRY_FOR_S, deadline_s)
        )

    @classmethod
    async def open(
        cls,
        project: str,
        *,
        clock: Clock,
        address: str = TPU_API,
        credentials: Credentials | None = None,
        zones: tuple[str, ...] | None = None,
        deadline_s: float = DEADLINE_S,
        page_size: int = PAGE_SIZE,
    ) -> Self:
        """A client for `project`. No call is made yet. Errors as in `bot.cloud.channel.open_channel`."""
        channel = await open_channel(address, credentials)
        return cls(project, channel, clock, zones=zones, deadline_s=deadline_s, page_size=page_size)

    async def aclose(self) -> None:
        """Close the channel; calls that still run are cancelled."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        """The cloud itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the channel."""
        await self.aclose()

    async def zones(self) -> tuple[str, ...]:
        """See `bot.ports.Cloud.zones`: the configured zones, or those that Google lists, in order of name."""
        if self._zones is not None:
            return self._zones
        doing = f"listing the zones of project {self._project}"
        try:
            async with asyncio.timeout(self._deadline_s):
                return tuple(sorted(await self._listed_zones()))
        except _TROUBLE as error:
            raise told(error, doing, self._project) from error

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        """See `bot.ports.Cloud.fleet`."""
        asked = tuple(dict.fromkeys(zones)) if zones is not None else await self.zones()
        turn = asyncio.Semaphore(ZONES_AT_ONCE)
        answers = await asyncio.gather(*(self._ask_in_turn(zone, turn) for zone in asked))
        if answers and not any(answer.answered for answer in answers):
            raise _weightiest([error for answer in answers for error in answer.errors])
        return Fleet(
            at=self._clock.now(),
            machines=tuple(machine for answer in answers for machine in answer.machines),
            requests=tuple(request for answer in answers for request in answer.requests),
            unreachable={zone: why for answer in answers for zone, why in answer.unreachable.items()},
            zones_asked=len(asked),
        )

    async def _listed_zones(self) -> list[str]:
        """All pages of ListLocations."""
        names: list[str] = []
        token = ""
        while True:
            page = await self._client.list_locations(
                locations_pb2.ListLocationsRequest(name=f"projects/{self._project}", page_size=self._page_size, page_token=token),
                retry=self._retry,
                timeout=self._deadline_s,
            )
            names.extend(location.location_id for location in page.locations)
            token = page.next_page_token
            if not token:
                return names

    async def _ask_in_turn(self, zone: str, turn: asyncio.Semaphore) -> _ZoneAnswer:
        """Ask one zone for both lists at once; the deadline starts when its turn comes."""
        answer = _ZoneAnswer(zone)
        async with turn:
            await asyncio.gather(
                self._take(answer, "machines", lambda: self._list_machines(answer)),
                self._take(answer, "capacity requests", lambda: self._list_requests(answer)),
            )
        return answer

    async def _take(self, answer: _ZoneAnswer, what: str, listing: Callable[[], Awaitable[None]]) -> None:
        """Run one listing under the zone's deadline; its trouble is written down beside what came before it.

        ValueError: an answer that our nouns cannot hold costs that list, not the fleet.
        """
        try:
            async with asyncio.timeout(self._deadline_s):
                await listing()
            answer.answered = True
        except (*_TROUBLE, ValueError) as error:
            trouble = told(error, f"listing {what} in {answer.zone}", self._project)
            answer.errors.append(trouble)
            answer.unreachable.setdefault(answer.zone, reason(trouble, answer.zone))

    async def _list_machines(self, answer: _ZoneAnswer) -> None:
        """All pages of ListNodes."""
        parent = f"projects/{self._project}/locations/{answer.zone}"
        request = tpu.ListNodesRequest(parent=parent, page_size=self._page_size)
        pager = await self._client.list_nodes(request, retry=self._retry, timeout=self._deadline_s)
        async for page in pager.pages:
            answer.machines.extend(machine_of(node) for node in page.nodes)
            _note_unreachable(answer, page.unreachable)

    async def _list_requests(self, answer: _ZoneAnswer) -> None:
        """All pages of ListQueuedResources."""
        parent = f"projects/{self._project}/locations/{answer.zone}"
        request = tpu.ListQueuedResourcesRequest(parent=parent, page_size=self._page_size)
        pager = await self._client.list_queued_resources(request, retry=self._retry, timeout=self._deadline_s)
        async for page in pager.pages:
            answer.requests.extend(request_of(queued) for queued in page.queued_resources)
            _note_unreachable(answer, page.unreachable)


def _is_passing(error: Exception) -> bool:
    """Only an outage is worth a second try within the deadline; quotas and refusals are answers."""
    return isinstance(error, google_errors.ServiceUnavailable) and "from plugin failed" not in error.message


def _note_unreachable(answer: _ZoneAnswer, places: Sequence[str]) -> None:
    """Google answers with what it has and names the places that it could not ask; they are not "none there"."""
    for place in places:
        answer.unreachable.setdefault(place.rpartition("/")[2], "Google could not ask this zone itself and listed what it had")


def _weightiest(errors: list[BotError]) -> BotError:
    """The error to raise when no zone answered: one that a person can put right goes before one that may pass."""
    return next((error for error in errors if isinstance(error, PersonMovesNext)), errors[0])
