"""One serving of Gemma 4 that people know by a name."""

from datetime import datetime

from pydantic import Field

from bot.nouns.base import Noun


class Deployment(Noun):
    """What is wanted and known of one serving. `None` means: not known or not connected, never "none there".

    `context` is the wanted context length in tokens; `ends_at` the aware time at which the machine is given back;
    `channels` are the ids of the only channels it may be changed from, empty for all;
    `origin` says where this record stands ("settings", "deployments.toml", "store"); `address_before` is the address before this
    one.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")
    base_url: str | None = None
    model_id: str | None = None
    accelerator: str | None = None
    zone: str | None = None
    machine: str | None = None
    image: str | None = None
    context: int | None = None
    owner: str | None = None
    ends_at: datetime | None = None
    origin: str = "settings"
    channels: tuple[str, ...] = ()
    address_before: str | None = None
