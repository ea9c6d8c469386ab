"""Secrets in memory."""

from dataclasses import dataclass, field

from pydantic import SecretStr

from bot.errors import PersonMovesNext
from bot.ports import Authorised


@dataclass
class Vault:
    """Implements `bot.ports.Secrets`; `errors` are raised by the next calls, `leaves` is what was shown to store."""

    kept: dict[str, list[SecretStr]] = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)
    leaves: list[Authorised] = field(default_factory=list)

    async def store(self, leave: Authorised, name: str, value: SecretStr) -> str:
        self.leaves.append(leave)
        if self.errors:
            raise self.errors.pop(0)
        self.kept.setdefault(name, []).append(value)
        return str(len(self.kept[name]))

    async def access(self, name: str, version: str = "latest") -> SecretStr:
        if self.errors:
            raise self.errors.pop(0)
        if name not in self.kept:
            raise PersonMovesNext(f"There is no secret {name}.")
        return self.kept[name][-1 if version == "latest" else int(version) - 1]
