"""Reads a command as a POSIX shell would, and refuses whatever a shell would do more than split into words."""

import re

_WORD = re.compile(r"""'[^']*'|"'"|[A-Za-z0-9@%+=:,./_-]+""", re.ASCII)
BLANKS = " \t\n"


class NotQuoted(Exception):
    """Something stands outside quotes that a shell would act upon."""


def split(command: str) -> list[str]:
    """The words. Single quotes, a quoted single quote, and plain characters: all that careful quoting makes. Else NotQuoted."""
    words: list[str] = []
    at = 0
    while at < len(command):
        if command[at] in BLANKS:
            at += 1
            continue
        word, at = _word(command, at)
        words.append(word)
    return words


def _word(command: str, at: int) -> tuple[str, int]:
    """The word that begins here, and where it ends."""
    word = ""
    while at < len(command) and command[at] not in BLANKS:
        match = _WORD.match(command, at)
        if match is None:
            raise NotQuoted(command[at : at + 20])
        word += match[0][1:-1] if match[0][0] in "'\"" else match[0]
        at = match.end()
    return word, at
