"""Right sentences in many forms, and the same with one planted false figure."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from random import Random

from evidence_slots import Slot, clock, count, day, money, name, number, percent, seconds, span_of_time, version
from evidence_worlds import Result, World, world

Sentence = list[str | Slot]


@dataclass(frozen=True)
class Case:
    """An answer, its results, and where the planted figure stands (None: all is right)."""

    answer: str
    results: list[Result]
    planted: tuple[int, int] | None


def _moments(w: World, *but: str) -> list[datetime]:
    names = ("since", "ends", "deploy_at", "first_error")
    return [w.values[n] for n in names if n not in but]


def load(w: World) -> list[Sentence]:
    foreign = [w.layers, w.errors, w.blocks, w.restart_minutes]
    run = count(w, w.running, [*foreign, w.users], [w.waiting])
    wait = count(w, w.waiting, [*foreign, w.users], [w.running])
    users = count(w, w.users, [w.running, w.waiting, *foreign])
    redone = count(w, w.preempted, [*foreign, w.users], [w.running, w.waiting])
    return [
        ["Engine ready · ", run, " running, ", wait, " waiting · cache ", percent(w, w.kv, [w.hit]), " full."],
        ["There are ", run, " requests running and ", wait, " waiting."],
        ["Running: ", run, "\nWaiting: ", wait, "\nUsers: ", users],
        ["1. ", run, " requests are running.\n2. The cache is ", percent(w, w.kv, [w.hit]), " full.\n3. ", wait, " wait."],
        [users, " users are active; ", redone, " requests were preempted."],
        ["The KV cache is at ", percent(w, w.kv, [w.hit]), " and the prefix hit rate is ", percent(w, w.hit, [w.kv]), "."],
        ["KV cache usage is ", number(w, w.kv, 2, "", [w.hit]), "."],
        [
            "It serves ",
            number(w, w.rps, w.rng.choice([0, 1, 2]), "requests/s", []),
            " and ",
            number(w, w.tps, 0, "tokens/s"),
            ".",
        ],
        ["Throughput is about ", number(w, w.tps, 0, "tokens/s"), " with ", users, " users."],
    ]


def latency(w: World) -> list[Sentence]:
    ttft, usual, e2e = seconds(w, w.ttft, [w.e2e]), seconds(w, w.ttft_usual, [w.e2e]), seconds(w, w.e2e, [w.ttft])
    itl = number(w, w.itl * 1000, 1, "ms", [w.ttft * 1000, w.e2e * 1000])
    slow = clock(w.since, w.rng, _moments(w, "since"))
    return [
        ["▲ prod is slow, not down: first token ", ttft, " (usual ", usual, ") since ", slow],
        ["First token p90 is ", ttft, "; end to end it is ", e2e, "."],
        ["The p90 time to first token rose to ", ttft, ", the mean inter-token latency is ", itl, "."],
        ["End-to-end p90: ", e2e, " · first token p90: ", ttft],
        ["It has been slow since ", slow, "."],
        ["Users wait ", ttft, " for the first token, usually ", usual, ". Then a token comes every ", itl, "."],
    ]


def machine(w: World) -> list[Sentence]:
    known = {w.machine, w.zone, w.slice}
    ends = clock(w.ends, w.rng, _moments(w, "ends"))
    left = span_of_time(w, w.left_s)
    box, zone, slice_ = name(w.machine, w.rng, known), name(w.zone, w.rng, known), name(w.slice, w.rng, known)
    model = name(f"gemma-4-{w.model}", w.rng)
    now, old = version(w.version, w.rng, [w.old_version]), version(w.old_version, w.rng, [w.version])
    return [
        ["Machine ", box, " healthy, ", zone, "."],
        ["prod ends at ", ends, ", in ", left, "."],
        [f"Gemma {w.model} runs on ", slice_, " in ", zone, ": ", count(w, w.chips), " chips."],
        ["The engine serves ", model, " with vLLM ", now, "."],
        ["Last change: deploy at ", clock(w.deploy_at, w.rng, _moments(w, "deploy_at")), ", vLLM ", old, " → ", now],
        ["The image moved from v", old, " to v", now, " on ", day(w.deploy_at, w.rng, [w.now, w.price_date]), "."],
        [
            "Machine `",
            box,
            "` (",
            slice_,
            ") has ",
            left,
            " left; a restart takes about ",
            number(w, w.restart_minutes, 0, "min"),
            ".",
        ],
    ]


def memory(w: World) -> list[Sentence]:
    sizes = [w.weights, w.hbm, w.free]
    weights, hbm, free = (
        number(w, x, w.rng.choice([1, 2]), "GiB", [o for o in sizes if o != x]) for x in (w.weights, w.hbm, w.free)
    )
    thousand = number(w, w.cache_tokens / 1000, 0, "K tokens", (), "") if w.cache_tokens > 20_000 else None
    context = f"{w.context // 1024}K"
    window = Slot(context, {"wrong value": [f"{w.context // 1024 * 3}K"]})
    tokens = number(w, w.cache_tokens, 0, "tokens", [w.context])
    return [
        ["The cache holds ", tokens, " (your start-up log)."],
        ["The cache holds about ", thousand or tokens, "."],
        ["Weights take ", weights, " of ", hbm, "; ", free, " is free per chip."],
        ["Free per chip: ", free, ". Weights: ", weights, "."],
        [
            "It was started with a context of ",
            window,
            " and fits ",
            count(w, w.fits, [w.layers, w.blocks], []),
            " users at once.",
        ],
        [
            "The model has ",
            count(w, w.layers, [w.fits, w.running, w.errors], []),
            " layers; the cache has ",
            count(w, w.blocks, [w.lines, w.errors], []),
            " blocks of ",
            count(w, w.block_size),
            " tokens.",
        ],
    ]


def cost(w: World) -> list[Sentence]:
    rate = money(w, w.price, w.rng.choice(["/h"]))
    sums = [w.idle_cost, w.forecast]
    spent, idle = money(w, w.spent, "", sums), money(w, w.idle_cost, "", [w.spent, w.forecast])
    ahead = money(w, w.forecast, "", [w.spent, w.idle_cost])
    hours = number(w, w.hours, 0, "h", [w.idle_hours])
    product = w.hours * w.price

    def false_sum(x: float) -> list[str]:
        return [f"${x * f:,.2f}" for f in (0.9, 1.13, 0.71)]

    whole = Slot(f"${product:,.2f}", {"wrong sum": false_sum(product)})
    both = Slot(f"${w.spent + w.idle_cost:,.2f}", {"wrong sum": false_sum(w.spent + w.idle_cost)})
    unit_price = Slot(f"${w.price:.2f}")
    together = Slot(str(w.running + w.waiting), {"wrong sum": [str(w.running + w.waiting + d) for d in (1, 3, 7, -2)]})
    return [
        ["The machine costs ", rate, "."],
        ["So far ", spent, ", heading for ", ahead, " (list price of ", day(w.price_date, w.rng, [w.now, w.deploy_at]), ")."],
        [hours, " × ", unit_price, " = ", whole],
        ["Spent: ", hours, " at ", rate, " = ", spent, "."],
        [number(w, w.idle_hours, 0, "h", [w.hours]), " ran without a request: ", idle, "."],
        ["Budget used: ", number(w, w.budget_used * 100, 0, "%", [w.kv * 100]), "."],
        ["Spent ", f"${w.spent:,.2f} + idle ${w.idle_cost:,.2f} = ", both],
        [f"{w.running} running + {w.waiting} waiting = ", together, " requests"],
    ]


def changed(w: World) -> list[Sentence]:
    before, after = w.prompt_before, w.prompt_after
    times = Slot(f"{after / before:.1f} times", {"wrong sum": [f"{after / before * f:.1f} times" for f in (0.6, 1.4, 2.1)]})
    more = Slot(
        f"+{(after / before - 1) * 100:.0f} %",
        {"wrong sum": [f"+{(after / before - 1) * 100 * f:.0f} %" for f in (0.7, 1.3, 1.9)]},
    )
    prompts = number(w, after, 0, "tokens", [w.context])
    return [
        ["Prompts grew from ", count(w, before), " to ", prompts, " (median)."],
        [f"Prompts: {before:,} → {after:,} tokens, ", times, " longer."],
        [f"The median prompt rose from {before:,} to {after:,} tokens (", more, ")."],
        ["64 users: p99 first token ", number(w, w.bench_p99_old, 2, ""), " → ", number(w, w.bench_p99, 2, "s"), "."],
        [
            "Tokens/s rose by ",
            number(w, w.gain, 0, "%"),
            " (95 % range ",
            count(w, w.gain_low),
            " to ",
            number(w, w.gain_high, 0, "%"),
            "), 3 runs each.",
        ],
    ]


def logs(w: World) -> list[Sentence]:
    errors = count(w, w.errors, [w.layers, w.running, w.blocks], [w.lines])
    lines = count(w, w.lines, [w.blocks, w.cache_tokens], [w.errors])
    wanted, had = Slot(f"{w.wanted_m}M"), Slot(f"{w.had_m}M")
    for slot in (wanted, had):
        slot.wrong = {"wrong rounding": last_digit_m(slot.text, w.rng)}
    return [
        [errors, " errors in ", lines, " engine lines."],
        ['"Ran out of memory" came ', errors, " times, first at ", clock(w.first_error, w.rng, _moments(w, "first_error")), "."],
        ["A program wanted ", wanted, ", ", had, " was free."],
        [
            f"It wanted {w.wanted_m}M and {w.had_m}M was free: ",
            Slot(f"{w.wanted_m - w.had_m:.0f}M", {"wrong sum": [f"{(w.wanted_m - w.had_m) * f:.0f}M" for f in (0.5, 1.6, 2.3)]}),
            " short.",
        ],
        ["Read ", lines, " lines; ", errors, " of them are errors."],
    ]


def last_digit_m(text: str, rng: Random) -> list[str]:
    """A size as a log line writes it, with another last digit."""
    shift = rng.choice([0.07, -0.04, 1.0])
    return [f"{float(text[:-1]) + shift:.2f}M"]


TOPICS: tuple[Callable[[World], list[Sentence]], ...] = (load, latency, machine, memory, cost, changed, logs)


def _written(parts: Sentence) -> str:
    return "".join(p if isinstance(p, str) else p.text for p in parts)


@lru_cache(maxsize=2000)
def _told(seed: int) -> tuple[World, tuple[Sentence, ...]]:
    """A world and all that is said of it."""
    w = world(seed)
    return w, tuple(sentence for topic in TOPICS for sentence in topic(w))


SENTENCES_OF_ONE = 4
"""Seeds that share a world: reading results costs more than checking an answer."""


def right(seed: int) -> Case:
    """An answer of one to three right sentences."""
    w, sentences = _told(seed // SENTENCES_OF_ONE)
    rng = Random(f"right {seed}")
    return Case("\n".join(map(_written, rng.sample(sentences, rng.randint(1, 3)))), w.results, None)


def false(seed: int, kind: str) -> Case:
    """A right answer in which one figure is false in the way of `kind`."""
    rng = Random(f"{kind} {seed}")
    for attempt in range(100):
        w, sentences = _told(seed // SENTENCES_OF_ONE + attempt * 100_003)
        places = [(s, i) for s in sentences for i, p in enumerate(s) if isinstance(p, Slot) and p.wrong.get(kind)]
        if not places:
            continue
        parts, place = rng.choice(places)
        slot = parts[place]
        assert isinstance(slot, Slot)
        planted = rng.choice(slot.wrong[kind])
        start = len(_written(parts[:place]))
        answer = _written(parts[:place]) + planted + _written(parts[place + 1 :])
        return Case(answer, w.results, (start, start + len(planted)))
    raise AssertionError(f"no sentence holds a figure for {kind}")
