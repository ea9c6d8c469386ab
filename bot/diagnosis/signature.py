"""From the masked words of one line to its signature: dates, quantities, quoted text and lists no longer tell lines apart."""

import re
from collections.abc import Sequence

from bot.diagnosis.tokens import WILD, word_set

Signature = tuple[str, ...]

_DAYS_AND_MONTHS = word_set("Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
_UNITS = word_set("b kb mb gb tb kib mib gib s sec secs second seconds ms msec us usec ns min mins minute minutes h hour hours")
_RESTATED = re.compile(r"\(<\*> ?[A-Za-z]{1,3}\)\s*")
_AROUND = ".,;:()[]{}<>\"'"
_LONGEST_PERIOD = 4
_LONGEST_QUOTE = 16
"""Words that quoted text may span before the quote counts as an apostrophe."""


def _is_value(word: str) -> bool:
    return WILD in word and word.strip(_AROUND) == "*"


def _is_date_part(words: Sequence[str], at: int, before: str) -> bool:
    if words[at] not in _DAYS_AND_MONTHS:
        return False
    after = words[at + 1] if at + 1 < len(words) else ""
    return _is_value(after) or after in _DAYS_AND_MONTHS or _is_value(before)


def _end_of_quote(words: Sequence[str], at: int) -> int | None:
    """Index of the word that closes the quote opened as `key="` in word `at`, None when none does."""
    quote = words[at][words[at].rindex("=") + 1 :][:1]
    if quote not in {'"', "'"}:
        return None
    for i in range(at + 1, min(len(words), at + _LONGEST_QUOTE)):
        if quote in words[i]:
            return i
    return None


def _join_quoted(words: Sequence[str]) -> list[str]:
    """`tag="<*> Lock", name=<*>` -> `tag=<*>, name=<*>`: a quoted value is one value however many words it has."""
    out: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        end = _end_of_quote(words, at) if "=" in word else None
        if end is None:
            out.append(word)
            at += 1
            continue
        key, quote = word[: word.rindex("=") + 1], word[word.rindex("=") + 1]
        out.append(key + WILD + words[end].rpartition(quote)[2])
        at = end + 1
    return out


def _without_units(words: Sequence[str]) -> list[str]:
    """`<*> ms` -> `<*>`: the unit goes with the size of the number. Dates and empty brackets become values as well."""
    out: list[str] = []
    for at, word in enumerate(words):
        before = out[-1] if out else ""
        bare = word.rstrip(",.;")
        if _is_date_part(words, at, before):
            word = WILD
        elif word == "()":
            word = f"({WILD})"
        elif before == WILD and bare.lower() in _UNITS:
            out[-1] = WILD + word[len(bare) :]
            continue
        elif word.startswith("<" + WILD):
            word = word[1:]
        if _is_value(before) and word.rstrip(",") == WILD:
            continue
        out.append(word)
    return out


def _without_repeats(words: list[str]) -> list[str]:
    """`node <*> <ok> node <*> <ok>` -> `node <*> <ok>`: a list is one value however long it is."""
    for period in range(1, _LONGEST_PERIOD + 1):
        kept: list[str] = []
        for word in words:
            kept.append(word)
            again = kept[-period:]
            if len(kept) >= 2 * period and kept[-2 * period : -period] == again and any(WILD in w for w in again):
                del kept[-period:]
        words = kept
    return words


def signature(words: Sequence[str]) -> Signature:
    """Return the signature of a line from its masked words. Its length does not depend on lists, units or restated sizes."""
    text = " ".join(words)
    if "(<*> " in text:  # "1190 bytes (1.16 KB) sent": the bracket says the same number again
        words = _RESTATED.sub("", text).split()
    if '"' in text or "'" in text:
        words = _join_quoted(words)
    return tuple(_without_repeats(_without_units(words)))
