"""What somebody may do. Roles are looked up at every request: at the click too, and again for what runs later."""

from bot.errors import BotError, RefusedError
from bot.nouns import Actor, Role, Standing
from bot.operations.operation import AnyOperation
from bot.ports import Grants, Services
from bot.requests import Door

HERE = frozenset({Door.TERMINAL, Door.MODEL})
"""Doors by which somebody at this machine can come: directly, or as whom Gemma answers."""


async def role_of(services: Services, actor: Actor, door: Door) -> Role:
    """The highest role that was given to this person or to a user group of theirs; full members are viewers.

    Raises RefusedError when Slack could not be asked and no role was given by user id: a failed look-up never opens a door.
    """
    if door in HERE and actor.user_id.startswith("terminal:"):
        return Role.VIEWER
    if actor.team_id != services.team_id:
        return Role.NOBODY
    grants = await grants_of(services)
    given = _by_user_id(grants, actor)
    if given is not None:
        return given
    try:
        return await _looked_up(services, grants, actor)
    except BotError as error:
        raise RefusedError(
            "I could not check with Slack who you are, so I did nothing.", next_step="Try again in a minute."
        ) from error


async def grants_of(services: Services) -> Grants:
    """Roles of the settings and those given from Slack, together."""
    if services.house is None:
        return services.grants
    stored = await services.house.roles.given(services.team_id)
    return Grants(_both(services.grants.admins, stored.admins), _both(services.grants.operators, stored.operators))


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _by_user_id(grants: Grants, actor: Actor) -> Role | None:
    if actor.user_id in grants.admins:
        return Role.ADMIN
    if actor.user_id in grants.operators:
        return Role.OPERATOR
    return None


async def _looked_up(services: Services, grants: Grants, actor: Actor) -> Role:
    if await services.directory.standing(actor) is not Standing.MEMBER:
        return Role.NOBODY
    for role, names in ((Role.ADMIN, grants.admins), (Role.OPERATOR, grants.operators)):
        for group in names:
            if group.startswith("S") and await services.directory.in_group(actor, group):
                return role
    return Role.VIEWER


def check(services: Services, operation: AnyOperation, role: Role) -> None:
    """Raises RefusedError, with who may, when the role does not reach."""
    if role is Role.NOBODY:
        raise RefusedError("Only full members of this workspace can use me.", next_step="Ask a member to look for you.")
    check_role(services, operation.role, role)


def check_role(services: Services, needed: Role, role: Role) -> None:
    """Raises RefusedError, with who may, when the role does not reach what is needed."""
    if role < needed:
        needs = "admins" if needed is Role.ADMIN else "operators"
        raise RefusedError(f"Only {needs} can do this.", needs=who_may(services, needed))


def who_may(services: Services, role: Role) -> str:
    """Up to three ids of people and groups who were given the role, with spaces between; empty when nobody was."""
    names = services.grants.admins if role is Role.ADMIN else (*services.grants.operators, *services.grants.admins)
    return " ".join(names[:3])
