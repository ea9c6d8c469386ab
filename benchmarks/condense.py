"""Grouping and condensing of log lines against peers, in one run on generated lines: speed, accuracy and what is kept.

    python -m benchmarks.condense [--lines 200000] [--json]

Peers: the usual recipe (mask by regular expressions, deduplicate, drain3) and `tipping` on the same masked lines. All get the
same lines. The generator knows which event wrote each line, so grouping accuracy (share of lines whose group is exactly the
true one) is measured in the same run. `ratio_to_...` above 1 means that this project does better.
"""

import argparse
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import tipping
from drain3.drain import Drain

from bot.diagnosis import condense
from bot.diagnosis.patterns import group
from bot.diagnosis.token_bound import token_bound

EVENTS = (
    "request {hex} finished in {ms} ms after {n} tokens",
    "Accepted connection from {ip} port {n} for user {user}",
    "Connection closed by {ip} port {n}",
    "Precompile worker{n} backbone --> {{'num_tokens': {n}, 'num_reqs': {n}}}",
    "Compilation of worker{n} backbone --> {{'num_tokens': {n}}} finished in {ms} [secs].",
    "Loading shard {n} of {n} from {path} ({size}) done",
    "block blk_{n} freed after {ms} ms",
    "blocks to evict: {blocks}",
    "cache usage {ms} %, running {n} reqs, waiting {n} reqs",
    "job {hex} went from WAITING to RUNNING",
    "job {hex} went from RUNNING to FINISHED",
    "job {hex} went from RUNNING to PREEMPTED",
    '{ip}:{n} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    '{ip}:{n} - "GET /metrics HTTP/1.1" 200 OK',
    "sent {n} bytes ({size}) to {host}",
    "sent {n} bytes to {host}",
    "health check of {host} passed in {ms} ms",
    "health check of {host} failed after {n} tries",
    "authentication failure; user={user} rhost={host}",
    "retry {n} of {n} for {path}",
)
MERGED = {15: 14}
"""The same event with and without its size in brackets."""
ERRORS = tuple(
    f"{part} {what}"
    for part in ("scheduler", "sampler", "allocator", "router", "loader", "mesh", "cache", "listener", "watchdog", "registry")
    for what in ("lost its lease on the device", "gave up: could not open the socket")
)
MASKS = tuple(
    (re.compile(expression), name)
    for expression, name in (
        (r"\"[^\"]*\"", "<STR>"),
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\b", "<TIME>"),
        (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<UUID>"),
        (r"\b\w+://\S+", "<URL>"),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<IP>"),
        (r"(?<!\w)(?:/[\w.\-]+)+", "<PATH>"),
        (r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b", "<HEX>"),
        (r"(?<![A-Za-z0-9])-?\d+(?:\.\d+)?(?:[KMG]i?B?|ms|s)?(?![A-Za-z0-9])", "<NUM>"),
    )
)


def generate(count: int, seed: int) -> tuple[list[str], list[int]]:
    """Return `count` lines without header and the number of the event that wrote each; every error occurs once."""
    rnd = random.Random(seed)
    users = ["root", "anna", "news", "backup", "git"]
    hosts = ["eu.example.com", "node-7.example.net", "a.b.example.org", "10.2.3.4"]
    lines, truth = [], []
    for _ in range(count):
        event = rnd.randrange(len(EVENTS))
        lines.append(
            EVENTS[event].format(
                hex=f"{rnd.getrandbits(48):012x}",
                ms=f"{rnd.random() * 900:.2f}",
                n=rnd.randrange(1, 60_000),
                ip=".".join(str(rnd.randrange(1, 255)) for _ in range(4)),
                user=rnd.choice(users),
                host=rnd.choice(hosts),
                path=f"/data/{rnd.choice(users)}/part-{rnd.randrange(99)}.bin",
                size=f"{rnd.random() * 9:.2f} GiB",
                blocks=" ".join(f"blk_{rnd.randrange(10**6)}" for _ in range(rnd.randrange(1, 12))),
            )
        )
        truth.append(MERGED.get(event, event))
    for number, text in enumerate(ERRORS):
        at = rnd.randrange(len(lines))
        lines.insert(at, f"ERROR {text}: code {rnd.randrange(10**4)}")
        truth.insert(at, 1_000 + number)
    return lines, truth


def accuracy(found: Sequence[Hashable], truth: Sequence[int]) -> float:
    """Share of lines (0..1) whose group holds exactly the lines of their event: grouping accuracy as in the Loghub papers."""
    by_found: dict[Hashable, list[int]] = defaultdict(list)
    by_truth: dict[int, list[int]] = defaultdict(list)
    for i, (one, other) in enumerate(zip(found, truth, strict=True)):
        by_found[one].append(i)
        by_truth[other].append(i)
    right = {tuple(members) for members in by_truth.values()}
    return sum(len(members) for members in by_found.values() if tuple(members) in right) / len(truth)


def mask(line: str) -> str:
    """Mask a line the usual way: one regular expression after the other."""
    for expression, name in MASKS:
        line = expression.sub(name, line)
    return line


def by_drain3(lines: Sequence[str]) -> list[Hashable]:
    """Mask, deduplicate, drain3 (depth 4, similarity 0.4: its defaults)."""
    drain = Drain(depth=4, sim_th=0.4)
    known: dict[str, int] = {}
    out: list[Hashable] = []
    for line in lines:
        masked = mask(line)
        if masked not in known:
            known[masked] = drain.add_log_message(masked)[0].cluster_id
        out.append(known[masked])
    return out


def by_tipping(lines: Sequence[str]) -> list[Hashable]:
    """Mask, then tipping over the whole batch; lines it leaves without a cluster are grouped by their masked text."""
    masked = [mask(line) for line in lines]
    clusters = tipping.parse(masked, return_templates=False, return_masks=False)[0]
    return [cluster if cluster is not None else text for cluster, text in zip(clusters, masked, strict=True)]


def ours(lines: Sequence[str]) -> list[Hashable]:
    """This project's grouping."""
    return list(group(lines))


@dataclass(frozen=True)
class Measured:
    """One run: lines per second of processor time, accuracy (0..1), number of groups."""

    lines_per_s: float
    accuracy: float
    groups: int


def measure(
    run: Callable[[Sequence[str]], list[Hashable]], lines: Sequence[str], truth: Sequence[int], repeats: int = 3
) -> Measured:
    """Run it several times and keep the quickest."""
    best, found = float("inf"), []
    for _ in range(repeats):
        begin = time.process_time()
        found = run(lines)
        best = min(best, time.process_time() - begin)
    return Measured(len(lines) / best, accuracy(found, truth), len(set(found)))


def report(count: int) -> dict[str, float]:
    """Measure all, print a table, and return the figures with their ratios."""
    lines, truth = generate(count, seed=11)
    runs = {"this project": ours, "mask + dedupe + drain3": by_drain3, "mask + tipping": by_tipping}
    results = {name: measure(run, lines, truth) for name, run in runs.items()}
    for name, result in results.items():
        print(f"{name:24} {result.lines_per_s:>10,.0f} lines/s   accuracy {result.accuracy:.3f}   {result.groups:,} groups")
    mine, drain, tip = results.values()
    begin = time.process_time()
    condensed = condense(lines)
    seconds = time.process_time() - begin
    kept = sum(text in condensed.text for text in ERRORS)
    bound = token_bound(condensed.text)
    print(f"condensed {len(lines):,} lines at {len(lines) / seconds:,.0f} lines/s into at most {bound:,} tokens,")
    print(f"{kept} of {len(ERRORS)} errors that occurred once are in the text")
    return {
        "lines": len(lines),
        "lines_per_s": round(mine.lines_per_s),
        "condense_lines_per_s": round(len(lines) / seconds),
        "accuracy": round(mine.accuracy, 4),
        "errors_kept_share": kept / len(ERRORS),
        "condensed_tokens_at_most": bound,
        "ratio_to_drain3_lines_per_s": round(mine.lines_per_s / drain.lines_per_s, 2),
        "ratio_to_drain3_accuracy": round(mine.accuracy / drain.accuracy, 3),
        "ratio_to_tipping_lines_per_s": round(mine.lines_per_s / tip.lines_per_s, 2),
        "ratio_to_tipping_accuracy": round(mine.accuracy / tip.accuracy, 3),
    }


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    arguments = parser.parse_args()
    figures = report(arguments.lines)
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
