"""One work at a time on one engine: two that end and start the same container would undo each other."""

from bot.errors import PersonMovesNext
from bot.nouns import Deployment
from bot.operations.operation import Context
from bot.operations.sources import attempt
from bot.operations.wording import duration
from bot.ports import OpenWork

KINDS = ("engine.", "deploy", "change", "rollback", "replace", "find")
"""Beginnings of the paths of operations that bring engines up or end them."""


async def must_be_free(context: Context, deployment: Deployment) -> None:
    """Raises PersonMovesNext, naming the work and how to stop it, while another one is at this deployment's engine."""
    open_works = (await attempt(context.services.work.under_way(context.services.team_id))).value or ()
    known = {one.name for one in await context.services.deployments.all(context.services.team_id)}
    for one in open_works:
        if one.kind.startswith(KINDS) and _is_about(one, deployment.name, known):
            raise PersonMovesNext(
                f"{one.id} is at {deployment.name}'s engine already, for {duration((context.now - one.since).total_seconds())}.",
                untouched="I changed nothing.",
                next_step=f"Wait for it, or stop it: /gemma cancel {one.id}",
            )


def _is_about(work: OpenWork, name: str, known: set[str]) -> bool:
    """By the words that began it; words without a name mean the deployment of their channel, which may be this one."""
    named = known & set(work.words.split())
    return name in named or not named
