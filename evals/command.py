"""`gemma evals`: ask a served model the questions of all recorded worlds, or see how the rules do without any model."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pydantic import SecretStr

from bot.errors import UsageError
from bot.model import VllmEngine
from bot.model.answering import VllmModel
from bot.nouns import Deployment
from bot.ports import Model
from evals import report
from evals.playing import play
from evals.rules import rule
from evals.scoring import Score, scores
from evals.staged import Stage
from evals.world import World, worlds


@dataclass(frozen=True)
class Wanted:
    """What was asked for on the command line. `only` are names of worlds or kinds, empty for all."""

    base_url: str | None = None
    model: str | None = None
    key: SecretStr | None = None
    times: int = 1
    only: tuple[str, ...] = ()
    as_json: bool = False


def chosen(only: Sequence[str]) -> tuple[World, ...]:
    """The worlds of these names or kinds. Raises UsageError for one that is neither."""
    known = {one.name for one in worlds()} | {one.kind for one in worlds()}
    strange = [one for one in only if one not in known]
    if strange:
        raise UsageError(f"There is no world and no kind of world “{strange[0]}”.", near=tuple(sorted(known)))
    return tuple(one for one in worlds() if not only or {one.name, one.kind} & set(only))


async def run(wanted: Wanted) -> tuple[str, ...]:
    """The report, line by line, or one line of JSON. Raises the errors of `bot.ports.Model` when the server cannot be asked."""
    some = chosen(wanted.only)
    if wanted.base_url is None:
        found = [await rule(one) for one in some if one.triage]
        told = [{**one.model_dump(mode="json"), "passed": one.passed} for one in found]
        return (json.dumps(told),) if wanted.as_json else report.ruled(found)
    async with _asked(wanted) as (model, deployment):
        got = await asked(some, model, deployment, wanted.times)
    if wanted.as_json:
        shares = [one.model_dump(mode="json") for one in report.shares(got)]
        told = [{**one.model_dump(mode="json"), "passed": one.passed} for one in got]
        return (json.dumps({"model": wanted.model, "times": wanted.times, "shares": shares, "questions": told}),)
    return report.lines(got)


async def asked(some: Sequence[World], model: Model, deployment: Deployment, times: int = 1) -> tuple[Score, ...]:
    """Every question of these worlds, `times` over, one after the other: times are measured too."""
    return tuple([one for _ in range(times) for world in some for one in scores(world, await play(world, model, deployment))])


@asynccontextmanager
async def _asked(wanted: Wanted) -> AsyncIterator[tuple[Model, Deployment]]:
    """The served model, found before the first world is played: a wrong address is no bad score."""
    deployment = Deployment(name="asked", base_url=wanted.base_url, model_id=wanted.model)
    keys = {deployment.name: wanted.key} if wanted.key is not None else {}
    clock = Stage(worlds()[0]).services().clock
    async with VllmEngine(clock, api_keys=keys) as engine, VllmModel(engine, api_keys=keys) as model:
        await model.window(deployment)
        yield model, deployment
