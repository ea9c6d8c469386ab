"""Triage alone: what the rules say, without any model, of each world whose engine is silent."""

from bot.nouns import Noun, Role
from bot.operations import triage
from bot.operations.operation import Context
from evals.playing import PLACE
from evals.staged import ASKER, Stage
from evals.world import World


class Ruled(Noun):
    """What the rules said of one world, and what would have been right."""

    world: str
    said: str
    right: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether it is one of those that are right."""
        return self.said in self.right


async def rule(world: World) -> Ruled:
    """The verdict of `bot.operations.triage` on this world."""
    context = Context(Stage(world).services(), ASKER, Role.OPERATOR, PLACE, world.at)
    found = await triage.find(context, world.deployment)
    return Ruled(world=world.name, said=found.name, right=world.triage)
