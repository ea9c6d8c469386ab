"""Which deployment is meant."""

from bot.errors import NotConnectedError, RefusedError, UsageError
from bot.nouns import Deployment
from bot.operations.operation import Context


async def deployment(context: Context, name: str | None) -> Deployment:
    """The deployment of this name or unique beginning of a name; without a name the one that this channel means, else the first.

    Raises UsageError with the names to press when it is not one of them, NotConnectedError when there is none at all.
    """
    known = await context.services.deployments.all(context.services.team_id)
    if not known:
        raise NotConnectedError("Deployment", "MODEL_BASE_URL")
    if name is None:
        meant = await _preferred(context)
        return next((one for one in known if one.name == meant), known[0])
    exact = [one for one in known if one.name == name]
    begins = exact or [one for one in known if one.name.startswith(name)]
    if len(begins) == 1:
        return begins[0]
    names = tuple(one.name for one in (begins or known))
    failed = f"“{name}” could be {' or '.join(names)}." if begins else f"There is no deployment “{name}”."
    raise UsageError(failed, near=tuple(f"{context.asked} {one}" for one in names[:5]), next_step="Choose one.")


async def _preferred(context: Context) -> str | None:
    house = context.services.house
    return None if house is None else await house.setups.preferred(context.services.team_id, context.place.channel)


def pressable(context: Context, error: UsageError) -> UsageError:
    """The same error from the knowledge packages, with the names that were meant perhaps as words that can be pressed."""
    near = tuple(f"{context.asked} {name}" for name in error.near)
    return UsageError(str(error), usage=error.usage, near=near, next_step=error.telling.next_step)


async def must_be_in_place(context: Context, name: str | None) -> None:
    """Raises RefusedError when this deployment may be changed from other channels only. Looking at it is free everywhere."""
    limited = any(one.channels for one in await context.services.deployments.all(context.services.team_id))
    if not limited:
        return
    meant = await deployment(context, name)
    if meant.channels and context.place.channel not in meant.channels:
        names = ", ".join(f"#{channel}" for channel in meant.channels)
        raise RefusedError(f"{meant.name} may be changed from {names} only.", next_step="Say it there.")
