"""What `cost` found out."""

from datetime import datetime

from pydantic import BaseModel, Field

from bot.nouns import Price, ProvisioningModel, Quantity
from bot.serving.catalogue import Verdict


class Part(BaseModel):
    """Machine time of one slice, way of buying, zone and price. `usd` and `usd_per_hour` None: no source states a price."""

    accelerator: str | None
    provisioning: ProvisioningModel | None
    zone: str
    hours: float
    price: Price | None
    usd_per_hour: Quantity | None
    usd: Quantity | None


class DeploymentCost(BaseModel):
    """One deployment's month, or with `deployment` None that of machines of none.

    `usd` sums the priced parts; None when there is none. `unpriced_hours` come on top. Of `hours`, `idle_hours` passed without a
    request; None: it was not seen of any hour. `unknown_hours`: nobody saw whether requests ran. `idle_share` is that of the
    hours for which it is known. `per_million_tokens` is for output tokens, idle time included, while tokens were seen.
    """

    deployment: str | None
    hours: float
    parts: tuple[Part, ...]
    usd: Quantity | None
    unpriced_hours: float
    idle_hours: float | None
    idle_share: float | None
    idle_usd: Quantity | None
    unknown_hours: float
    per_million_tokens: Quantity | None


class MonthSoFar(BaseModel):
    """The month as far as it was looked at. `late` when counting began after the month did.

    `heading_for` is a forecast: the counted time's dollars per hour, to the month's end. `gap_hours` were not looked at, neither
    running nor idle; `unseen_hours` by zone; `over_hours` are machine hours that found no room in the ledger.
    """

    since: datetime
    until: datetime
    late: bool
    deployments: tuple[DeploymentCost, ...]
    usd: Quantity | None
    unpriced_hours: float
    heading_for: Quantity | None
    gap_hours: float
    unseen_hours: dict[str, float]
    over_hours: float


class Instead(BaseModel):
    """`count` slices instead, each serving the model alone. `fit` None: which model is meant is not known.

    `fitting` and `tight` are the models that a slice holds at this `context` in tokens, `shorter` those that it holds at a short
    one only. `usd_per_hour` is for all slices, None with the reason in `unpriced`; `now` what an hour of the deployment costs as
    it ran this month, None when it was not counted. The speed there is unknown.
    """

    count: int
    accelerator: str
    model: str | None
    context: int
    fit: Verdict | None
    why: str | None
    fitting: tuple[str, ...]
    tight: tuple[str, ...]
    shorter: tuple[str, ...] = ()
    zone: str | None
    provisioning: ProvisioningModel
    usd_per_hour: Quantity | None
    unpriced: str | None
    now: Quantity | None


class Cost(BaseModel):
    """`month` None: nothing was counted yet, or there is no ledger; `missing` says what is not connected."""

    deployment: str | None
    at: datetime
    month: MonthSoFar | None
    instead: Instead | None
    machines: dict[str, str] = Field(default_factory=dict)
    """By deployment, the machine that it runs on as recorded."""
    missing: tuple[str, ...] = ()
