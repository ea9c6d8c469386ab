"""Command lines read strictly: what the stand-in does not know it refuses, as docker does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


class UnknownOption(Exception):
    """An option that this command does not have, or one without its value."""


@dataclass
class Read:
    """Options (all values in order; a switch has the value "") and the words after them."""

    options: dict[str, list[str]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)

    def last(self, name: str, default: str = "") -> str:
        """The last value of an option."""
        return self.options.get(name, [default])[-1]


def read(words: Sequence[str], known: Mapping[str, bool]) -> Read:
    """`known` says of each option whether it takes a value. Options end at the first word that is none, or at `--`."""
    found = Read()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--" or not word.startswith("-"):
            found.words = rest if word == "--" else [word, *rest]
            return found
        name, has_value, value = word.partition("=")
        if name not in known or (has_value and not known[name]):
            raise UnknownOption(name)
        if known[name] and not has_value:
            if not rest:
                raise UnknownOption(f"{name} without a value")
            value = rest.pop(0)
        found.options.setdefault(name, []).append(value)
    return found
