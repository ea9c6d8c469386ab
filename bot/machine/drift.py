"""How a container differs from what is wanted, flag by flag. Pure."""

from collections.abc import Iterable, Sequence

from bot.nouns import Container, Drift

_OURS_TO_COMPARE = ("VLLM_", "JAX_", "XLA_", "LIBTPU_", "TPU_", "HF_")
"""Variables that a specification sets; images bring others of their own."""


def drift_of(wanted: Container, image: str | None, arguments: Sequence[str], env: Iterable[str]) -> tuple[Drift, ...]:
    """The differences: image first, then flags, then variables. Variables that only the image brought are no difference."""
    found = [] if image == wanted.image else [Drift(what="image", wanted=wanted.image, found=image)]
    found += _differences(as_flags(wanted.arguments), as_flags(arguments))
    present = dict(one.partition("=")[::2] for one in env)
    expected = wanted.environment
    compared = {name: value for name, value in present.items() if name in expected}
    return tuple(found + _differences(dict(expected), compared))


def as_flags(arguments: Sequence[str]) -> dict[str, str]:
    """Arguments of `vllm serve` by flag; the model, which comes without one, is "model"; a switch has the value "on"."""
    flags: dict[str, str] = {}
    name: str | None = None
    for word in arguments:
        if word.startswith("--"):
            name, has_value, value = word.partition("=")
            name = "--" + name[2:].replace("_", "-")
            flags[name] = value if has_value else "on"
            name = None if has_value else name
        elif name is not None:
            flags[name] = word
            name = None
        else:
            flags["model"] = word
    if "--model" in flags:
        flags["model"] = flags.pop("--model")
    return flags


def _differences(wanted: dict[str, str], found: dict[str, str]) -> list[Drift]:
    return [
        Drift(what=name, wanted=wanted.get(name), found=found.get(name))
        for name in sorted(wanted.keys() | found.keys())
        if wanted.get(name) != found.get(name)
    ]
