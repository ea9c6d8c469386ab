"""How much TPU capacity the project may hold, from Cloud Quotas (REST v1).

Ids and units: Cloud Quotas answers of August 2026 (field notes of xbill9/gemma4-dev). A request spends a zone's quota and its
region's, and both must have room (marin-community/marin issue 1612); flex-start and spot both spend the preemptible one (Google's
flex-start page). v5e has a smaller serving quota beside these (marin issue 6198) whose id is not known: a v5e limit may be
less. Google's flex-start page also says that the standard quota is spent where preemptible quota lacks; the TPU API refused a
preemptible limit of 0 nevertheless (field notes, August 2026), so the preemptible limit is the one shown.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from google.api_core import exceptions as google_errors

from bot.cloud.apis import QUOTAS
from bot.cloud.refusals import told
from bot.cloud.rest import GoogleRest
from bot.nouns import ProvisioningModel, Quota, Slice, Zone
from bot.ports import Clock

SOURCE = "Cloud Quotas"
UNLIMITED = -1
"""How Cloud Quotas writes "no limit" (from memory of its documentation)."""
_SPENT: Mapping[str, tuple[str, str, str]] = {
    "v6e": ("TPUV6EPerProjectPer{}ForTPUAPI", "TPUV6EPreemptiblePerProjectPer{}ForTPUAPI", "chips"),
    "v5e": ("TPUV5sLitepodPerProjectPer{}ForTPUAPI", "TPUV5sPreemptibleLitepodPerProjectPer{}ForTPUAPI", "chips"),
    "v5p": ("TPUV5PPerProjectPer{}ForTPUAPI", "TPUV5PPreemptiblePerProjectPer{}ForTPUAPI", "cores"),
}
"""By generation: the id on demand, the preemptible id, what is counted. {} is Zone or Region. The names do not generalise."""
_PREEMPTIBLE = {ProvisioningModel.ON_DEMAND: 0, ProvisioningModel.FLEX_START: 1, ProvisioningModel.SPOT: 1}


class CloudQuotas:
    """Implements `bot.ports.Quotas`."""

    def __init__(self, rest: GoogleRest, clock: Clock) -> None:
        """Share the connections; whoever made `rest` closes it."""
        self._rest = rest
        self._clock = clock

    async def quotas(self, piece: Slice, provisioning: ProvisioningModel, zones: Sequence[str]) -> dict[str, tuple[Quota, ...]]:
        """See `bot.ports.Quotas.quotas`; two calls, whatever the number of zones."""
        if piece.generation not in _SPENT or provisioning not in _PREEMPTIBLE:
            return dict.fromkeys(zones, ())
        quota_id = _SPENT[piece.generation][_PREEMPTIBLE[provisioning]]
        by_zone, by_region = await asyncio.gather(self._info(quota_id.format("Zone")), self._info(quota_id.format("Region")))
        return {
            zone: (
                self._quota(piece, quota_id.format("Zone"), by_zone, zone, zone),
                self._quota(piece, quota_id.format("Region"), by_region, zone, Zone(name=zone).region),
            )
            for zone in zones
        }

    async def _info(self, quota_id: str) -> dict[str, Any]:
        """One quotaInfo; empty when Cloud Quotas does not know the id, for then the limit is unknown and not nought."""
        path = f"/v1/projects/{self._rest.project}/locations/global/services/tpu.googleapis.com/quotaInfos/{quota_id}"
        doing = "reading the project's TPU quotas"
        try:
            return await self._rest.call(QUOTAS, "GET", path, doing=doing)
        except google_errors.NotFound:
            return {}
        except google_errors.GoogleAPICallError as error:
            raise told(error, doing, self._rest.project, QUOTAS) from error

    def _quota(self, piece: Slice, quota_id: str, info: Mapping[str, Any], zone: str, place: str) -> Quota:
        limit = limit_in(info, {"zone": zone, "region": Zone(name=zone).region}, place)
        return Quota(
            quota_id=quota_id,
            place=place,
            unit=_SPENT[piece.generation][2],
            limit=None if limit == UNLIMITED else limit,
            unlimited=limit == UNLIMITED,
            at=self._clock.now(),
            source=SOURCE,
        )


def units_of(piece: Slice) -> int:
    """What a slice counts against its quota: chips, but cores for v5p, two to a chip."""
    return piece.chips * 2 if piece.generation == "v5p" else piece.chips


def limit_in(info: Mapping[str, Any], where: Mapping[str, str], place: str) -> int | None:
    """The limit that holds at `place`: the entry with most dimensions that all agree with `where`; one without dimensions
    is the default of the places that it lists. None when no entry speaks of this place. -1 is no limit."""
    best: tuple[int, int | None] | None = None
    for entry in info.get("dimensionsInfos", ()):
        dimensions = entry.get("dimensions") or {}
        agrees = all(where.get(name) == value for name, value in dimensions.items())
        named = bool(dimensions) or place in (entry.get("applicableLocations") or ())
        if agrees and named and (best is None or len(dimensions) > best[0]):
            best = (len(dimensions), _value(entry.get("details")))
    return best[1] if best else None


def _value(details: object) -> int | None:
    """int64 comes as text; protobuf's JSON leaves a nought out, so details without a value say 0 and no details say nothing."""
    if not isinstance(details, Mapping):
        return None
    try:
        return int(details.get("value", 0))
    except (TypeError, ValueError):
        return None
