"""What would do: a slice for so many users, or a utilisation under which a failed start succeeds."""

from bot.nouns import Noun, Slice
from bot.serving import slices
from bot.serving.catalogue import Fit, Verdict, fits
from bot.serving.gemma import Geometry
from bot.serving.layout import DEFAULT_UTILIZATION

MIB_PER_GIB = 1_024


def for_users(
    model: str | Geometry,
    users: int,
    context: int,
    *,
    generation: str | None = None,
    utilization: float = DEFAULT_UTILIZATION,
    caches: tuple[str, ...] = ("bf16", "fp8"),
) -> tuple[Fit, ...]:
    """Single-machine slices that serve `users` requests of `context` tokens at once, fewest chips first, bf16 before fp8.

    Empty when none does: say so. Whoever shows them adds the price. `generation` limits the search ("v6e"). Raises UsageError.
    """
    found: list[Fit] = []
    for name in slices.SINGLE_HOST:
        piece = slices.parse(name)
        if generation is not None and piece.generation != generation:
            continue
        found += [fit for cache in caches if _serves(fit := fits(model, piece, context, cache, utilization), users)]
    return tuple(sorted(found, key=lambda fit: (fit.piece.chips, caches.index(fit.cache))))


def _serves(fit: Fit, users: int) -> bool:
    return fit.verdict is not Verdict.NO and (fit.users.get(fit.context) or 0) >= users


class UtilizationFix(Noun):
    """A lower share that leaves room for compiled programs. GiB per chip; `too_low`: the highest share that holds no request."""

    utilization: float
    frees_gib: float
    short_gib: float
    request_gib: float
    cache_gib: float
    too_low: float | None
    fit: Fit


def lower_utilization(
    model: str | Geometry, piece: str | Slice, context: int, cache: str, current: float, short_mib: float
) -> UtilizationFix | None:
    """The share that frees at least `short_mib` MiB per chip and still holds one request of `context` tokens, or None.

    vLLM's default is tried first, then each hundredth below `current`. Raises UsageError for unknown names.
    """
    below = [share / 100 for share in range(round(current * 100) - 1, 49, -1)]
    tried = ([DEFAULT_UTILIZATION] if current > DEFAULT_UTILIZATION else []) + below
    before = fits(model, piece, context, cache, current)
    short_gib = short_mib / MIB_PER_GIB
    for share in tried:
        fit = fits(model, piece, context, cache, share)
        frees = before.cache_gib_per_chip - fit.cache_gib_per_chip
        if frees >= short_gib and _holds_one(fit):
            failing = next((lower for lower in below if not _holds_one(fits(model, piece, context, cache, lower))), None)
            return UtilizationFix(
                utilization=share,
                frees_gib=frees,
                short_gib=short_gib,
                request_gib=fit.request_gib_per_chip,
                cache_gib=fit.cache_gib_per_chip,
                too_low=failing,
                fit=fit,
            )
    return None


def _holds_one(fit: Fit) -> bool:
    return fit.verdict is not Verdict.NO and (fit.users.get(fit.context) or 0) >= 1
