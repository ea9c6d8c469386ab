"""How long `find` takes through 37 zones, beside asking them one by one: the same zones, delays, order and looks, simulated time.

    python -m benchmarks.sweep

Prints ratios: what the zones say is drawn from seeds, so the figures are the same everywhere.
"""

import asyncio
import statistics

from tests.doubles.sweeps import SEEDS, one_by_one, ratio, together


async def main() -> None:
    """Run all seeds and print median and worst of both."""
    ours = [(await together(seed)).seconds for seed in range(SEEDS)]
    theirs = [(await one_by_one(seed)).seconds for seed in range(SEEDS)]
    median, worst = ratio(ours, theirs)
    print(f"{SEEDS} positions of the one zone of 37 that accepts (simulated seconds until the machine is ready)")
    print(f"find        median {statistics.median(ours):8.0f}   worst {max(ours):8.0f}")
    print(f"one by one  median {statistics.median(theirs):8.0f}   worst {max(theirs):8.0f}")
    print(f"find / one by one: median 1/{1 / median:.0f}, worst 1/{1 / worst:.0f}")


if __name__ == "__main__":
    asyncio.run(main())
