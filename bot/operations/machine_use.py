"""Whether a machine serves anybody now: what decides who must say yes to ending it."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from bot.nouns import Deployment
from bot.operations.machine_found import Found
from bot.operations.operation import Consent, Context
from bot.operations.sources import attempt
from bot.operations.wording import count

LATELY = timedelta(minutes=5)
"""Requests within this time count as serving now (messages.md T11)."""


@dataclass(frozen=True)
class Use:
    """What the engine on a machine says. `answers` False: it did not. Counts are None where nobody knows them."""

    deployment: str | None
    answers: bool
    running: float | None = None
    waiting: float | None = None
    lately: float | None = None

    @property
    def serves(self) -> bool:
        """Whether somebody may be cut off. An engine that answers and is not known to be idle serves."""
        return self.answers and (self.running, self.waiting, self.lately) != (0, 0, 0)

    @property
    def said(self) -> str:
        """In words: `4 running, 0 waiting, 12 requests in 5 min`, as far as it is known."""
        known = [
            f"{value:.0f} {word}" for value, word in ((self.running, "running"), (self.waiting, "waiting")) if value is not None
        ]
        if self.lately is not None:
            known.append(f"{count(round(self.lately), 'request')} in 5 min")
        return ", ".join(known) or "how much is unknown"


async def use_of(context: Context, found: Found) -> Use:
    """Ask the engine of each deployment on this machine; the first that serves counts."""
    known = await context.services.deployments.all(context.services.team_id)
    mine = [one for one in known if one.base_url and _is_on(one, found)]
    uses = await asyncio.gather(*(use_of_engine(context, one) for one in mine)) if found.machine_state is not None else []
    return next((one for one in uses if one.serves), next(iter(uses), Use(None, answers=False)))


def _is_on(deployment: Deployment, found: Found) -> bool:
    """By the recorded machine, else by the label."""
    if deployment.machine is not None:
        return deployment.machine == found.name
    return deployment.name == found.deployment


async def use_of_engine(context: Context, deployment: Deployment) -> Use:
    """What one engine says, and what its history knows of the last minutes."""
    healthy, sample = await asyncio.gather(
        attempt(context.services.engine.healthy(deployment)), attempt(context.services.engine.sample(deployment))
    )
    if not healthy.value:
        return Use(deployment.name, answers=False)
    gauges = sample.value.gauges if sample.value is not None else {}
    windows = await context.services.history.windows(context.services.team_id, deployment.name, context.now - LATELY, context.now)
    finished = [
        growth.amount for window in windows for name, growth in window.counters.items() if name.startswith("requests_finished.")
    ]
    lately = sum(finished) if windows and finished else None
    return Use(deployment.name, answers=True, running=gauges.get("running"), waiting=gauges.get("waiting"), lately=lately)


def needs(found: Found, use: Use) -> Consent:
    """Who must say yes to ending it: a second person where it serves now or is not ours (design.md section 3)."""
    return Consent.SECOND_PERSON if use.serves or not found.ours else Consent.CONFIRM
