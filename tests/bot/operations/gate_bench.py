"""The gate with one operation behind it, which needs whatever consent a test wants; `RAN` is what really happened."""

from bot.nouns import Actor, Effect, Role, SeenBy
from bot.operations.approvals import NO, YES
from bot.operations.execute import Outcome, execute
from bot.operations.operation import AnyOperation, Arguments, Consent, Context, Operation, Preview, Registry
from bot.operations.values import GivenName
from bot.requests import Door
from bot.view import View, bold, line
from tests.doubles.ports import BEN, House


class Which(Arguments):
    """A machine."""

    name: GivenName = "prod-1"


class Removed(Arguments):
    """What was removed."""

    name: str


RAN: list[str] = []


async def remove(context: Context, arguments: Which) -> Removed:
    RAN.append(f"{context.actor.user_id} removed {arguments.name}")
    return Removed(name=arguments.name)


def needing(consent: Consent, effect: Effect = Effect.DESTROYS, role: Role = Role.OPERATOR) -> AnyOperation:
    async def preview(_context: Context, arguments: Which) -> Preview:
        return Preview(needs=consent, verdict=line(bold(f"Remove {arguments.name}?")), lines=(line("It is idle."),))

    return Operation(
        path="remove",
        summary="remove a machine",
        when_to_use="In tests.",
        example="remove prod-1",
        arguments=Which,
        effect=effect,
        role=role,
        seen_by=SeenBy.YOU,
        run=remove,
        preview=preview,
        show=lambda found, _context: View(verdict=line(f"{found.name} is gone")),
        timeout=0.05,
    )


AT_ONCE, CONFIRM, SECOND = (needing(one) for one in (Consent.AT_ONCE, Consent.CONFIRM, Consent.SECOND_PERSON))


def table(*operations: AnyOperation) -> Registry:
    return (*operations, YES, NO)


async def said(house: House, operation: AnyOperation, words: str, by: Actor = BEN, door: Door = Door.COMMAND) -> Outcome:
    return await execute(table(operation), house.services, house.request(words, by, door))


async def approved(house: House, operation: AnyOperation) -> Outcome:
    """Run the work that the last yes made, as a worker would."""
    return await execute(table(operation), house.services, house.questions.works[-1])
