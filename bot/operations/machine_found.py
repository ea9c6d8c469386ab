"""What `machine` finds about one machine or request."""

from datetime import datetime

from pydantic import BaseModel

from bot.nouns import ProvisioningModel, Quantity


class Found(BaseModel):
    """What is known of it; None is unknown. Metadata is never read: start-up scripts hold tokens.

    `ends_at` is the end that is recorded for the deployment which it serves, or for the machine itself.
    `request_error` is the cloud's own words.
    """

    name: str
    zone: str
    machine_state: str | None
    request: str | None
    request_state: str | None
    request_error: str | None
    health: str | None
    address: str | None
    accelerator: str | None
    provisioning: ProvisioningModel | None
    created_at: datetime | None
    ours: bool
    owner: str | None
    deployment: str | None
    usd_per_hour: Quantity | None
    ends_at: datetime | None
    at: datetime
