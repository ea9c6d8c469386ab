"""`setup`: the first admin by a one-time code, and deployments that already run taken over by their address."""

import re
from typing import Annotated

from pydantic import BaseModel, ValidationError

from bot.errors import BotError, NotConnectedError, PersonMovesNext, RefusedError, UsageError
from bot.nouns import Deployment, Effect, Role, SeenBy
from bot.operations.access import check_role
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.values import Form, GivenName
from bot.ports import House
from bot.view import Button, Line, Mention, Shape, View, bold, code, line

SEALED = Form("setup code from the log of `web`", re.compile(r"[0-9a-f]{32}"), "0a1b2-c3d4e-5f607-18293")
"""The digest that the door puts in the code's place (`handlers.slack.secrets`)."""


NO_ADMIN_YET = "Nobody is admin here yet, and only admins set up deployments."


class SetupArguments(Arguments):
    """The one-time code, for the first admin."""

    code: Annotated[str, SEALED] | None = None


class SetUp(BaseModel):
    """`admin` is the user who just became one; else `admins` says whether there are any."""

    admin: str | None = None


async def run(context: Context, arguments: SetupArguments) -> SetUp:
    """With a code its first user becomes admin. Raises RefusedError for a wrong one, and for whoever is no admin."""
    if arguments.code is None:
        if not context.services.grants.admins and context.role < Role.ADMIN:
            raise RefusedError(NO_ADMIN_YET, next_step="The log of the web process shows a code: /gemma setup CODE.")
        check_role(context.services, Role.ADMIN, context.role)
        return SetUp()
    house = _house(context)
    if context.services.grants.admins:
        raise RefusedError("There is an admin already, so the code is worth nothing.", next_step="Ask them.")
    if not await house.roles.first_admin(context.services.team_id, arguments.code, context.actor.user_id):
        raise RefusedError(
            "That is not the code, or it was used, or it is older than an hour.",
            next_step="Restart the web process: its log shows a new one.",
        )
    return SetUp(admin=context.actor.user_id)


def _house(context: Context) -> House:
    if context.services.house is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    return context.services.house


def show(found: SetUp, _context: Context) -> View:
    """A form needs a press to open, so there is a button."""
    open_form = Button(label="Set up a deployment", words="setup", style="primary")
    if found.admin is None:
        return View(verdict=line(bold("Setting up"), " opens in a window of its own"), buttons=(open_form,))
    return View(
        verdict=line(bold("You are the first admin here"), " · ", Mention(id=found.admin)),
        shape=Shape.GOOD,
        lines=(line("The code is spent. Next: tell me where Gemma is served."),),
        buttons=(open_form, Button(label="Check everything", words="doctor")),
    )


class AdoptArguments(Arguments):
    """A name, the address of a running vLLM, and whether this channel means it when none is named."""

    name: GivenName
    address: str
    here: bool = False


class Adopted(BaseModel):
    """What was remembered, and what its server said of itself; `missing` says why it said nothing."""

    deployment: Deployment
    models: tuple[str, ...]
    window: int | None
    missing: str | None
    here: bool


async def run_adopt(context: Context, arguments: AdoptArguments) -> Adopted:
    """Ask the server, then remember it.

    Raises PersonMovesNext for an address that may not be asked, UsageError for a name that the settings have.
    """
    house, team = _house(context), context.services.team_id
    taken = {one.name for one in await context.services.deployments.all(team) if one.origin != "store"}
    if arguments.name in taken:
        raise UsageError(f"“{arguments.name}” is taken by the settings.", next_step="Choose another name.")
    made = _deployment(context, arguments)
    models, window, missing = await _asked(context, made)
    made = made.model_copy(update={"model_id": models[0] if models else None, "context": window})
    await house.setups.put(team, made)
    if arguments.here:
        await house.setups.prefer(team, context.place.channel, made.name)
    return Adopted(deployment=made, models=models, window=window, missing=missing, here=arguments.here)


def _deployment(context: Context, arguments: AdoptArguments) -> Deployment:
    try:
        return Deployment(name=arguments.name, base_url=arguments.address, owner=context.actor.user_id, origin="store")
    except ValidationError as error:
        raise UsageError(f"“{arguments.name}” cannot be a name.", next_step="Up to 40 letters, digits and dashes.") from error


async def _asked(context: Context, made: Deployment) -> tuple[tuple[str, ...], int | None, str | None]:
    """A server that is silent or wants a key is remembered all the same; an address that may not be asked is not."""
    try:
        served = await context.services.engine.models(made)
    except PersonMovesNext as error:
        if "plain http" in str(error) or "address" in str(error):
            raise
        return (), None, str(error)
    except BotError as error:
        return (), None, str(error)
    return tuple(one.id for one in served), served[0].context if served else None, None


def show_adopt(found: Adopted, _context: Context) -> View:
    """What was learnt, what the channel means now, and where a key belongs."""
    name = found.deployment.name
    window = f" · context {found.window:,} tokens" if found.window else ""
    said = f" serves {found.models[0]}{window}" if found.models else " is remembered, but said nothing yet"
    lines: list[Line] = [line(f"It did not answer: {found.missing}")] if found.missing else []
    lines += [line("In this channel it is meant when no name is given.")] if found.here else []
    key = line(
        "If it wants a key: set ", code("MODEL_API_KEY"), " where the bot runs, and name the deployment in deployments.toml."
    )
    return View(
        verdict=line(bold(name), said),
        shape=Shape.GOOD if found.models else Shape.CONCERN,
        lines=(*lines, *(() if found.models else (key,))),
        buttons=(Button(label=f"Status of {name}", words=f"status {name}"),),
    )


SETUP = Operation(
    path="setup",
    summary="take over a running vLLM; `setup CODE` makes the first admin",
    when_to_use="Once, after installing, and for each further deployment.",
    example="setup",
    arguments=SetupArguments,
    effect=Effect.CHANGES,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    whisper=True,
)

ADOPT = Operation(
    path="setup.adopt",
    summary="remember a deployment by its address",
    when_to_use="Said by the form of setup.",
    example="setup adopt name=prod address=https://gemma.example.com here=true",
    arguments=AdoptArguments,
    effect=Effect.CHANGES,
    role=Role.ADMIN,
    seen_by=SeenBy.YOU,
    run=run_adopt,
    show=show_adopt,
    hidden=True,
)
