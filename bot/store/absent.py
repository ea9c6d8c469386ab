"""The stores where there is no Redis: reads of cloud and model go on without, the rest says what to set."""

from collections.abc import Mapping
from datetime import datetime

from bot.errors import NotConnectedError
from bot.nouns import Actor, EngineStart, Standing, Wish
from bot.ports import OpenWork, Question
from bot.requests import Request
from bot.view import View


def _no_redis() -> NotConnectedError:
    return NotConnectedError("Redis", "REDIS_URL")


class NoWork:
    """Implements `bot.ports.WorkBook`; every question says what to set."""

    async def under_way(self, team_id: str) -> tuple[OpenWork, ...]:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def answer(self, work_id: str) -> tuple[Request, View] | None:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def ask_to_stop(self, work_id: str) -> bool:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def asked_to_stop(self, work_id: str) -> bool:
        """Nobody could."""
        del work_id
        return False


class NoApprovals:
    """Implements `bot.ports.Approvals`; nothing can be asked or answered."""

    async def ask(self, question: Question) -> None:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def get(self, question_id: str) -> Question | None:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def spend(self, question: Question, by: Actor) -> bool:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def waiting(self, team_id: str, now: datetime) -> tuple[Question, ...]:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def decline(self, question: Question, by: Actor) -> bool:
        """Raises NotConnectedError."""
        raise _no_redis()


class NoAudit:
    """Implements `bot.ports.Audit`: what cannot be written down is not done."""

    async def note(self, team_id: str, entry: Mapping[str, str]) -> None:
        """Raises NotConnectedError."""
        raise _no_redis()


class NoDirectory:
    """Implements `bot.ports.Directory` for the terminal, where nobody asks Slack who people are."""

    async def standing(self, actor: Actor) -> Standing:
        """Whoever has a shell here is a member, and no more than that unless TERMINAL_USER says so."""
        del actor
        return Standing.MEMBER

    async def in_group(self, actor: Actor, group_id: str) -> bool:
        """User groups are not looked up."""
        del actor, group_id
        return False


class NoWishes:
    """Implements `bot.ports.Wishes` where nothing is remembered: no engine is known to be made by us."""

    async def current(self, team_id: str, deployment: str) -> Wish | None:
        """Nothing is known."""
        del team_id, deployment
        return None

    async def past(self, team_id: str, deployment: str) -> tuple[Wish, ...]:
        """Nothing is known."""
        del team_id, deployment
        return ()

    async def put(self, team_id: str, wish: Wish) -> None:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def note_start(self, team_id: str, deployment: str, start: EngineStart) -> None:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def starts(self, team_id: str, deployment: str) -> tuple[EngineStart, ...]:
        """Nothing is known."""
        del team_id, deployment
        return ()


class NoTunnels:
    """Implements `bot.ports.Tunnels` where nothing is remembered: none is known."""

    async def port(self, team_id: str, deployment: str) -> int | None:
        """None is known."""
        del team_id, deployment
        return None

    async def hold(self, team_id: str, deployment: str, port: int) -> None:
        """Raises NotConnectedError."""
        raise _no_redis()

    async def drop(self, team_id: str, deployment: str) -> None:
        """Raises NotConnectedError."""
        raise _no_redis()
