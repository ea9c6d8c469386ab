"""One answer to "what fits": from the engine's labels, else its start-up log, else computed, and it says which."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from bot.errors import UsageError
from bot.nouns import Noun, Quantity, Slice
from bot.serving.cache_facts import CacheFacts, decoding_at, from_labels, from_startup, users_at
from bot.serving.catalogue import LENGTHS, Fit, fits
from bot.serving.gemma import Geometry, find
from bot.serving.layout import DEFAULT_UTILIZATION
from bot.serving.planner import Planner
from bot.serving.startup import Startup

DEFAULT_CONTEXT = 65_536
"""The context that a computed answer assumes when none is named: 64K tokens, or the model's window when that is shorter."""


class Basis(StrEnum):
    """Where an answer comes from, best first."""

    LABELS = "the engine's labels"
    LOG = "the start-up log"
    COMPUTED = "computed"


class UsersAt(Noun):
    """Requests of `context` tokens at once. Quantity of 0: refused; None: cannot be told. `note` says why.

    `users` is guaranteed whatever the requests do; `decoding` is expected once all only generate, where that can be told.
    """

    context: int
    users: Quantity | None
    decoding: Quantity | None = None
    note: str = ""


class MemoryAnswer(Noun):
    """What the cache holds. `estimate` is True for a computed answer. More requests than `users` wait or are redone, slower.

    `fit` is the computed catalogue row when model and slice are known, also beside a measured answer: it explains the layout.
    """

    basis: Basis
    estimate: bool
    model: str | None
    piece: Slice | None
    context: int | None
    kv_dtype: str | None
    planner: Planner | None
    tokens: Quantity | None
    max_concurrency: Quantity | None
    users: tuple[UsersAt, ...]
    fit: Fit | None
    notes: tuple[str, ...]

    def users_for(self, context: int) -> Quantity | None:
        """Requests of exactly `context` tokens when that length was looked at and can be told."""
        return next((row.users for row in self.users if row.context == context), None)


def answer(
    *,
    at: datetime,
    model: str | None = None,
    piece: Slice | None = None,
    context: int | None = None,
    cache: str | None = None,
    utilization: float = DEFAULT_UTILIZATION,
    labels: Mapping[str, str] | None = None,
    served_context: int | None = None,
    on_tpu: bool | None = None,
    startup: Startup | None = None,
    startup_at: datetime | None = None,
) -> MemoryAnswer:
    """The best answer that the given sources allow.

    `at` dates labels and computations; `startup_at` the log. `labels`: vllm:cache_config_info; `served_context`: /v1/models.
    Pass labels and log only for a question about the deployment as it runs; a question "what if" (another slice, another cache)
    is computed. `on_tpu` True lets blocks x size count as tokens where a build has no better label. Raises UsageError when
    nothing says anything: then model and slice are asked for.
    """
    geometry = _known(model or (startup.model if startup else None))
    fit = _fit(geometry, piece, context or served_context, cache, utilization)
    one_group = True if on_tpu or (startup is not None and startup.kv_groups == 1) else None
    told = from_labels(labels, served_context, one_group=one_group) if labels else None
    if told:
        return _measured(Basis.LABELS, told, at, context, geometry, piece, startup, fit)
    logged = from_startup(startup) if startup else None
    if logged:
        return _measured(Basis.LOG, logged, startup_at or at, context, geometry, piece, startup, fit)
    if fit is None:
        raise UsageError("No engine told its cache, so I need the model and the slice", usage="memory 31B v6e-4 context=64K")
    return _computed(fit, at)


def _known(name: str | None) -> Geometry | None:
    """The geometry, or None for a model that is none of ours (a log may name anything)."""
    if name is None:
        return None
    try:
        return find(name)
    except UsageError:
        return None


def _fit(
    geometry: Geometry | None, piece: Slice | None, context: int | None, cache: str | None, utilization: float
) -> Fit | None:
    """The catalogue row under the planner that serves fewer: TPU builds differ, and no server said which rule it follows."""
    if geometry is None or piece is None:
        return None
    wanted = context or min(DEFAULT_CONTEXT, geometry.context)
    rows = [fits(geometry, piece, wanted, cache or "bf16", utilization, rule) for rule in Planner]
    return min(rows, key=lambda row: (row.users[wanted] or 0, row.planner is not Planner.ALL_LAYERS_FULL))


def _measured(
    basis: Basis,
    cache: CacheFacts,
    at: datetime,
    asked: int | None,
    geometry: Geometry | None,
    piece: Slice | None,
    startup: Startup | None,
    fit: Fit | None,
) -> MemoryAnswer:
    """From what an engine said of itself."""
    tp = (startup.tensor_parallel if startup else None) or (piece.chips if piece else 1)
    rows = []
    for length in sorted({*LENGTHS, *([asked] if asked else [])}):
        users, note = users_at(cache, length, geometry, tp)
        decoding = decoding_at(cache, length, geometry, tp)
        rows.append(
            UsersAt(context=length, users=_requests(users, at, basis), decoding=_requests(decoding, at, basis), note=note)
        )
    return MemoryAnswer(
        basis=basis,
        estimate=False,
        model=geometry.name if geometry else None,
        piece=piece,
        context=cache.context,
        kv_dtype=(startup.kv_dtype if startup else None) or cache.kv_dtype,
        planner=Planner.ALL_LAYERS_FULL if cache.uniform else Planner.HYBRID if cache.blocks is not None else None,
        tokens=Quantity(value=cache.tokens, unit="tokens", at=at, source=basis.value),
        max_concurrency=_requests(cache.max_concurrency, at, basis),
        users=tuple(rows),
        fit=fit,
        notes=_measured_notes(cache, geometry),
    )


def _requests(count: float | None, at: datetime, basis: Basis) -> Quantity | None:
    return None if count is None else Quantity(value=count, unit="requests", at=at, source=basis.value)


def _measured_notes(cache: CacheFacts, geometry: Geometry | None) -> tuple[str, ...]:
    """What a reader must know to read the figures rightly."""
    if cache.uniform and geometry:
        layers = geometry.sliding.count + geometry.full.count
        return (f"this build keeps all {layers} layers with a cache at full length; the model alone would need far less",)
    if not cache.uniform:
        longest = f"{cache.context:,}" if cache.context else "the longest"
        return (f"the token count is the worst case at {longest} tokens a request; while requests only generate, more fit",)
    return ()


def _computed(fit: Fit, at: datetime) -> MemoryAnswer:
    """From arithmetic alone."""
    source = f"computed for {fit.piece.name}, {fit.cache} cache, utilization {fit.utilization:.2f}"
    users = tuple(
        UsersAt(
            context=length,
            users=None if count is None else Quantity(value=count, unit="requests", at=at, source=source),
            note="" if count is not None else f"above the context of {fit.context:,} tokens",
        )
        for length, count in fit.users.items()
    )
    return MemoryAnswer(
        basis=Basis.COMPUTED,
        estimate=True,
        model=fit.model,
        piece=fit.piece,
        context=fit.context,
        kv_dtype=fit.cache,
        planner=fit.planner,
        tokens=None,
        max_concurrency=None,
        users=users,
        fit=fit,
        notes=(
            "an estimate: no engine was asked",
            f"counted the way that holds less here ({fit.planner.value}); the engine's own log may say more",
            *fit.notes,
        ),
    )
