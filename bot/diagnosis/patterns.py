"""Grouping of log lines by the event that wrote them: online, deterministic, in bounded memory.

A line is masked word by word, its signature looked up, and only a signature never seen is compared with the groups there are.
A group once given to a line never changes with what comes after it, so `group(lines)[:k] == group(lines[:k])`.

Why not a library: on ten Loghub sets with one configuration this groups 96 % of the lines as people do, `drain3-improved` behind
regular-expression masks 74 %, `tipping` 78 %, both several times slower; and the groups of `tipping` change with what else is in
the batch. `benchmarks/condense.py` measures speed and accuracy against both in one run.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from bot.diagnosis.signature import Signature, signature
from bot.diagnosis.tokens import MAX_LINE, SAME_DIGIT, WILD, MaskedWords, word_set

_CACHED_SIGNATURES = 50_000
_COMPARED = 64
"""Groups of one bucket that a new signature is compared with, the newest first: the cost of a hostile line stays bounded."""
_NEEDED_ALIKE = 0.5
"""Share of words that must be equal before two signatures may be one group; the rest must look like values."""
_NEEDED_CONSTANT = 0.3
"""Share of words that must be equal and no value; at least two words, or everything would flow together."""
_TRACE_LINE = re.compile(r'\s+(?:File "|at [\w$.<]|\.\.\. \d+ |\^|~)')

_INTRODUCES_A_NAME = word_set(
    "user for from by domain host interface class service file queue topic named called invalid node device client"
)
_NEEDED_AROUND_A_NAME = 4
"""Equal words that two lines need before plain words after one of the above count as names: "waiting for X" is too little."""
_ENDS = ".,:;)]"
_IDENTIFIER = re.compile(r"[^_./\\@$]*[_./\\@$]|\w*?[a-z][A-Z]")


def _is_state(word: str) -> bool:
    """`RUNNING`, `FAIL_CLEANUP`, `GET`: words in capitals name what happened."""
    letters = word.strip(_ENDS + "(['\"").replace("_", "").replace("-", "")
    return letters.isalpha() and letters.isupper()


def _is_identifier(word: str) -> bool:
    return WILD in word or _IDENTIFIER.match(word.strip(".,:;")) is not None


def _are_values(one: str, other: str) -> bool:
    """Whether two different words at one place look like two values: masked, or both identifiers rather than words."""
    if WILD in {one, other}:
        return True
    return _is_identifier(one) and _is_identifier(other) and _may_differ(one, other)


def _may_differ(one: str, other: str) -> bool:
    ends = one[-1] != other[-1] and (one[-1] in _ENDS or other[-1] in _ENDS)
    return not (ends or _is_state(one) or _is_state(other))


def _likeness(known: Signature, new: Signature) -> float:
    """Share of equal words (0..1) of two signatures of one length, 0 when they cannot be the same event."""
    alike = constant = 0
    before, named = "", False
    for one, other in zip(known, new, strict=True):
        if one == other:
            alike += 1
            constant += WILD not in one
        elif not _are_values(one, other):
            if before not in _INTRODUCES_A_NAME or not _may_differ(one, other):
                return 0.0
            named = True
        before = other
    enough = constant >= 2 and constant >= _NEEDED_CONSTANT * len(new) and alike >= _NEEDED_ALIKE * len(new)
    return alike / len(new) if enough and not (named and alike < _NEEDED_AROUND_A_NAME) else 0.0


Bucket = tuple[int, str]


def _bucket(signature_: Signature) -> Bucket:
    return len(signature_), next((word for word in signature_ if WILD not in word), "")


class Grouper:
    """Gives lines their group number. Numbers count up from 0 and are never used twice.

    Holds at most `max_groups` groups; when there are more, `choose(n)` names the ones to forget (the default: those that met
    no new signature for longest). A forgotten event that comes again is a new group, its earlier lines keep their number.
    """

    def __init__(self, max_groups: int = 5_000, choose: Callable[[int], Iterable[int]] | None = None) -> None:
        """Start without any group. `choose` gets how many group numbers it must at least name."""
        self._max_groups = max_groups
        self._choose = choose or self._longest_unmet
        self._words = MaskedWords()
        self._by_line: dict[str, int] = {}
        self._by_signature: dict[Signature, int] = {}
        self._templates: dict[int, Signature] = {}
        self._buckets: dict[Bucket, dict[int, None]] = {}
        self._next = 0
        self.forgotten = 0

    def group_of(self, line: str) -> int:
        """Return the group number of one line (without its header: time, level and so on)."""
        words = self._words.words(line[:MAX_LINE].translate(SAME_DIGIT))
        masked = " ".join(words)
        found = self._by_line.get(masked)
        if found is None:
            found = self._by_line[masked] = self._by_new_line(words)
        return found

    def template(self, group: int) -> str:
        """Return the words of a group with `<*>` for what changes; raises KeyError when the group was forgotten."""
        return " ".join(self._templates[group])

    def size(self) -> int:
        """Return how many entries all tables hold together: the measure of memory."""
        tables = (self._words, self._by_line, self._by_signature, self._templates)
        return sum(len(table) for table in tables) + sum(len(bucket) for bucket in self._buckets.values())

    def _by_new_line(self, words: Sequence[str]) -> int:
        if len(self._by_line) >= _CACHED_SIGNATURES:
            self._by_line.clear()
        new = signature(words)
        found = self._by_signature.get(new)
        if found is None:
            if len(self._by_signature) >= _CACHED_SIGNATURES:
                self._by_signature.clear()
            found = self._by_signature[new] = self._by_likeness(new)
        return found

    def _by_likeness(self, new: Signature) -> int:
        bucket = self._buckets.setdefault(_bucket(new), {})
        best, best_likeness = None, 0.0
        for group, _ in zip(reversed(bucket), range(_COMPARED), strict=False):
            likeness = _likeness(self._templates[group], new)
            if likeness > best_likeness:
                best, best_likeness = group, likeness
        if best is None:
            return self._found(new)
        known = self._templates.pop(best)
        self._templates[best] = tuple(a if a == b else WILD for a, b in zip(known, new, strict=True))
        return best

    def _found(self, new: Signature) -> int:
        """Found a new group."""
        if len(self._templates) >= self._max_groups:
            self._forget(frozenset(self._choose(max(1, self._max_groups // 10))))
        group = self._next
        self._next += 1
        self._templates[group] = new
        self._buckets.setdefault(_bucket(new), {})[group] = None
        return group

    def _longest_unmet(self, count: int) -> list[int]:
        return [group for group, _ in zip(self._templates, range(count), strict=False)]

    def _forget(self, groups: frozenset[int]) -> None:
        for group in groups:
            del self._templates[group]
        self._by_line = {k: g for k, g in self._by_line.items() if g not in groups}
        self._by_signature = {k: g for k, g in self._by_signature.items() if g not in groups}
        left = {key: {g: None for g in bucket if g not in groups} for key, bucket in self._buckets.items()}
        self._buckets = {key: bucket for key, bucket in left.items() if bucket}
        self.forgotten += len(groups)


def group(lines: Iterable[str]) -> list[int]:
    """Return one group number per line, in order. Lines are expected without header.

    The frames of a trace share the number of the line that opened it: a trace is one event.
    """
    grouper = Grouper()
    group_of = grouper.group_of
    out: list[int] = []
    for line in lines:
        if out and line[:1].isspace() and _TRACE_LINE.match(line):
            out.append(out[-1])
        else:
            out.append(group_of(line))
    return out
