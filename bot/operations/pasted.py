"""A pasted secret: its author alone is told, and nothing that came with it is run (messages.md)."""

from collections.abc import Sequence
from urllib.parse import unquote

from pydantic import BaseModel

from bot.diagnosis.secrets import Kind
from bot.nouns import Effect, Role, SeenBy
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.wording import listed
from bot.view import Line, Shape, View, bold, code, line


class PastedArguments(Arguments):
    """`name:hint:issuer`, each percent-encoded, with commas between."""

    found: str


class Pasted(BaseModel):
    """What was found, as (name, hint, issuer)."""

    kinds: tuple[tuple[str, str, str], ...]


async def run(_context: Context, arguments: PastedArguments) -> Pasted:
    """Only read back what the door found."""
    parts = (one.split(":") for one in arguments.found.split(","))
    return Pasted(kinds=tuple((unquote(part[0]), unquote(part[1]), unquote(part[2])) for part in parts if len(part) == 3))


def show(found: Pasted, _context: Context) -> View:
    """In a channel, where everybody could read it."""
    return telling([Kind(*one) for one in found.kinds], posted=True)


def telling(kinds: Sequence[Kind], *, posted: bool) -> View:
    """What the author is told. `posted` is a message that others can read; a command was seen by nobody else."""
    named = listed([f"{_article(one.name)} ({one.hint})" for one in kinds]) or "a secret"
    return View(
        verdict=line(bold(f"That looks like {named}")),
        shape=Shape.CONCERN,
        lines=(line("I did not run, store or repeat it, but treat it as leaked:"), *_steps(kinds, posted=posted)),
    )


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def _steps(kinds: Sequence[Kind], *, posted: bool) -> list[Line]:
    issuers = listed(list(dict.fromkeys(one.issuer or "the place that issued it" for one in kinds)))
    steps = [line("delete your message: I cannot delete it for you")] if posted else []
    steps.append(line(f"revoke it at {issuers}"))
    if any(one.issuer == "Hugging Face" for one in kinds):
        steps.append(line("give me the new one with ", code("/gemma token"), ", which never shows it to anybody"))
    else:
        steps.append(line("put the new one where the bot runs, never into a message"))
    return [line(f"{number}) ", *step) for number, step in enumerate(steps, 1)]


PASTED = Operation(
    path="pasted",
    summary="what to do about a pasted secret",
    when_to_use="Said by the door, not typed.",
    example="pasted found=Hugging%20Face%20token:hf_:Hugging%20Face",
    arguments=PastedArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    hidden=True,
    whisper=True,
)
