"""A number that a person may be shown: with its unit, its time and its source."""

from datetime import datetime

from bot.nouns.base import Noun


class Quantity(Noun):
    """One measured, dated or computed number.

    `value` is in `unit` ("s", "tokens", "USD/h", "GiB", "share" for 0..1, "requests/s", ...); `at` is the aware time it was true;
    `source` says in words where it comes from ("vLLM /metrics", "list price", "computed").
    What is not known is `None` in the place of a Quantity, never a Quantity of 0.
    """

    value: float
    unit: str
    at: datetime
    source: str
