"""TPU slice names: what people type, what Google calls it, how many chips it is."""

import re

from bot.errors import UsageError
from bot.nouns import Slice

SINGLE_HOST: tuple[str, ...] = (
    "v6e-1",
    "v6e-4",
    "v6e-8",
    "v5litepod-1",
    "v5litepod-4",
    "v5litepod-8",
    "v5p-8",
    "tpu7x-4",
)
"""Slices that one machine serves (Cloud TPU docs, 2026-08). Larger ones need a container on every host."""

_CHIPS: dict[str, tuple[int, ...]] = {
    "v6e": (1, 4, 8, 16, 32, 64, 128, 256),
    "v5e": (1, 4, 8, 16, 32, 64, 128, 256),
    "v7x": (4,),
}
_WORDS: dict[str, str] = {
    "v6e": "v6e",
    "trillium": "v6e",
    "v5e": "v5e",
    "v5lite": "v5e",
    "v5litepod": "v5e",
    "v5p": "v5p",
    "v7x": "v7x",
    "tpu7x": "v7x",
    "ironwood": "v7x",
}
_NAME = re.compile(r"(?:tpu[-_ ])?(v6e|trillium|v5litepod|v5lite|v5e|v5p|tpu7x|v7x|ironwood)[-_ ]?(\d{1,4})", re.ASCII)
_MACHINE_TYPE = re.compile(r"(ct6e-standard|ct5p-hightpu|tpu7x-standard)-(\d{1,2})t", re.ASCII)
_MACHINE_GENERATION = {"ct6e-standard": "v6e", "ct5p-hightpu": "v5p", "tpu7x-standard": "v7x"}


def parse(name: str) -> Slice:
    """A slice from "v6e-4", "v5e-8", "v5litepod-8", "v5p-8", "tpu7x-4" or a machine type such as "ct6e-standard-4t".

    v5p names count cores, two to a chip: v5p-8 is 4 chips. Raises UsageError with the slices that exist.
    """
    said = name.strip().lower()
    machine = _MACHINE_TYPE.fullmatch(said)
    if machine:
        return _slice(_MACHINE_GENERATION[machine[1]], int(machine[2]), said)
    match = _NAME.fullmatch(said)
    if match is None:
        raise _unknown(said)
    generation, number = _WORDS[match[1]], int(match[2])
    if generation == "v5p":
        if number < 8 or number % 8:
            raise UsageError(f"v5p names count cores: the smallest is v5p-8 (4 chips), not {said[:40]}", near=("v5p-8",))
        return _slice("v5p", number // 2, said)
    return _slice(generation, number, said)


def generation(word: str) -> str | None:
    """The generation a word means ("trillium" is v6e), or None."""
    return _WORDS.get(word.strip().lower())


def _slice(generation: str, chips: int, said: str) -> Slice:
    """The slice by Google's own name, after a look whether that many chips are sold."""
    if generation != "v5p" and chips not in _CHIPS[generation]:
        raise _unknown(said)
    names = {"v6e": f"v6e-{chips}", "v5e": f"v5litepod-{chips}", "v5p": f"v5p-{chips * 2}", "v7x": f"tpu7x-{chips}"}
    return Slice(name=names[generation], generation=generation, chips=chips)


def _unknown(said: str) -> UsageError:
    return UsageError(f"I do not know the TPU slice {said[:40]!r}", usage="one of " + ", ".join(SINGLE_HOST), near=SINGLE_HOST)


def hosts(piece: Slice) -> int:
    """Machines that make the slice: v6e and v5e up to 8 chips on one, larger ones of 4-chip hosts; v5p and v7x 4 a host."""
    if piece.generation in {"v6e", "v5e"}:
        return 1 if piece.chips <= 8 else piece.chips // 4
    return max(1, piece.chips // 4)
