"""When Gemma does not answer: what is wrong, by rules over what the machine, docker, logs and memory say (messages.md T12)."""

from bot.nouns import Deployment
from bot.operations import triage_view
from bot.operations.operation import Context
from bot.operations.triage_result import Triage
from bot.operations.triage_rules import Verdict, verdict
from bot.operations.triage_seen import Seen, gather
from bot.view import View


async def look(context: Context, deployment: Deployment, why: str = "") -> View:
    """What can be said without the model, in at most five lines and two buttons, so that the caller has room for its own.

    `why` is what came when the model was asked. Asks every source at once, six seconds at most each; one that is silent is said
    and hides nothing else.
    """
    return triage_view.show(await find(context, deployment), why)


async def find(context: Context, deployment: Deployment) -> Triage:
    """The same as a result."""
    seen = await gather(context, deployment)
    return told(seen, verdict(seen))


def told(seen: Seen, found: Verdict) -> Triage:
    """Sights and verdict as one result. Pure."""
    gauges = seen.sample.gauges if seen.sample else {}
    return Triage(
        deployment=seen.deployment,
        at=seen.at,
        answers=seen.answers,
        silent_since=seen.silent_since,
        machine=seen.machine.name if seen.machine else (seen.request.machine if seen.request else None),
        machine_state=seen.machine.state if seen.machine else (seen.request.state if seen.request else None),
        machine_health=seen.machine.health if seen.machine else None,
        container=seen.container.state if seen.container else None,
        container_since=seen.container.since if seen.container else None,
        exit_code=seen.container.exit_code if seen.container else None,
        name=found.name,
        title=found.title,
        signs=found.signs,
        unseen=found.unseen,
        step=found.step,
        act=found.act,
        line=found.finding.cause.text if found.finding else None,
        check=found.finding.check if found.finding else None,
        running=gauges.get("running"),
        waiting=gauges.get("waiting"),
        seen=seen.sample.at if seen.sample else None,
        back_in=seen.back_in,
        last_change=seen.last_change,
        missing=seen.missing,
    )
