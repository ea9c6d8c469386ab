"""Who is told of an incident: which channels, else whom. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.nouns import Deployment, Handling, Watch
from bot.operations.machine_owner import USER

URGENT = frozenset({Watch.DOWN, Watch.LOST})
"""What somebody should get up for: it names the on-call group."""


@dataclass(frozen=True)
class Told:
    """Channels by their ids, else people who get a direct message. Neither: it only stands in `status` and `incidents`."""

    channels: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def told(
    found: Handling,
    deployment: Deployment | None,
    watches: Mapping[tuple[str, Watch], bool],
    fallback: str | None,
    *,
    quiet: bool = False,
) -> Told:
    """The channels that watch this kind; without one the deployment's own, else the configured `fallback`, where these did not
    switch it off; else the owner. `quiet`: nobody uses it lately, so its owner is told and no channel is disturbed, except one
    that watches this on purpose."""
    kind = found.incident.kind
    chosen = tuple(sorted(channel for (channel, one), on in watches.items() if one is kind and on))
    if chosen:
        return Told(channels=chosen)
    usual = deployment.channels if deployment is not None and deployment.channels else (fallback,) if fallback else ()
    heard = tuple(one for one in usual if watches.get((one, kind), True))
    owner = found.incident.owner or (deployment.owner if deployment is not None else None)
    people = (owner,) if owner is not None and USER.fullmatch(owner) else ()
    if heard and not (quiet and people):
        return Told(channels=heard)
    return Told() if usual and not heard else Told(people=people)
