"""Masking of one word of a log line: what is surely a value becomes `<*>`, what names the event stays.

All rules are general properties of log text, one setting for every source. Every expression starts at the beginning of a
sub-word (look-behind), so that a word costs time linear in its length.
"""

import re

WILD = "<*>"
"""Stands for a value. The notation is the one that log-template miners share."""

MAX_WORD = 200
"""Characters of one word that are looked at. Longer words are data (base64, JSON), not the name of an event."""

MAX_LINE = 2_000
"""Characters of one line that take part in grouping; what tells events apart stands in front."""

_CACHED_WORDS = 50_000

SAME_DIGIT = str.maketrans("123456789", "0" * 9)
"""Makes all digits alike, so that `port 52631` and `port 49811` are the same word to the cache."""

_KEY_VALUE = re.compile(r"""(?<![\w.\-])([A-Za-z_][\w.\-]*)=(?!=)("[^"]*"?|'[^']*'?|[^\s,;&|)\]}"']*)""")
_URL = re.compile(r"""(?<![\w+.\-])[a-z][a-z0-9+.\-]*://[^\s,;)\]}"']*""")
_PATH = re.compile(
    r"""(?<![\w<*>.])(?:[A-Za-z]:)?[/\\][\w.\-*$%@+~]+(?:[/\\][\w.\-*$%@+~]*)*"""
    r"""|(?<![\w.\-])\w[\w.\-]*(?:/[\w.\-*$]+){2,}"""
)
_HOST = re.compile(
    r"(?<![\w.\-])(?:[a-z0-9\-]+\.)+(?:com|net|org|edu|gov|mil|int|io|info|biz|local|internal|(?!py|rs|so|sh|cc|pl|md)[a-z]{2})(?![\w.\-])"
)
_BREAKS = r"""\s=:,;()\[\]{}"'|<>"""
_NUMBER = re.compile(rf"(?<![^{_BREAKS}])[^{_BREAKS}\d]*\d[^{_BREAKS}]*")
_RUN = re.compile(r"<\*>(?:[:,;/.]+<\*>)+")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def _value(match: re.Match[str]) -> str:
    value = match[2]
    opened = value[:1] in {'"', "'"} and (len(value) == 1 or value[-1] != value[0])
    return f"{match[1]}={value[0] if opened else ''}{WILD}"


def mask(word: str) -> str:
    """Return the word with its values masked. `port=22` -> `port=<*>`, `/var/log/a` -> `<*>`, `blk_-12` -> `<*>`.

    The value after `key=` is a value by construction; so are addresses, paths, host names and whatever holds a digit.
    A quoted value that goes on in the next word keeps its opening quote: `tag="View` -> `tag="<*>`.
    """
    if word.isalpha():
        return word
    tail = ""
    if len(word) > MAX_WORD:
        word, tail = word[:MAX_WORD], WILD
    if "=" in word:
        word = _KEY_VALUE.sub(_value, word)
    if "/" in word or "\\" in word:
        word = _PATH.sub(WILD, _URL.sub(WILD, word))
    if "." in word:
        word = _HOST.sub(WILD, word)
    return _RUN.sub(WILD, _NUMBER.sub(WILD, word) + tail)


class MaskedWords(dict[str, str]):
    """Raw word -> masked word, a bounded cache: it starts again when full, which changes no result (mask is pure)."""

    def __missing__(self, word: str) -> str:
        """Mask a word that is not cached."""
        if len(self) >= _CACHED_WORDS:
            self.clear()
        masked = self[word] = mask(word)
        return masked

    def words(self, line: str) -> list[str]:
        """Split a line at white space and mask each word. `line` is expected to have passed SAME_DIGIT."""
        return [self[word] for word in line.split()]
