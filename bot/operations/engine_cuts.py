"""Whom a change of an engine cuts off, and for how long: what must be shown before somebody says yes to it."""

from dataclasses import dataclass

from bot.errors import RefusedError
from bot.nouns import ContainerState, ContainerStatus, Deployment
from bot.operations import engine_busy, engine_progress
from bot.operations.course import second_person_said_yes
from bot.operations.engine_up import engines_of
from bot.operations.machine_use import Use, use_of_engine
from bot.operations.operation import Consent, Context
from bot.operations.wording import count
from bot.view import Line, line


@dataclass(frozen=True)
class Cuts:
    """The container as it is now, and who uses the engine in it."""

    status: ContainerStatus
    use: Use

    @property
    def strange(self) -> bool:
        """Whether the container that is there was not made by us."""
        return self.status.state is not ContainerState.ABSENT and not self.status.ours

    @property
    def needs(self) -> Consent:
        """Oneself for what is ours; a second person for what is not."""
        return Consent.SECOND_PERSON if self.strange else Consent.CONFIRM

    @property
    def said(self) -> str:
        """`4 running requests are cut off`, for a verdict."""
        if not self.use.answers:
            return "it does not answer now"
        if self.use.running is None:
            return "how many requests run is unknown"
        if not self.use.running and not self.use.waiting:
            return "no request runs"
        waiting = f", {self.use.waiting:.0f} waiting" if self.use.waiting else ""
        return f"{count(round(self.use.running), 'running request')}{waiting}"


async def cuts(context: Context, deployment: Deployment) -> Cuts:
    """Look at the container and at the engine in it. Raises what the machine raises when it cannot be reached, and
    PersonMovesNext while other work is at this engine."""
    await engine_busy.must_be_free(context, deployment)
    engines = engines_of(context)
    status = await engines.control.status(await engines.hosts.host(deployment))
    return Cuts(status, await use_of_engine(context, deployment))


def requests_end(found: Cuts) -> Line:
    """What becomes of requests: the engine gets 30 s to end them (`bot.machine.docker`)."""
    if not found.use.answers and found.status.state in {ContainerState.RUNNING, ContainerState.RESTARTING}:
        return line("It does not answer me, so I know of nobody who is cut off.")
    if not found.use.serves:
        return line("Nobody is cut off.")
    return line(f"It serves now ({found.use.said}): running requests get 30 s to end, then they are cut off.")


async def back_in(context: Context, deployment: Deployment) -> Line:
    """How long nobody is served, from the last starts."""
    starts = await engines_of(context).wishes.starts(context.services.team_id, deployment.name)
    if not starts:
        return line("How long it takes here is not known yet; elsewhere 10 to 30 min were seen.")
    return line(f"It answers again in {engine_progress.expected(starts)} ({engine_progress.last_starts(starts)}).")


async def allowed(context: Context, found: Cuts) -> bool:
    """Whether a second person said yes to what is not ours. Raises RefusedError when one has to and did not."""
    second = await second_person_said_yes(context)
    if found.strange and not second:
        raise RefusedError(
            f"The container {found.status.name} was not made by me: that needs a second person's yes.", next_step="Ask again."
        )
    return second and found.strange
