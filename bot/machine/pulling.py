"""How far a pull has come, read from docker's lines (`LAYER: Pulling fs layer`, `... Download complete`, `... Pull complete`)."""

import re

_LAYER = re.compile(
    r"([0-9a-f]{12}): (Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists)"
)
_DONE = frozenset({"Pull complete", "Already exists"})


class PullProgress:
    """Counts layers. `take` returns a sentence when another one is done."""

    def __init__(self) -> None:
        """No layer is known yet."""
        self._layers: dict[str, bool] = {}

    def take(self, line: str) -> str | None:
        """The news of this line for people, or None."""
        match = _LAYER.match(line)
        if match is None:
            return None
        before = self._done
        self._layers[match[1]] = self._layers.get(match[1], False) or match[2] in _DONE
        if self._done == before:
            return None
        return f"pulling the image: {self._done} of {len(self._layers)} layers"

    @property
    def _done(self) -> int:
        return sum(self._layers.values())
