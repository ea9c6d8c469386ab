"""A change of an engine in words, the same in `changes` and in `status`."""

from collections.abc import Callable

from bot.nouns import Happened, Happening, Move

MOVES_TOLD = 3


def told(happening: Happening) -> str:
    """`engine restarted`, `vLLM 0.26.0 → 0.32.0`, `setting gpu_memory_utilization 0.92 → 0.95`."""
    return _WORDS[happening.kind](happening)


def _moves(happening: Happening, tell: Callable[[Move], str]) -> str:
    moves = [tell(one) for one in happening.moves[:MOVES_TOLD]]
    left = len(happening.moves) - len(moves)
    return ", ".join(moves) + (f" and {left} more" if left else "")


def _from_to(move: Move) -> str:
    return f"{move.before} → {move.after}"


def _setting(move: Move) -> str:
    return f"{move.what} {_set(move.before)} → {_set(move.after)}"


def _set(value: str) -> str:
    """vLLM writes Python's None for what was left to itself."""
    return "not set" if value in {"", "None"} else value


_WORDS: dict[Happened, Callable[[Happening], str]] = {
    Happened.RESTARTED: lambda _: "engine restarted",
    Happened.SILENT: lambda _: "engine stopped answering",
    Happened.ANSWERS: lambda _: "engine answers again",
    Happened.VERSION: lambda one: f"vLLM {_moves(one, _from_to)}",
    Happened.MODEL: lambda one: f"served model {_moves(one, _from_to)}",
    Happened.WINDOW: lambda one: f"window {_moves(one, _from_to)} tokens",
    Happened.SETTINGS: lambda one: f"setting{'s' if len(one.moves) > 1 else ''} {_moves(one, _setting)}",
}
