"""What words mean here: one concept for the many ways to say it, in keys of results as well as in sentences."""

import re
from collections.abc import Iterable
from functools import lru_cache

from bot.evidence.units import singular


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


_PHRASES: dict[str, str] = {
    "ttft": "time to first token|first token|ttft",
    "itl": "inter token latency|inter token|between token|per output token|time per output token|tpot|itl|token come every"
    "|every token|token every|token gap",
    "e2e": "end to end|e2e request latency|e2e latency|e2e|whole request|whole answer|full answer|complete answer"
    "|request latency|request finish within|finish within|request finish in",
    "queue time": "queue time|time in queue|queueing time",
    "running": "running|in flight|executing|in progress|being served|run at once",
    "waiting": "waiting|queued|queue|wait|pending",
    "preempted": "preempted|preemption|paused|put back|redone|evicted|preempt",
    "finished": "finished|completed|succeeded|success|successful",
    "error": "error|failed|failure|exception|failing|fail",
    "aborted": "aborted|cancelled|canceled|abort",
    "rejected": "rejected|refused|rejection|refusal",
    "user": "user|people|client|concurrency|concurrent|at once|simultaneous|person",
    "hit": "prefix cache hit|prefix hit|hit|prefix cache|prefix",
    "cache": "kv cache|cache|kv",
    "before": "before|previous|previously|old|older|earlier|prior|baseline|usual|usually|normal|normally|typical|typically",
    "after": "after|now|new|current|currently|latest",
    "p50": "p50|median|50th percentile|50th",
    "p90": "p90|90th percentile|90th|90 of request|90 of user|90 of all request",
    "p95": "p95|95th percentile|95th",
    "p99": "p99|99th percentile|99th|99 of request|99 of user|99 of all request|1 in 100",
    "mean": "mean|average|avg|on average",
    "max": "max|maximum|highest|peak|at most",
    "min": "minimum|lowest|at least",
    "prompt": "prompt|input",
    "output": "output|generation|generated|completion",
    "weight": "weight",
    "free": "free|available|headroom|had",
    "wanted": "wanted|needed|allocate|requested|required|attempted|attempting|want|need",
    "spent": "spent|so far|spending|billed|spend|cost so far",
    "forecast": "forecast|heading|projected|projection|predicted|on course",
    "budget": "budget",
    "idle": "idle|without a request|without request|unused|without any request",
    "price": "price|rate per hour|burn|hourly",
    "left": "left|remaining|remain|remains",
    "since": "since|started|began|start|begin|from then",
    "end": "end|ends|ended|expire|expiry|until|lease end",
    "first": "first|earliest",
    "last": "last|newest",
    "deploy": "deploy|deployed|rollout|rolled out",
    "restart": "restart|restarted|reboot",
    "change": "change|changed",
    "alert": "alert|alerted|alarm",
    "create": "create|created|creation",
    "context": "context|window|model len|context length",
    "request": "request|req",
    "token": "token|tok|toks",
    "machine": "machine|node|vm",
    "low": "low|lower",
    "high": "high|upper",
}
"""Concept -> the phrases that mean it, in singular, words parted by one space."""

FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"running", "waiting", "preempted", "finished", "error", "aborted", "rejected"}),
    frozenset({"ttft", "itl", "e2e", "queue time", "restart", "left", "prefill", "decode"}),
    frozenset({"p50", "p90", "p95", "p99", "mean", "max", "min"}),
    frozenset({"before", "after"}),
    frozenset({"prompt", "output"}),
    frozenset({"weight", "free", "wanted", "hbm"}),
    frozenset({"spent", "forecast", "idle", "budget", "price"}),
    frozenset({"since", "end", "alert"}),
    frozenset({"end", "deploy", "alert", "create"}),
)
"""Concepts that exclude one another: what is said of one is not said of its sisters."""
THINGS = word_set(
    "request user token error machine zone chip block layer head line pattern event run worker replica incident step "
    "deployment restart core host slice model engine process job pod node thread sequence prompt expert parameter hour day "
    "warning alert change core attempt start question group region project"
)
"""What is counted. A number in front of one of these counts it and nothing else."""
SIZES = word_set("size length len context limit width depth")
"""Heads of keys that measure a thing and do not count it: `block_size`."""
SIZED = "(size of it)"
"""Marks a field whose key ends with such a head."""
QUALIFIERS = word_set("p50 p90 p95 p99 mean max min before after total low high first last sum value")
"""Concepts that say which number of a field it is; the field itself stands in the key above."""
UNITS = word_set("ms second minute hour s gib mib gb usd byte share percent")
"""Words of a key that give its unit."""
LISTED = word_set("pattern event log message entry finding item")
"""Keys of lists whose counts count occurrences: what is counted are lines, errors, times."""
OCCURRENCES = word_set("error line message event time restart attempt start")
"""What happens so many times."""
OBSERVED = word_set("request run sample")
"""What `n` counts in a result."""
LABELS = word_set("code port pid epoch seed errno uid")
"""Numbers that name something and count nothing."""
GENERIC = word_set("request token latency time total engine count user model gap rate took take cost month")
_STOP = word_set(
    "a an the of in on at to for by is are be been it its this that and or with without per as not no so than then there here "
    "has have had do does did will would can may about over under up down into out off from all more less only just each value "
    "num number count result id status name text source unit kind gemma vllm"
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W\d_]{1,12}){0,2}-[^\W\d_]{0,12}\d[^\W_]{0,12}(?:-[^\W_]{1,12}){0,3}|[^\W_]+")
"""A word; names whose later parts hold digits (us-east5-a, prod-1) stay whole."""
NAME_LIKE = re.compile(r"(?=[\w.-]*[A-Za-z])(?=[\w.-]*\d)[\w.-]{2,60}")
"""A key that is a name and makes an entry of its own: `us-east5-a`."""
_DOUBLED = re.compile(r"(?<=\w\w)([bdgmnprt])\1(?:ed|ing)$")
"""stopped, planned."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _table() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """First word -> its phrases with their concepts, the longest first."""
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for concept, phrases in _PHRASES.items():
        for phrase in phrases.split("|"):
            words = tuple(phrase.split())
            table.setdefault(words[0], []).append((words, concept))
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return table


_BY_FIRST_WORD = _table()


def split_words(text: str) -> list[str]:
    """Words in lower case and singular; `num_requests_running`, `maxModelLen` and `first-token` fall apart."""
    return [singular(word.lower()) for word in _WORD.findall(_CAMEL.sub(" ", text))]


@lru_cache(maxsize=8192)
def concepts(text: str) -> tuple[str, ...]:
    """The concepts of a text in its order; words without a concept stand for themselves, empty words are left out."""
    words = split_words(text)
    found: list[str] = []
    place = 0
    while place < len(words):
        taken, concept = _phrase_at(words, place)
        if concept not in _STOP and len(concept) > 1 and not concept.isdigit():
            found.append(concept)
        place += taken
    return tuple(found)


def _phrase_at(words: list[str], place: int) -> tuple[int, str]:
    for phrase, concept in _BY_FIRST_WORD.get(words[place], ()):
        if tuple(words[place : place + len(phrase)]) == phrase:
            return len(phrase), concept
    return 1, _DOUBLED.sub(r"\1", words[place])


def is_empty(word: str) -> bool:
    """Whether a word says nothing by itself."""
    return word in _STOP or len(word) < 2


def weight(concept: str) -> float:
    """How much a shared concept says: words that stand in many fields say little."""
    return 0.5 if concept in GENERIC else 1.0


def excluded(said: Iterable[str], field: Iterable[str]) -> bool:
    """Whether a sentence speaks of one of a family and the field is of its sister: `waiting` of `running`."""
    spoken, own = frozenset(said), frozenset(field)
    return any(spoken & family and own & family and not spoken & own & family for family in FAMILIES)
