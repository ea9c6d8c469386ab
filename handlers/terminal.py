"""`gemma`: the same words as in Slack, typed in a terminal; and the commands that run the processes."""

import asyncio
import getpass
import json
import os
import sys
import uuid
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from pydantic import SecretStr, ValidationError

from bot.errors import BotError
from bot.log import configure
from bot.settings import Settings, from_environment

processes = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Ask as in Slack (gemma status, gemma machines, …; gemma help lists the words), or run a part of the bot.",
    epilog="gemma WORD … [--json]: the answer as people read it, or the result as JSON. gemma help WORD says how it is typed.",
)

HELP = frozenset({"--help", "-h"})
INTERRUPTED = 130
"""What a shell shows for a command that Ctrl-C ended: 128 + SIGINT."""


def _settings() -> Settings:
    """Exit code 2 names the variables that are wrong; their values may be secrets and are not shown."""
    try:
        settings = from_environment()
    except ValidationError as error:
        for one in error.errors():
            print(f"{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}", file=sys.stderr)
        raise SystemExit(2) from None
    configure(settings.log_level)
    return settings


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run a process on uvloop; what a person can put right is one line and exit code 2."""
    import uvloop

    try:
        uvloop.run(work)
    except BotError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None


@processes.command()
def web() -> None:
    """Listen to Slack."""
    from handlers import web as listening

    _run(listening.run(_settings()))


@processes.command()
def worker() -> None:
    """Do the work: forks the workers of all queues."""
    from jobs.supervisor import Supervisor, places

    settings = _settings()
    Supervisor(settings, places(settings)).run()


@processes.command()
def clock() -> None:
    """Kick due work, sample deployments, tell our own figures."""
    from jobs import clock as ticking

    _run(ticking.run(_settings()))


@processes.command()
def tunnel() -> None:
    """Hold SSH forwards to engines that are reached through their machine only."""
    from jobs import tunnel as holding

    _run(holding.run(_settings()))


@processes.command()
def manifest(http_url: Annotated[str | None, typer.Option(help="Public https address, for HTTP mode")] = None) -> None:
    """Print the Slack app manifest."""
    from handlers.slack.manifest import manifest as made

    try:
        print(json.dumps(made(http_url), indent=2))
    except BotError as error:
        raise typer.BadParameter(str(error), param_hint="--http-url") from None


@processes.command()
def docs() -> None:
    """Print docs/operations.md, read off the table of operations."""
    from handlers.reference import reference

    print(reference(), end="")


@processes.command()
def sandbox(
    say: Annotated[list[str] | None, typer.Option(help="Type this line; may be given more than once")] = None,
    user: Annotated[str, typer.Option(help="Who types: anna, ben, carla, dana")] = "anna",
    channel: Annotated[str, typer.Option(help="Where: #ops, #general or @gemma")] = "#ops",
    port: Annotated[int, typer.Option(help="Port of the page; 0 takes a free one")] = 0,
) -> None:
    """Run everything against stand-ins on this machine, with a page to type in."""
    from sandbox import command

    typing = command.Typing(tuple(say or ()), user, channel)
    raise typer.Exit(asyncio.run(command.say(typing) if say else command.serve(port)))


@processes.command()
def evals(
    base_url: Annotated[str | None, typer.Option(help="Where the model is served; without it the rules alone are scored")] = None,
    model: Annotated[str | None, typer.Option(help="Its id, as the server lists it")] = None,
    times: Annotated[int, typer.Option(min=1, max=100, help="How often each question is asked")] = 1,
    only: Annotated[list[str] | None, typer.Option(help="A world or a kind of them; may be given more than once")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> None:
    """Ask a model the questions of the recorded worlds, and score what it answers."""
    from evals import command

    wanted = command.Wanted(base_url, model, _settings().model_api_key, times, tuple(only or ()), as_json)

    async def told() -> None:
        for line in await command.run(wanted):
            print(line)

    _run(told())


PROCESSES = frozenset({"web", "worker", "clock", "tunnel", "manifest", "docs", "sandbox", "evals"})


async def ask(words: list[str], *, as_json: bool, secret: SecretStr | None = None) -> int:
    """Ask in the terminal what could be asked in Slack: no workers, and for reads no Redis. 0, or 1 when it did not work.

    `secret` is what was asked for at a prompt beforehand.
    """
    from bot.nouns import Actor
    from bot.operations import OPERATIONS
    from bot.operations.bench_check import PATH, bench_check_operation
    from bot.operations.execute import execute
    from bot.requests import Door, Place, Request
    from bot.services import at_hand
    from handlers.table_file import taken_from
    from handlers.text import render
    from handlers.token_prompt import with_token

    settings = _settings()
    try:
        words, table = taken_from(words)
        registry = tuple(bench_check_operation(table) if one.path == PATH and table is not None else one for one in OPERATIONS)
        registry = with_token(registry, secret)
        async with at_hand(settings) as services:
            user = settings.terminal_user or f"terminal:{getpass.getuser()}"
            request = Request(
                id=uuid.uuid4().hex,
                door=Door.TERMINAL,
                actor=Actor(team_id=services.team_id, user_id=user),
                place=Place(channel="terminal"),
                words=" ".join(words),
                at=datetime.now(UTC),
            )
            outcome = await execute(registry, services, request)
    except BotError as error:
        return _failed(error, as_json=as_json)
    print(json.dumps(outcome.result, indent=2) if as_json else render(outcome.view, colour=sys.stdout.isatty()), flush=True)
    return 0


def _failed(error: BotError, *, as_json: bool) -> int:
    """Tell it where errors belong."""
    from bot.operations.telling import told
    from handlers.text import render

    print(json.dumps({"error": str(error)}) if as_json else render(told(error)), file=sys.stderr)
    return 1


def _words(typed: list[str]) -> list[str]:
    """What was typed as words of the table: `gemma status --help` asks for help on status."""
    if HELP & set(typed):
        return ["help", *[word for word in typed if word not in HELP][:1]]
    return [word for word in typed if word != "--json"]


def _told(words: list[str]) -> int:
    """The exit code of a question. Ctrl-C ends it without a word; so does whoever stopped reading (`gemma help all | head`)."""
    from handlers.token_prompt import asked_for

    as_json, asked = "--json" in words, _words(words)
    try:
        secret = asked_for(asked)
        return asyncio.run(ask(asked, as_json=as_json, secret=secret))
    except BotError as error:
        return _failed(error, as_json=as_json)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains once more at its end
        return 0


def main() -> None:
    """The entry point: a process command, or words of the table."""
    words = sys.argv[1:]
    if words and (words[0] in PROCESSES or words[0] in HELP):
        processes()
        return
    sys.exit(_told(words))


if __name__ == "__main__":
    main()
