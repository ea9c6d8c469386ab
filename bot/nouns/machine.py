"""TPU capacity: what was asked for and what runs. No field exists that only one of Google's two TPU interfaces has."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from bot.nouns.base import Noun
from bot.nouns.price import ProvisioningModel
from bot.nouns.refusal import Refusal


class Slice(Noun):
    """A TPU slice by its field name, for instance v6e-4: generation "v6e", 4 chips. v5p names count cores: v5p-8 is 4 chips."""

    name: str
    generation: str
    chips: int


class Zone(Noun):
    """One Google Cloud zone, for instance us-east5-a in the region us-east5."""

    name: str

    @property
    def region(self) -> str:
        """The zone's name without its last part."""
        return self.name.rpartition("-")[0]


class MachineState(StrEnum):
    """Where a machine stands, in words that hold for every backend."""

    CREATING = "creating"
    READY = "ready"
    STOPPED = "stopped"
    REPAIRING = "repairing"
    ENDING = "ending"
    LOST = "lost"
    UNKNOWN = "unknown"


class RequestState(StrEnum):
    """Where a request for capacity stands. WAITING for hours is normal; FAILED, SUSPENDED and DELETING are ends."""

    CREATING = "creating"
    WAITING = "waiting"
    PROVISIONING = "provisioning"
    ACTIVE = "active"
    FAILED = "failed"
    SUSPENDING = "suspending"
    SUSPENDED = "suspended"
    DELETING = "deleting"
    UNKNOWN = "unknown"


class Machine(Noun):
    """One TPU machine that exists. `health` is the backend's own word or None; `labels` are ours and others'.

    `ends_at` is when the cloud itself ends it; None when it does not say, which is not "never". `endpoint_port` is the port that
    it tells beside the address: that of the TPU runtime on real machines, not SSH's. `number` is the cloud's own id of it, which
    stands in logs where a name would be expected.
    """

    backend: str
    name: str
    zone: Zone
    state: MachineState
    accelerator: str | None
    health: str | None = None
    address: str | None = None
    endpoint_port: int | None = None
    number: str | None = None
    created_at: datetime | None = None
    ends_at: datetime | None = None
    provisioning: ProvisioningModel | None = None
    labels: dict[str, str] = Field(default_factory=dict)


class CapacityRequest(Noun):
    """One request for capacity (a queued resource on the TPU API). `machine` names what it makes or made.

    `error` is why it failed in the cloud's words, `refusal` the same with its kind; both None unless it failed and said why.
    `run_s` is how long its machine runs before the cloud ends it; None when it does not say.
    """

    backend: str
    name: str
    zone: Zone
    state: RequestState
    machine: str | None
    accelerator: str | None
    created_at: datetime | None = None
    provisioning: ProvisioningModel | None = None
    run_s: int | None = None
    error: str | None = None
    refusal: Refusal | None = None
    labels: dict[str, str] = Field(default_factory=dict)


class Fleet(Noun):
    """All capacity seen at one moment, and the zones that could not be asked (name -> reason in plain words)."""

    at: datetime
    machines: tuple[Machine, ...]
    requests: tuple[CapacityRequest, ...]
    unreachable: dict[str, str] = Field(default_factory=dict)
    zones_asked: int = 0
