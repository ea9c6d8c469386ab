"""Telling people of one incident: one message where it belongs, kept up to date, with a word below it at its end.

The work lives as long as the incident. Its messages are posted through `deliver.once`, so whoever is killed, and whoever takes
over, leaves one of each.
"""

from datetime import datetime, timedelta

import orjson
import structlog
from redis.exceptions import RedisError

from bot.errors import PersonMovesNext, RetryLater
from bot.nouns import Deployment, Handling, Watch
from bot.operations import incident_view
from bot.operations.cost_look import had_requests
from bot.operations.incident_places import URGENT, Told, told
from bot.operations.incident_rules import LAST
from bot.ports import Alerting
from bot.slack.failures import MessageGoneError
from bot.view import Mention, View
from jobs.deliver import Among, Message, once
from jobs.steps import LeaseLostError, Step

log = structlog.get_logger()

LOOK_S = 30.0
"""Between two looks at an incident; whoever takes it, snoozes it or ends it wakes the work at once."""

AGAIN = (timedelta(minutes=10), timedelta(minutes=30))
"""Our choice: after these times somebody is asked again, unless one is on it or it was snoozed."""

LATELY = timedelta(minutes=30)
"""Our choice: a channel is reminded of an end only if requests ran within this time."""


async def incident(step: Step) -> None:
    """new -> standing -> done. Raises LeaseLostError, redis errors and RetryLater; the step is then taken again.

    No other fault ends it: an alert that nobody brings up to date would lie.
    """
    try:
        await _look(step)
    except (RetryLater, RedisError, LeaseLostError):
        raise
    except Exception:
        log.exception("incident not told", work=step.work.id)
        await step.move(step.work.state, wait_s=LOOK_S)


async def _look(step: Step) -> None:
    services = step.runtime.services
    if services.alerting is None:
        await step.move("done")
        return
    found = await services.alerting.incidents.get(services.team_id, step.work.id)
    if found is None or (found.resolved_at is not None and step.work.state == "new"):
        await step.move("done")
        return
    now = services.clock.now()
    shown = incident_view.view(found, now, running=await _running(step, found))
    places = await _placed(step, services.alerting, found, shown)
    await _kept_up(step, places, shown)
    await _below(step, services.alerting, found, places, now)
    if found.resolved_at is not None:
        await step.move("done")
    else:
        await step.move("standing", wait_s=LOOK_S)


async def _placed(step: Step, alerting: Alerting, found: Handling, shown: View) -> list[tuple[str, str]]:
    """Where the first message stands; posted now where it does not yet. Its places are kept with the work, for deliveries are
    forgotten after a day and an incident may last longer."""
    if "places" in step.work.data:
        return [(channel, ts) for channel, ts in orjson.loads(step.work.data["places"])]
    whom = await _whom(step, alerting, found)
    opening = shown
    if found.incident.kind in URGENT and alerting.oncall is not None and whom.channels:
        opening = shown.model_copy(update={"mention": Mention(id=alerting.oncall)})
    places = []
    for channel in whom.channels:
        place = await _post(step, f"alert-{channel}", opening, channel)
        places += [place] if place is not None else []
    for user in whom.people if not places else ():
        place = await _post(step, f"alert-{user}", shown, await step.runtime.slack.open_dm(user))
        places += [place] if place is not None else []
    await step.move("standing", places=orjson.dumps(places).decode(), shown=_fingerprint(shown), told_at=_now(step))
    return places


def _now(step: Step) -> str:
    return step.runtime.services.clock.now().isoformat()


async def _post(step: Step, part: str, view: View, channel: str, thread: str | None = None) -> tuple[str, str] | None:
    """None where we may not write: then the next best place is tried, and `incidents` lists it anyhow."""
    try:
        return await once(step, part, Message(view, None, None), Among(channel, thread))
    except PersonMovesNext as error:
        log.info("alert refused", work=step.work.id, channel=channel, why=str(error))
        return None


async def _whom(step: Step, alerting: Alerting, found: Handling) -> Told:
    services = step.runtime.services
    deployments = await services.deployments.all(services.team_id)
    mine = next((one for one in deployments if one.name == found.incident.deployment), None)
    watches = await alerting.watches.all(services.team_id)
    quiet = found.incident.kind is Watch.LEASE and not await _used_lately(step, mine)
    return told(found, mine, watches, alerting.channel, quiet=quiet)


async def _used_lately(step: Step, deployment: Deployment | None) -> bool:
    if deployment is None:
        return False
    services = step.runtime.services
    now = services.clock.now()
    windows = await services.history.windows(services.team_id, deployment.name, now - LATELY, now)
    return any(had_requests(one) for one in windows)


async def _running(step: Step, found: Handling) -> float | None:
    """How many requests run, for the end of a lease; None when nobody knows."""
    if found.incident.kind is not Watch.LEASE or found.incident.deployment is None:
        return None
    services = step.runtime.services
    last = await services.history.last(services.team_id, found.incident.deployment)
    young = last is not None and services.clock.now() - last.at < timedelta(minutes=2)
    return last.gauges.get("running") if last is not None and young else None


def _fingerprint(view: View) -> str:
    return view.model_dump_json(exclude={"chart", "mention"})


async def _kept_up(step: Step, places: list[tuple[str, str]], shown: View) -> None:
    """Replace the message where it says something else by now. What could not be replaced is tried again at the next look."""
    print_ = _fingerprint(shown)
    if step.work.data.get("shown") == print_:
        return
    for channel, ts in places:
        try:
            await step.runtime.slack.update(channel, ts, shown, urgent=False)
        except MessageGoneError:
            log.info("alert was deleted by somebody", work=step.work.id, channel=channel)
        except PersonMovesNext as error:
            log.info("alert not brought up to date", work=step.work.id, channel=channel, why=str(error))
    await step.move(step.work.state, shown=print_)


async def _below(step: Step, alerting: Alerting, found: Handling, places: list[tuple[str, str]], now: datetime) -> None:
    """What is said once below the message: asked again, the last call before an end, and that it is over."""
    if found.resolved_at is not None:
        if found.incident.kind in URGENT:
            await _once_below(step, "over", incident_view.over(found), places)
        return
    ends_at = found.incident.ends_at
    if ends_at is not None and now < ends_at <= now + LAST and found.snoozed_by is None:
        await _once_below(step, "last", incident_view.last_call(found, now, running=await _running(step, found)), places)
    part = _call(found, datetime.fromisoformat(step.work.data.get("told_at", now.isoformat())), now)
    if found.incident.kind in URGENT and part is not None:
        await _once_below(step, part, incident_view.reminder(found, now, alerting.oncall), places)


def _call(found: Handling, told_at: datetime, now: datetime) -> str | None:
    """The name of the reminder that is due: when nobody is on it, after a while, and when the time is over for which it was put
    off. None: nobody is to be asked."""
    if found.taken_by is not None:
        return None
    if found.snoozed_until is not None:
        return f"again-{found.snoozed_until.timestamp():.0f}" if found.snoozed_until <= now else None
    due = [number for number, after in enumerate(AGAIN, 1) if now - told_at >= after]
    return f"again-{due[-1]}" if due else None


async def _once_below(step: Step, part: str, view: View, places: list[tuple[str, str]]) -> None:
    """One reply of this name below each message; remembered with the work when it stands."""
    if part in step.work.data.get("below", "").split():
        return
    for channel, ts in places:
        await _post(step, f"{part}-{channel}", view, channel, ts)
    await step.move(step.work.state, below=f"{step.work.data.get('below', '')} {part}".strip())
