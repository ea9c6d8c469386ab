"""What `health` finds."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from bot.nouns import Quantity
from bot.operations.health_probes import Probe


class Mark(StrEnum):
    """How a probe went, in words for people."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    SILENT = "no answer"
    NOT_ASKED = "not asked"


class Asked(BaseModel):
    """One probe. `took` is the time to the whole answer, `first_token` to the first text of a stream; `why` what went wrong."""

    probe: Probe
    mark: Mark
    took: Quantity | None = None
    first_token: Quantity | None = None
    why: str = ""


class Health(BaseModel):
    """All probes of one deployment, in the order in which they were asked."""

    deployment: str
    model: str
    at: datetime
    probes: tuple[Asked, ...]
