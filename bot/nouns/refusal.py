"""Why a cloud would not give capacity, in kinds that live for different times."""

from enum import StrEnum

from bot.nouns.base import Noun


class RefusalKind(StrEnum):
    """What stood in the way. Zone, slice and model hold for weeks, a quota for hours, a stockout for minutes, a rate for one."""

    UNSUPPORTED_ZONE = "unsupported_zone"
    NO_SUCH_SLICE = "no_such_slice"
    MODEL_REFUSED = "model_refused"
    QUOTA = "quota"
    STOCKOUT = "stockout"
    RATE = "rate"
    PERMISSION = "permission"
    OTHER = "other"


class Refusal(Noun):
    """One refusal: its kind, the cloud's own words on one line, and its support id ("0x1a2b…") when it gave one."""

    kind: RefusalKind
    text: str
    eid: str | None = None
