"""What all nouns share: they are frozen, refuse unknown fields and turn into JSON and back without loss."""

from pydantic import BaseModel, ConfigDict


class Noun(BaseModel):
    """A frozen value. Equality is by content; change is `value.model_copy(update=...)`."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
