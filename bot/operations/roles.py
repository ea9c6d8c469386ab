"""`setup admin`, `setup operator`, `setup remove` and `setup roles`: who may do what, given and taken back from Slack."""

import re
from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import BaseModel

from bot.errors import NotConnectedError, RefusedError, UsageError
from bot.nouns import Actor, Effect, Role, SeenBy, Standing
from bot.operations.operation import AnyOperation, Arguments, Context, NoArguments, Operation
from bot.operations.values import Form
from bot.ports import Grants, House
from bot.view import Button, Line, Mention, Shape, Span, View, bold, line, text

_TOKEN = re.compile(r"<@(?P<user>[UW][A-Z0-9]{1,20})(?:\|[^>]*)?>|<!subteam\^(?P<group>S[A-Z0-9]{1,20})(?:\|[^>]*)?>")
_ID = re.compile(r"[UWS][A-Z0-9]{2,20}")


def _id(word: str) -> str:
    """The id in a mention, or the id itself."""
    found = _TOKEN.fullmatch(word)
    return word if found is None else str(found["user"] or found["group"])


WHO = Form("person or user group", re.compile(rf"{_TOKEN.pattern}|{_ID.pattern}"), "@ben", _id)
SHOWN = 12
"""People and groups of one role that are named in a message."""

MAY = {
    Role.ADMIN: "do everything: also give roles, set the budget, set up deployments and store tokens",
    Role.OPERATOR: "start, change and stop things, and say yes to what others ask for",
}


class WhoArguments(Arguments):
    """A person or a user group, as it is mentioned."""

    who: Annotated[str, WHO]


class Given(BaseModel):
    """What `who` is now. `before` is the role that it had from Slack."""

    who: str
    role: Role
    before: Role


def _house(context: Context) -> House:
    if context.services.house is None:
        raise NotConnectedError("Redis", "REDIS_URL")
    return context.services.house


def _role_in(grants: Grants, who: str) -> Role:
    """The role that was given to exactly this id."""
    return Role.ADMIN if who in grants.admins else Role.OPERATOR if who in grants.operators else Role.VIEWER


def _giving(role: Role) -> Callable[[Context, WhoArguments], Awaitable[Given]]:
    async def run(context: Context, arguments: WhoArguments) -> Given:
        """Raises RefusedError for whoever is no member, and when the look-up fails: a role is never given on a guess."""
        house, team = _house(context), context.services.team_id
        await _must_exist(context, arguments.who)
        before = _role_in(await house.roles.given(team), arguments.who)
        if before > role:
            _must_leave_an_admin(context.services.grants, arguments.who)
        await house.roles.give(team, arguments.who, role)
        return Given(who=arguments.who, role=role, before=before)

    return run


async def _must_exist(context: Context, who: str) -> None:
    actor = Actor(team_id=context.services.team_id, user_id=who)
    if who.startswith("S"):
        await context.services.directory.in_group(context.actor, who)  # raises when there is no such group
        return
    standing = await context.services.directory.standing(actor)
    if standing is not Standing.MEMBER:
        raise RefusedError(f"Only full members can have a role, and this is a {standing}.", next_step="Name somebody else.")


def _must_leave_an_admin(grants: Grants, who: str) -> None:
    if who in grants.admins and len(grants.admins) == 1:
        raise RefusedError(
            "That is the only admin, and without one nobody could give roles.", next_step="Make another one first."
        )


async def run_remove(context: Context, arguments: WhoArguments) -> Given:
    """Take back what was given from Slack. Raises UsageError for what nobody gave there, RefusedError for the last admin."""
    house, team = _house(context), context.services.team_id
    before = _role_in(await house.roles.given(team), arguments.who)
    if before is Role.VIEWER:
        by_settings = _role_in(context.services.grants, arguments.who) is not Role.VIEWER
        why = "That role comes from the settings, not from Slack." if by_settings else "No role was given to them here."
        step = "Take it out of ADMINS or OPERATORS where the bot runs." if by_settings else "/gemma setup roles shows all."
        raise UsageError(why, next_step=step)
    _must_leave_an_admin(context.services.grants, arguments.who)
    await house.roles.give(team, arguments.who, Role.VIEWER)
    return Given(who=arguments.who, role=Role.VIEWER, before=before)


def show_given(given: Given, _context: Context) -> View:
    """What they may do from now on, and how it is taken back."""
    who = Mention(id=given.who)
    if given.role is Role.VIEWER:
        name = given.before.name.lower()
        return View(
            verdict=line(who, bold(f" is no {name} any more")),
            lines=(line("They can look at everything, as every member, unless another role or group gives them more."),),
            buttons=(Button(label="Give it back", words=f"setup {name} {given.who}"),),
        )
    again = given.before is given.role
    article = "an" if given.role in {Role.ADMIN, Role.OPERATOR} else "a"
    return View(
        verdict=line(
            who, bold(f" {'was' if again else 'is'} {article} {given.role.name.lower()} {'already' if again else 'now'}")
        ),
        shape=Shape.NONE if again else Shape.GOOD,
        lines=(line(f"They may {MAY[given.role]}."), line("Asked anew at each request, so it holds at once.")),
        buttons=(Button(label="Take it back", words=f"setup remove {given.who}"),),
    )


class Known(BaseModel):
    """Who has a role, by where it was given."""

    settings: Grants
    slack: Grants


async def run_roles(context: Context, _arguments: NoArguments) -> Known:
    """Both."""
    both, slack = context.services.grants, await _house(context).roles.given(context.services.team_id)
    admins = tuple(one for one in both.admins if one not in slack.admins)
    operators = tuple(one for one in both.operators if one not in slack.operators)
    return Known(settings=Grants(admins, operators), slack=slack)


def show_roles(known: Known, _context: Context) -> View:
    """A line for each role and place."""
    rows = (
        ("Admins by the settings: ", known.settings.admins),
        ("Admins by Slack: ", known.slack.admins),
        ("Operators by the settings: ", known.settings.operators),
        ("Operators by Slack: ", known.slack.operators),
    )
    lines = tuple(_named(head, names) for head, names in rows if names)
    total = sum(len(names) for _, names in rows)
    return View(
        verdict=line(bold(f"{total} {'person or group has' if total == 1 else 'people and groups have'} a role")),
        lines=(
            *lines,
            line("Everybody else can look at everything. To change it: /gemma setup admin, operator or remove, with @who"),
        ),
    )


def _named(head: str, names: tuple[str, ...]) -> Line:
    spans: list[Span] = [span for name in names[:SHOWN] for span in (Mention(id=name), text(" "))]
    more = f"and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return line(head, *spans, more)


def _operation(
    path: str, summary: str, when_to_use: str, run: Callable[[Context, WhoArguments], Awaitable[Given]]
) -> AnyOperation:
    return Operation(
        path=path,
        summary=summary,
        when_to_use=when_to_use,
        example=f"{path.replace('.', ' ')} @ben",
        arguments=WhoArguments,
        effect=Effect.CHANGES,
        role=Role.ADMIN,
        seen_by=SeenBy.YOU,
        run=run,
        show=show_given,
        whisper=True,
    )


SETUP_ADMIN = _operation(
    "setup.admin", "make a person or a user group admin", "When somebody else shall look after this bot too.", _giving(Role.ADMIN)
)
SETUP_OPERATOR = _operation(
    "setup.operator",
    "make a person or a user group operator",
    "When somebody goes on call, or a whole group may start and stop things.",
    _giving(Role.OPERATOR),
)
SETUP_REMOVE = _operation("setup.remove", "take a role back", "When somebody shall no longer have it.", run_remove)
SETUP_ROLES = Operation(
    path="setup.roles",
    summary="who is admin or operator, and where that was given",
    when_to_use="To see who may do what.",
    example="setup roles",
    arguments=NoArguments,
    effect=Effect.READS,
    role=Role.ADMIN,
    seen_by=SeenBy.YOU,
    run=run_roles,
    show=show_roles,
    whisper=True,
)
