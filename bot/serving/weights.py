"""How much memory the weights take."""

from bot.nouns import Noun
from bot.serving.dtypes import bytes_of
from bot.serving.gemma import Geometry


class Weights(Noun):
    """GiB of all weights: `low` and `high` bound what is not verified (encoders); `measured`: an engine was seen loading it."""

    low_gib: float
    high_gib: float
    measured: bool
    source: str

    def per_chip(self, tp: int) -> tuple[float, float]:
        """(low, high) GiB on each of `tp` chips. Assumes an even split; small replicated parts are not counted."""
        return self.low_gib / tp, self.high_gib / tp


def weights(model: Geometry, dtype: str = "bf16") -> Weights:
    """Weights of the whole model in `dtype`. A size seen in a log wins over the sum of parameters (bf16 only).

    Quantised weights scale by bytes; embeddings and norms that stay in bf16 make that a lower bound, hence `high` adds a tenth.
    """
    share = bytes_of(dtype) / 2
    if share == 1 and model.loaded_gib is not None:
        source = model.loaded_source or "seen in a start-up log"
        return Weights(low_gib=model.loaded_gib, high_gib=model.loaded_gib, measured=True, source=source)
    low = model.text_gib_bf16 * share
    high = low * (1.0 if share >= 1 else 1.1) + model.encoder_gib_high
    note = "no encoders" if model.encoder_gib_high == 0 else "encoders not verified, up to 1.03 GiB added"
    return Weights(low_gib=low, high_gib=high, measured=False, source=f"computed from the text part's parameters; {note}")
