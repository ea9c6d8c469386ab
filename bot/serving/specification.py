"""What is wanted of one serving engine: the single source of its container, its machine's start-up script and `export vm`."""

import hashlib
import json
import re
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from bot.diagnosis.secrets import redact
from bot.errors import UsageError
from bot.nouns import Noun, Slice
from bot.serving import catalogue, slices
from bot.serving.dtypes import short_name
from bot.serving.engine_flags import check_value, read_flags
from bot.serving.gemma import Geometry, find
from bot.serving.layout import DEFAULT_UTILIZATION


class EngineExposure(StrEnum):
    """Who can reach the engine. PRIVATE: its machine's private network, with an API key. LOOPBACK: its machine alone.

    vLLM's key guards /v1 and nothing else: /invocations, /tokenize and /metrics answer everybody who reaches the port (vLLM's
    security guide). So on PRIVATE the firewall decides who is on that network; where others are, choose LOOPBACK and a tunnel.
    """

    PRIVATE = "private"
    LOOPBACK = "loopback"


class CacheType(StrEnum):
    """The number format of the key-value cache."""

    BF16 = "bf16"
    FP8 = "fp8"


_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}", re.ASCII)
_IMAGE = re.compile(
    r"(?=.{1,300}\Z)[a-z0-9][a-z0-9.-]{0,100}(?::[0-9]{1,5}(?=/))?(?:/[a-z0-9][a-z0-9._-]{0,100}){0,6}"
    r"(?P<tag>:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?P<digest>@sha256:[0-9a-f]{64})?",
    re.ASCII,
)
_MOVING = frozenset({"latest", "nightly", "dev", "main", "stable"})
_SECRET = re.compile(r"projects/[a-z0-9][a-z0-9.:-]{2,61}[a-z0-9]/secrets/[A-Za-z0-9_-]{1,255}", re.ASCII)
_ACCOUNT = re.compile(r"[a-z0-9][a-z0-9-]{0,62}@[a-z0-9][a-z0-9.-]{0,120}\.gserviceaccount\.com", re.ASCII)
_VARIABLE = re.compile(
    r"(?:VLLM|JAX|XLA|LIBTPU|TPU)_[A-Z0-9_]{1,60}|USE_BATCHED_RPA_KERNEL|MODEL_IMPL_TYPE|NUM_PRECOMPILE_WORKERS|SKIP_JAX_PRECOMPILE",
    re.ASCII,
)
_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL")


def _matching(pattern: re.Pattern[str], what: str, example: str) -> BeforeValidator:
    """A check that tells a person what is wrong, and repeats what was written only when that is no secret."""

    def check(value: object) -> object:
        if isinstance(value, str) and not pattern.fullmatch(value):
            said = "" if redact(value).found or not value.isprintable() else f", not {value[:60]!r}"
            raise UsageError(f"{what} is written like {example}{said}.", usage=example)
        return value

    return BeforeValidator(check)


def _no_secret(value: str) -> str:
    """The value itself; what reads names repeats unknown ones in its errors, so secrets stop here."""
    if redact(value).found:
        raise UsageError("That looks like a secret. I did not keep it.", next_step="Secrets are stored with `/gemma token`.")
    return value


def _repository(value: object) -> object:
    """A model's Hugging Face id; "31B" and other short names become Google's own repository."""
    if not isinstance(value, str):
        return value
    said = _no_secret(value)
    return said if _MODEL.fullmatch(said) else find(said).repository


def _slice(value: object) -> object:
    return slices.parse(_no_secret(value)) if isinstance(value, str) else value


def _cache(value: object) -> object:
    return short_name(_no_secret(value)) if isinstance(value, str) else value


def _pinned(value: object) -> object:
    """An image whose content cannot change under its name, as far as its tag says."""
    match = _IMAGE.fullmatch(_no_secret(value)) if isinstance(value, str) else None
    if match is None:
        raise UsageError(
            "An image is written like vllm/vllm-tpu:v0.26.0 or vllm/vllm-tpu@sha256:….", usage="image=vllm/vllm-tpu:v0.26.0"
        )
    if match["digest"] is None and (match["tag"] is None or match["tag"][1:].lower() in _MOVING):
        raise UsageError(
            "This image name moves: tomorrow it may be another engine.", next_step="Name a version or a digest, such as :v0.26.0."
        )
    return value


class EngineSpecification(Noun):
    """One engine as it is wanted. No field can hold a secret: tokens and keys are named by their place in Secret Manager.

    `deployment` is its name for people; `model` a Hugging Face id; `image` a pinned tag or digest; `piece` the slice (one
    machine); `context` in tokens; `utilization` the share 0..1 of a chip's memory; `flags` more arguments of `vllm serve`
    (allow-listed); `environment` variables of vLLM, JAX and libtpu; `hf_token_secret` and `api_key_secret` like
    projects/P/secrets/NAME; `restarts` how often docker starts a crashed engine again before it stays down. Errors are
    UsageErrors for people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    deployment: Annotated[str, _matching(re.compile(r"[a-z][a-z0-9-]{0,39}"), "A deployment's name", "prod-2")]
    model: Annotated[str, BeforeValidator(_repository)]
    image: Annotated[str, BeforeValidator(_pinned)]
    piece: Annotated[Slice, BeforeValidator(_slice)]
    context: int = Field(gt=0, le=1_048_576)
    cache: Annotated[CacheType, BeforeValidator(_cache)] = CacheType.BF16
    utilization: float = Field(default=DEFAULT_UTILIZATION, ge=0.5, le=0.99)
    flags: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    port: int = Field(default=8000, ge=1024, le=65_535)
    exposure: EngineExposure = EngineExposure.PRIVATE
    hf_token_secret: Annotated[str | None, _matching(_SECRET, "A secret's place", "projects/my-project/secrets/hf-token")] = None
    api_key_secret: Annotated[str | None, _matching(_SECRET, "A secret's place", "projects/my-project/secrets/key")] = None
    service_account: Annotated[
        str | None, _matching(_ACCOUNT, "A service account", "engine@my-project.iam.gserviceaccount.com")
    ] = None
    restarts: int = Field(default=3, ge=0, le=10)

    @model_validator(mode="after")
    def _whole(self) -> "EngineSpecification":
        """What only the whole can tell: the model is known, flags and variables are allowed, nobody serves without a key."""
        find(self.model)
        read_flags(self.flags)
        for name, value in self.environment.items():
            _check_variable(name, value)
        if slices.hosts(self.piece) > 1:
            raise UsageError(f"{self.piece.name} is {slices.hosts(self.piece)} machines; one container serves one machine.")
        if self.exposure is EngineExposure.PRIVATE and self.api_key_secret is None:
            raise UsageError(
                "An engine on the private network needs an API key.",
                next_step="Store one with `/gemma token`, or choose exposure=loopback.",
            )
        return self

    @property
    def geometry(self) -> Geometry:
        """The model's shape; of a quantised copy that of the original."""
        return find(self.model)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What `vllm serve` is given, the model first."""
        made = catalogue.flags(self.geometry, self.piece, self.context, self.cache.value, self.utilization)
        host = "0.0.0.0" if self.exposure is EngineExposure.PRIVATE else "127.0.0.1"  # noqa: S104 a machine without public address, behind an API key
        extra = tuple(word for flag in read_flags(self.flags) for word in flag.words)
        return (self.model, *made[1:], "--host", host, "--port", str(self.port), *extra)

    @property
    def fingerprint(self) -> str:
        """Sixteen characters that differ when anything that reaches the container differs."""
        told: dict[str, Any] = self.model_dump(mode="json", exclude={"service_account"})
        text = json.dumps([told, self.arguments], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _check_variable(name: str, value: str) -> None:
    if not _VARIABLE.fullmatch(name) or _SECRET_NAME.search(name):
        shown = name[:40] if name.isprintable() and not redact(name).found else "that"
        raise UsageError(
            f"I do not set the variable {shown} on an engine.", usage="VLLM_…, JAX_…, XLA_…, LIBTPU_…, TPU_…, MODEL_IMPL_TYPE"
        )
    check_value(name, value)
