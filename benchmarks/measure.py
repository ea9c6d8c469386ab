"""Percentiles of what was timed, and how results are printed."""

import json
from collections.abc import Sequence


def percentile(seconds: Sequence[float], q: float) -> float:
    """The q quantile (0..1) by the nearest rank, in the unit of the values."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """n, p50, p95 and p99 in milliseconds."""
    figures = {f"p{round(q * 100)}_ms": round(percentile(seconds, q) * 1000, 2) for q in (0.5, 0.95, 0.99)}
    return {"n": len(seconds), **figures}


def table(rows: dict[str, dict[str, float]]) -> str:
    """One line a row, columns aligned."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = max(map(len, rows))
    lines = [" " * width + "".join(f"{name:>12}" for name in columns)]
    lines += [f"{name:<{width}}" + "".join(f"{row.get(column, ''):>12}" for column in columns) for name, row in rows.items()]
    return "\n".join(lines)


def finish(rows: dict[str, dict[str, float]], ratios: dict[str, float], *, as_json: bool) -> None:
    """Print the table, the ratios, and with `as_json` one JSON object as the last line."""
    print(table(rows))
    for name, value in ratios.items():
        print(f"{name.replace('_', ' ')}: {value:.2f}")
    if as_json:
        print(json.dumps(rows | {name: round(value, 3) for name, value in ratios.items()}))
