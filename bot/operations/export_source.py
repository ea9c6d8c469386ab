"""What `export` writes down: the specification that is wanted, or one put together from what is known, with what was guessed."""

import asyncio
import re
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.errors import NotConnectedError, UsageError
from bot.nouns import Deployment, Machine, ProvisioningModel, ServedModel
from bot.operations import choice
from bot.operations.operation import Arguments, Context
from bot.operations.sources import attempt
from bot.operations.values import Bought, CacheType, ContextTokens, GivenName, ModelName, SliceName, ZoneName
from bot.operations.wording import listed
from bot.serving.places import HF_TOKEN_SECRET, api_key_secret, secret_place
from bot.serving.specification import EngineExposure, EngineSpecification

RELEASE = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}")
"""A version that an image of the same name exists for; a nightly build tells more than this."""
CHANGED = ("model", "image", "slice", "context", "cache")
"""Values by which what is exported may differ from what is wanted now."""


class ExportArguments(Arguments):
    """Which deployment; every value stands in the place of what is known."""

    deployment: GivenName | None = None
    slice: SliceName | None = None
    zone: ZoneName | None = None
    model: ModelName | None = None
    context: ContextTokens | None = None
    cache: CacheType | None = None
    bought: Bought | None = None
    image: str | None = None


class Source(BaseModel):
    """A whole specification and where it comes from. `wished_at` None: nobody deployed it with me; then `guessed` tells what is
    not surely so. `machine` is the one that stands there now.
    """

    deployment: Deployment
    specification: EngineSpecification
    project: str
    zone: str
    bought: ProvisioningModel
    wished_at: datetime | None
    guessed: tuple[str, ...]
    machine: Machine | None


async def source(context: Context, arguments: ExportArguments) -> Source:
    """Put it together. Raises UsageError that names what is not known, NotConnectedError without a project."""
    project = context.services.project
    if project is None:
        raise NotConnectedError("Machine", "GOOGLE_CLOUD_PROJECT")
    deployment = await choice.deployment(context, arguments.deployment)
    engines = context.services.engines
    wish = await attempt(engines.wishes.current(context.services.team_id, deployment.name)) if engines is not None else None
    machine = await _standing(context, deployment)
    guessed: list[str] = []
    if wish is not None and wish.value is not None:
        fields = EngineSpecification.model_validate_json(wish.value.specification).model_dump()
        wished_at: datetime | None = wish.value.at
    else:
        fields, wished_at = await _known(context, deployment, machine, project, guessed), None
    fields |= _given(arguments)
    zone = arguments.zone or deployment.zone or (machine.zone.name if machine is not None else None)
    _must_know(context, deployment, {**{name: fields.get(name) for name in ("model", "image", "piece", "context")}, "zone": zone})
    return Source(
        deployment=deployment,
        specification=_built(fields | _reachable(deployment, project, fields)),
        project=project,
        zone=zone or "",
        bought=_bought(arguments, machine, guessed),
        wished_at=wished_at,
        guessed=tuple(guessed),
        machine=machine,
    )


async def _standing(context: Context, deployment: Deployment) -> Machine | None:
    """The machine of this deployment, if the cloud knows one."""
    if deployment.machine is None:
        return None
    fleet = await attempt(context.services.cloud.fleet([deployment.zone] if deployment.zone else None))
    machines = fleet.value.machines if fleet.value is not None else ()
    return next((one for one in machines if one.name == deployment.machine), None)


async def _known(
    context: Context, deployment: Deployment, machine: Machine | None, project: str, guessed: list[str]
) -> dict[str, Any]:
    """What the record, its server and its machine tell; what had to be guessed is added to `guessed`."""
    engine = context.services.engine
    models, version = await asyncio.gather(attempt(engine.models(deployment)), attempt(engine.version(deployment)))
    served: ServedModel | None = models.value[0] if models.value else None
    image = deployment.image
    if image is None and version.value is not None and RELEASE.fullmatch(version.value):
        image = f"vllm/vllm-tpu:v{version.value}"
        guessed.append(f"image {image}, from the version that its server tells")
    guessed.append("cache, utilization and further flags as I would choose them")
    return {
        "deployment": deployment.name,
        "model": served.id if served is not None else deployment.model_id,
        "image": image,
        "piece": deployment.accelerator or (machine.accelerator if machine is not None else None),
        "context": (served.context if served is not None else None) or deployment.context,
        "hf_token_secret": secret_place(project, HF_TOKEN_SECRET),
    }


def _given(arguments: ExportArguments) -> dict[str, Any]:
    given = {name: getattr(arguments, name) for name in CHANGED if getattr(arguments, name) is not None}
    return {"piece" if name == "slice" else name: value for name, value in given.items()}


def _reachable(deployment: Deployment, project: str, fields: dict[str, Any]) -> dict[str, Any]:
    """What is on the private network asks for a key; the deployment's own place for it, where none is named."""
    loopback = fields.get("exposure") == EngineExposure.LOOPBACK
    named = fields.get("api_key_secret")
    return {} if loopback or named else {"api_key_secret": secret_place(project, api_key_secret(deployment.name))}


def _must_know(context: Context, deployment: Deployment, fields: dict[str, Any]) -> None:
    names = {"piece": "slice"}
    examples = {"model": "31B", "image": "image=vllm/vllm-tpu:v0.26.0", "slice": "v6e-4", "context": "32K", "zone": "us-east5-a"}
    missing = [names.get(name, name) for name, value in fields.items() if value is None]
    if missing:
        said = " ".join(examples[name] for name in missing)
        raise UsageError(
            f"I do not know {listed(missing, 5)} of {deployment.name}, so I wrote nothing down.",
            usage=f"/gemma {context.asked} {deployment.name} {said}",
            next_step="Say what is missing, for example:",
        )


def _bought(arguments: ExportArguments, machine: Machine | None, guessed: list[str]) -> ProvisioningModel:
    if arguments.bought is not None:
        return arguments.bought
    if machine is not None and machine.provisioning is not None:
        return machine.provisioning
    guessed.append("bought as flex-start")
    return ProvisioningModel.FLEX_START


def _built(fields: dict[str, Any]) -> EngineSpecification:
    try:
        return EngineSpecification.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "a value"
        raise UsageError(f"That makes no engine: {where} {first['msg'].lower()}.", next_step="Say another value.") from None
