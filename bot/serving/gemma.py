"""Gemma 4 geometry: what decides the size of weights and of the key-value cache.

Sources of the table: transformers `configuration_gemma4.py` (per-layer overrides `global_head_dim`, `num_global_key_value_heads`;
the last layer is always global), public copies of the models' config.json, and parameter counts computed from those on a meta
device (2026-11). The text part only: the encoders of E2B, E4B, 26B-A4B and 31B come on top and were not verified; the 12B has
none.
"""

import re

from bot.errors import UsageError
from bot.nouns import Noun

GIB = 2**30


class KvLayers(Noun):
    """The layers of one kind that own a key-value cache. `window` is in tokens; None means they keep the whole context."""

    count: int
    kv_heads: int
    head_dim: int
    window: int | None

    def bytes_per_token(self, dtype_bytes: int, tp: int = 1) -> int:
        """Bytes that ONE such layer stores per token on one chip: key and value, heads divided by `tp`, never below one head.

        Formula: 2 x heads x head_dim x bytes (vLLM AttentionSpec). `attention_k_eq_v` shares the projection, not the stored
        tensors, so the factor 2 stays.
        """
        return 2 * heads_per_chip(self.kv_heads, tp) * self.head_dim * dtype_bytes


class Geometry(Noun):
    """One Gemma 4 model. `text_gib_bf16` is the text part; `loaded_gib` what an engine was seen to load, where that was seen.

    `layers` counts all layers; `sliding` and `full` only those that own a cache (the last `shared_layers` reuse another's).
    `context` is the longest window in tokens. `encoder_gib_high` is an upper guess for unverified encoders, 0 for none.
    """

    name: str
    repository: str
    architecture: str
    layers: int
    shared_layers: int
    sliding: KvLayers
    full: KvLayers
    hidden: int
    query_heads: int
    context: int
    text_params_billion: float
    active_params_billion: float | None
    text_gib_bf16: float
    loaded_gib: float | None
    loaded_source: str | None
    encoder_gib_high: float


def heads_per_chip(kv_heads: int, tp: int) -> int:
    """Heads that one of `tp` chips stores. Fewer heads than chips are replicated. Raises UsageError when they do not divide."""
    if tp < 1 or (kv_heads % tp and tp % kv_heads):
        raise UsageError(f"{kv_heads} KV heads cannot be shared by {tp} chips", usage="tensor parallelism 1, 2, 4 or 8")
    return max(1, kv_heads // tp)


def _owners(sliding: tuple[int, int], full: tuple[int, int], window: int) -> tuple[KvLayers, KvLayers]:
    """(count, heads) of both kinds to layers; head dimension 256 sliding and 512 global in the whole family (config.json)."""
    return (
        KvLayers(count=sliding[0], kv_heads=sliding[1], head_dim=256, window=window),
        KvLayers(count=full[0], kv_heads=full[1], head_dim=512, window=None),
    )


def _family() -> tuple[Geometry, ...]:
    """The five models. Encoder guess: a ViT of about 0.55 billion parameters (1.03 GiB in bf16), from one card, not verified."""
    wide, narrow = 262_144, 131_072
    rows = (
        ("E2B", 35, 20, _owners((12, 1), (3, 1), 512), 1536, 8, narrow, 4.63, None, 8.6, 8.97, 1.03),
        ("E4B", 42, 18, _owners((20, 2), (4, 2), 512), 2560, 8, narrow, 7.46, None, 13.9, None, 1.03),
        ("12B", 48, 0, _owners((40, 8), (8, 1), 1024), 3840, 16, wide, 11.91, None, 22.2, None, 0.0),
        ("26B-A4B", 30, 0, _owners((25, 8), (5, 2), 1024), 2816, 16, wide, 25.23, 3.82, 47.0, None, 1.03),
        ("31B", 60, 0, _owners((50, 16), (10, 4), 1024), 5376, 32, wide, 30.70, None, 57.2, 58.25, 1.03),
    )
    seen = {
        "E2B": "start-up log of a v6e-1, 10 August 2026",
        "31B": "published run on v6e-4, 2026: 14.56 GiB on each of 4 chips",
    }
    return tuple(
        Geometry(
            name=name,
            repository=f"google/gemma-4-{name}-it",
            architecture="Gemma4UnifiedForConditionalGeneration" if name == "12B" else "Gemma4ForConditionalGeneration",
            layers=layers,
            shared_layers=shared,
            sliding=owners[0],
            full=owners[1],
            hidden=hidden,
            query_heads=heads,
            context=context,
            text_params_billion=params,
            active_params_billion=active,
            text_gib_bf16=text,
            loaded_gib=loaded,
            loaded_source=seen.get(name),
            encoder_gib_high=encoder,
        )
        for name, layers, shared, owners, hidden, heads, context, params, active, text, loaded, encoder in rows
    )


FAMILY: tuple[Geometry, ...] = _family()
NAMES: tuple[str, ...] = tuple(model.name for model in FAMILY)

_SIZE = re.compile(r"(?:gemma)?4?(e2b|e4b|12b|26b(?:a4b)?|31b)(unified)?(it|instruct|pt|base)?([a-z0-9]*)")
_VARIANT = re.compile(r"(?:fp8|bf16|int8|int4|awq|gptq|qat|w4a16|w8a8|nvfp4|dynamic|text|block)*[0-9]{0,2}")


def find(name: str) -> Geometry:
    """The model that people mean: "31B", "google/gemma-4-31B-it", "gemma4 e2b". Raises UsageError with the five names."""
    said = re.sub(r"[^a-z0-9]", "", name.strip().rsplit("/", 1)[-1].lower())
    match = _SIZE.fullmatch(said)
    if match and match[4].endswith("assistant"):
        raise UsageError(f"{name.strip()[:60]} drafts for another model and is not served alone", near=NAMES)
    if match is None or not _VARIANT.fullmatch(match[4]):
        raise UsageError(f"I do not know the model {name.strip()[:60]!r}", usage="one of " + ", ".join(NAMES), near=NAMES)
    wanted = "26B-A4B" if match[1].startswith("26b") else match[1].upper()
    return next(model for model in FAMILY if model.name == wanted)
