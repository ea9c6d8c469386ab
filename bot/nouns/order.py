"""What is ordered of a cloud: one machine, with all that must be known before the first call."""

import hashlib
from enum import StrEnum

from pydantic import Field

from bot.nouns.base import Noun
from bot.nouns.machine import CapacityRequest, Slice, Zone
from bot.nouns.people import Actor
from bot.nouns.price import ProvisioningModel
from bot.nouns.refusal import Refusal

_NAME = r"^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$"
"""RFC 1035, as Google applies it to names of machines and requests."""
_LABEL = r"^[a-z0-9_-]{1,63}$"
"""A label's value (Google Cloud, "Labels overview"); an empty one says nothing, so it is refused here."""


class Exposure(StrEnum):
    """Which addresses a machine gets. One without an external address needs Cloud NAT to fetch images and weights."""

    INTERNAL = "internal"
    EXTERNAL = "external"


class CapacityOrder(Noun):
    """One machine to ask for. The same order sent twice with the same work id makes one request for capacity, not two.

    `name` and `machine` are the names of the request and of the machine it makes; `attempt` counts deliberate repeats in one zone
    after a refusal, for a repeat under the same number is answered with the first one's answer.
    `wait_s` is how long it may wait for capacity (None: for ever), `run_s` how long a flex-start machine runs; other kinds never
    end by themselves and take none. `startup_script` runs as root at each boot, and anybody who can look at the machine can
    read it: no secret belongs in it.
    """

    name: str = Field(pattern=_NAME)
    machine: str = Field(pattern=_NAME)
    zone: Zone
    piece: Slice
    provisioning: ProvisioningModel
    deployment: str = Field(pattern=_LABEL)
    owner: Actor
    wait_s: int | None = Field(default=None, gt=0)
    run_s: int | None = Field(default=None, gt=0)
    attempt: int = Field(default=1, ge=1)
    exposure: Exposure = Exposure.INTERNAL
    network: str = "default"
    subnetwork: str | None = None
    service_account: str | None = None
    tags: tuple[str, ...] = ()
    ssh_keys: tuple[str, ...] = ()
    startup_script: str = ""


class CloudOperation(Noun):
    """A change that a cloud began. `done` says whether it has ended, `refusal` why it came to nothing."""

    name: str
    done: bool
    refusal: Refusal | None = None


class Placement(Noun):
    """An order that was taken: `operation` when it was placed now, `request` when it stood there already and was adopted."""

    operation: CloudOperation | None = None
    request: CapacityRequest | None = None


def owner_label(owner: Actor) -> str:
    """Sixteen characters that stand for a person on a label: who can read labels need not learn Slack ids."""
    return hashlib.sha256(f"{owner.team_id}:{owner.user_id}".encode()).hexdigest()[:16]
