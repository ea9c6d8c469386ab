"""`help`, and `/gemma` alone: what can be asked, read off the table itself."""

from collections.abc import Callable

from pydantic import BaseModel

from bot.errors import UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.command_line import near, usage
from bot.operations.operation import AnyOperation, Arguments, Context, Operation, Registry
from bot.operations.values import GivenName
from bot.view import Button, View, bold, code, line

FIRST = (
    *("status", "ask", "errors", "logs", "metrics", "changes", "memory", "machines"),
    *("find", "deploy", "change", "engine", "bench", "cost", "report", "watch"),
)
"""The sixteen words by task that help shows first (operations.md); those that exist are shown."""


class HelpArguments(Arguments):
    """A word of the table, or `all`."""

    word: GivenName | None = None


class Help(BaseModel):
    """Lines of (how it is typed, what it gives), and what else there is."""

    title: str
    rows: tuple[tuple[str, str], ...]
    words: tuple[str, ...]


def help_operation(table: Callable[[], Registry]) -> AnyOperation:
    """The operation over a table that includes itself; hence a function that returns the table."""

    async def run(_context: Context, arguments: HelpArguments) -> Help:
        return _help(table(), arguments.word)

    return Operation(
        path="help",
        summary="what can be asked, and how",
        when_to_use="When somebody does not know the word.",
        example="help status",
        arguments=HelpArguments,
        effect=Effect.READS,
        role=Role.VIEWER,
        seen_by=SeenBy.YOU,
        run=run,
        show=show,
        was=("get_help",),
    )


def _help(registry: Registry, word: str | None) -> Help:
    shown = [operation for operation in registry if operation.path and not operation.hidden]
    words = tuple(dict.fromkeys(operation.words[0] for operation in shown))
    if word is None or word == "all":
        wanted = shown if word == "all" else [one for one in shown if one.words[0] in FIRST] or shown
        rows = tuple((" ".join(one.words), one.summary) for one in wanted)
        return Help(title="All that can be asked" if word else "What you can ask", rows=rows, words=words)
    matching = [one for one in shown if one.words[0] == word]
    if not matching:
        close = tuple(f"help {name}" for name in near(registry, word))
        raise UsageError(f"I do not know the word “{word}”.", near=close, next_step="/gemma help all shows every word.")
    return Help(title=matching[0].when_to_use, rows=tuple((usage(one), one.summary) for one in matching), words=words)


def show(found: Help, _context: Context) -> View:
    """Six lines at a glance, the rest behind Details."""
    lines = tuple(line(code(typed), f" {gives}") for typed, gives in found.rows)
    return View(
        verdict=line(bold(found.title)),
        lines=lines[:6],
        details=lines[6:],
        buttons=(Button(label="All words", words="help all"),) if len(found.words) > len(found.rows) else (),
    )
