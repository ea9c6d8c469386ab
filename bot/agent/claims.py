"""What an answer may not hold: an action that nobody took, a piece of the standing orders, a secret, an address from nowhere."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from bot.diagnosis.secrets import redact
from bot.diagnosis.tokens import word_set

NOTHING_DONE: Final = "I changed nothing: only a person can, by pressing a button."
WITHHELD: Final = "[left out]"

RUN: Final = 8
"""Words in a row that stand in the standing orders too: a quotation, for our own sentences share no eight words with them."""

_VERBS = word_set(
    "restart re-start reboot stop start kill terminat delet destroy remov creat provision deploy redeploy roll scal resiz "
    "chang updat set increas decreas lower rais limit enabl disabl appl patch fix clear drain approv cancel "
    "notif page alert post send execut run trigger initiat switch mov upgrad downgrad rotat revok purg wip shut"
)
_IRREGULAR = ("sent", "ran", "rolled back", "shut down", "set up", "taken down", "took down", "brought")
_DOING = rf"(?:(?:{'|'.join(sorted(_VERBS))})(?:p|n|l|t)?(?:ed|d|ied|e)|{'|'.join(_IRREGULAR)}|set)"
_DEED = r"(?:destruction|deletion|restart|rollback|deployment|shutdown|scale-?up|termination)"
_HAVE = r"(?:['’]ve|['’]m| have| had| just| already| now| successfully| also|,)*"
_CLAIM = re.compile(
    rf"\b(?:I|we){_HAVE}\s+(?:just |already |now |successfully |also )*{_DOING}\b"
    rf"|\b(?:successfully|now been|just been|hereby) {_DOING}\b"
    rf"|\b(?:I|we)(?:['’]m| am| are|['’]re) (?:now )?(?:{'|'.join(sorted(_VERBS))})\w*ing\b"
    rf"|^\W*(?:done|completed|executed|destroyed|deleted|restarted)\b[\s.:!,—-]"
    rf"|\b{_DEED} (?:is |was |has been )?(?:now )?(?:complete|completed|successful|done|initiated|triggered)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|nothing|no|cannot|can|(?:ca|did|have|could)n['’]t|would|could|should|if)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[A-Za-z']+")
_ADDRESS = re.compile(r"\b(?:https?|ftp|mailto|slack|file|data)(?::|%3A)[/\\]*\S+|\bwww\.\S+", re.IGNORECASE)
_OPAQUE = re.compile(r"(?<![\w/+=-])[A-Za-z0-9+/_=-]{40,}(?![\w/+=-])")
"""A word that nobody reads: Base64 of what was not to be said, for instance."""
_SPELLED = re.compile(r"(?:\b\w[ ._-]{1,3}){12,}\w?\b")
"""Letter by letter."""
_DRESS = re.compile(r"\*\*|__|^#{1,6}\s+|^>\s+|`{3}\w*", re.MULTILINE)
_RAW_CALL = re.compile(r"<\|?tool_?call|call:[a-z_]+\{|\{\s*\"(?:name|tool|function)\"\s*:", re.IGNORECASE)


def is_raw_call(text: str) -> bool:
    """Whether this is no answer but a call that was written where none can be made."""
    return _RAW_CALL.search(text) is not None


def undressed(text: str) -> str:
    """The words without Markdown, which would stand there as it is written, and in letters and digits that can be checked."""
    return _DRESS.sub("", "".join(map(_seen, text))).strip()


def _seen(char: str) -> str:
    """Nothing invisible; wide letters as plain ones, and the digits of all scripts as 0 to 9."""
    if char.isascii():
        return char
    if unicodedata.category(char) == "Cf":
        return ""
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


def action_claims(text: str) -> list[str]:
    """Sentences that say that something was done by who answers. Nothing ever was: it only reads."""
    return [sentence for sentence in _sentences(text) if _CLAIM.search(sentence) and not _DENIED.search(sentence)]


def without_actions(text: str) -> str:
    """The answer with what is true in the place of each such sentence."""
    for sentence in action_claims(text):
        text = text.replace(sentence, NOTHING_DONE, 1)
    first, *rest = text.split(NOTHING_DONE)
    return text if not rest else first + NOTHING_DONE + "".join(rest)


def _sentences(text: str) -> Iterator[str]:
    for row in text.splitlines():
        yield from (one for one in _SENTENCE.split(row) if one.strip())


def quotes(text: str, of: Sequence[str]) -> list[str]:
    """Lines of the answer that hold a run of words of these texts (the standing orders)."""
    known = {run for one in of for run in _runs(_WORD.findall(one.lower()))}
    words = [(word.lower(), number) for number, row in enumerate(text.splitlines()) for word in _WORD.findall(row)]
    hit: set[int] = set()
    for at in range(len(words) - RUN + 1):
        if tuple(word for word, _ in words[at : at + RUN]) in known:
            hit |= {number for _, number in words[at : at + RUN]}
    rows = text.splitlines()
    return [rows[number] for number in sorted(hit)]


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


def without_quotes(text: str, of: Sequence[str]) -> str:
    """The answer without the lines that quote these texts."""
    out = set(quotes(text, of))
    return "\n".join(row for row in text.splitlines() if row not in out)


def without_secrets(text: str, known: str) -> str:
    """No secret, and no address that does not stand in `known` (the results): opening one could carry data out."""
    hidden = redact(text).text
    for form in (_ADDRESS, _OPAQUE, _SPELLED):
        hidden = form.sub(lambda found: found[0] if found[0].rstrip(".,)") in known else WITHHELD, hidden)
    return hidden
