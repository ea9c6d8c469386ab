"""Arithmetic with units: what a product or a sum of written figures comes to."""

from collections.abc import Sequence

from bot.evidence.reading import Amount


def tolerance(amount: Amount) -> float:
    """How far a value may lie from a written amount: half a unit of its last place, and what floats lose."""
    return amount.step * (1 + 1e-6) + abs(amount.value) * 1e-9


def powers_of(dimension: str) -> dict[str, int]:
    """`USD/time` -> {USD: 1, time: -1}; shares, ratios and counts have no dimension."""
    top, *below = dimension.split("/")
    powers = {top: 1} if top not in {"", "share", "ratio"} else {}
    for name in below:
        powers[name] = powers.get(name, 0) - 1
    return powers


Valued = tuple[float, dict[str, int]]
"""A value in base units with the power of each unit."""


def compute(terms: Sequence[Valued], signs: Sequence[str]) -> Valued | None:
    """Products before sums; None when unlike things are added or something is divided by 0."""
    added: list[Valued] = [terms[0]]
    for sign, (value, powers) in zip(signs, terms[1:], strict=True):
        if sign in {"+", "-"}:
            added.append((value if sign == "+" else -value, powers))
            continue
        old, own = added[-1]
        if sign == "/" and value == 0:
            return None
        step = 1 if sign == "×" else -1
        merged = {name: own.get(name, 0) + step * powers.get(name, 0) for name in own.keys() | powers.keys()}
        added[-1] = (old * value if step == 1 else old / value, {name: p for name, p in merged.items() if p})
    if any(powers != added[0][1] for _, powers in added):
        return None
    return sum(value for value, _ in added), added[0][1]
