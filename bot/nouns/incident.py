"""Something that is wrong and that people are told of: what, of which thing, since when; and who sees to it."""

from datetime import datetime
from enum import StrEnum

from bot.nouns.base import Noun
from bot.nouns.price import ProvisioningModel
from bot.nouns.quantity import Quantity


class Watch(StrEnum):
    """What is watched."""

    DOWN = "down"
    LOST = "lost"
    LEASE = "lease"
    IDLE = "idle"
    ORPHAN = "orphan"


class Incident(Noun):
    """One thing that went wrong. `subject` is what people call it: a deployment or a machine.

    `id` follows from what it is and when it began (`bot.operations.incident_rules.identified`), so that whoever sees it first
    names it as everybody else does. `ends_at` is when a lease ends; `because` what more was learnt, in words.
    """

    v: int = 1
    id: str
    kind: Watch
    subject: str
    since: datetime
    deployment: str | None = None
    machine: str | None = None
    zone: str | None = None
    accelerator: str | None = None
    provisioning: ProvisioningModel | None = None
    usd_per_hour: Quantity | None = None
    ends_at: datetime | None = None
    owner: str | None = None
    because: str = ""


class Handling(Noun):
    """An incident with what became of it. `snoozed_until` may be over; `how` says how it was resolved."""

    incident: Incident
    taken_by: str | None = None
    taken_at: datetime | None = None
    snoozed_by: str | None = None
    snoozed_until: datetime | None = None
    fact: str = ""
    resolved_at: datetime | None = None
    how: str = ""


class Sighting(Noun):
    """A machine as it was seen last. `missed_since` is the first of the `missed` looks in a row that did not find it running."""

    v: int = 1
    name: str
    zone: str
    at: datetime
    deployment: str | None = None
    accelerator: str | None = None
    provisioning: ProvisioningModel | None = None
    owner: str | None = None
    missed_since: datetime | None = None
    missed: int = 0
