"""Reads the JSON that vLLM answers with. What others sent is checked, and what is not understood is None."""

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.nouns import ServedModel


class _Listed(BaseModel):
    """One entry of /v1/models; other fields do not matter here."""

    model_config = ConfigDict(strict=True)
    id: str
    root: str | None = None
    max_model_len: int | None = None


class _Models(BaseModel):
    """The body of /v1/models."""

    model_config = ConfigDict(strict=True)
    data: list[_Listed]


class _Version(BaseModel):
    """The body of /version."""

    model_config = ConfigDict(strict=True)
    version: str


def listed_models(body: bytes) -> tuple[ServedModel, ...] | None:
    """The models of a /v1/models body, in its order; None when it is not such a body."""
    try:
        listed = _Models.model_validate_json(body).data
    except ValidationError:
        return None
    return tuple(ServedModel(id=entry.id, root=entry.root, context=entry.max_model_len) for entry in listed)


def said_version(body: bytes) -> str | None:
    """The version of a /version body such as 0.32.0; None when it does not say."""
    try:
        return _Version.model_validate_json(body).version or None
    except ValidationError:
        return None
