"""`export vm`: the gcloud command and the start-up script of a deployment's machine, as one file that a person can run."""

from datetime import datetime

from pydantic import BaseModel

from bot.nouns import Effect, ProvisioningModel, Quantity, Role, SeenBy
from bot.operations.export_source import ExportArguments, Source, source
from bot.operations.money import hourly
from bot.operations.operation import Context, Operation
from bot.operations.values import GivenName, Seconds
from bot.operations.wording import duration, listed, money
from bot.serving.create_file import create_file
from bot.serving.gcloud_command import Site
from bot.view import Attachment, Line, Shape, View, When, bold, code, line

DAY_S = 24 * 3600
FLEX_S = 8 * 3600
"""How long a flex-start machine runs when nobody says: as long as our own."""
LONGEST_S = 7 * DAY_S
"""Google's limit for flex-start."""


class VmArguments(ExportArguments):
    """Further the machine's name, and for how long, for flex-start."""

    machine: GivenName | None = None
    for_: Seconds | None = None


class Exported(BaseModel):
    """A file that makes the same thing. `stands` names the machine that has this name already; `secrets` are what it reads."""

    deployment: str
    piece: str
    zone: str
    bought: ProvisioningModel
    wished_at: datetime | None
    guessed: tuple[str, ...]
    secrets: tuple[str, ...]
    price: Quantity | None
    file: str
    content: str
    machine: str | None = None
    stands: bool = False
    run_s: int | None = None


async def run(context: Context, arguments: VmArguments) -> Exported:
    """Nothing is changed. Raises UsageError for what is not known, and for what Google does not sell that way."""
    found = await source(context, arguments)
    name = arguments.machine or found.deployment.machine or f"{found.deployment.name}-1"
    flex = found.bought is ProvisioningModel.FLEX_START
    site = Site(
        project=found.project,
        zone=found.zone,
        machine=name,
        provisioning=found.bought,
        run_s=min(arguments.for_ or FLEX_S, LONGEST_S) if flex else None,
    )
    made = exported(context, found, f"{name}-create.sh", create_file(found.specification, site))
    stands = found.machine is not None and found.machine.name == name
    return made.model_copy(update={"machine": name, "stands": stands, "run_s": site.run_s})


def exported(context: Context, found: Source, file: str, content: str) -> Exported:
    """What both forms tell."""
    specification = found.specification
    piece = specification.piece.name
    secrets = (specification.hf_token_secret, specification.api_key_secret)
    return Exported(
        deployment=found.deployment.name,
        piece=piece,
        zone=found.zone,
        bought=found.bought,
        wished_at=found.wished_at,
        guessed=found.guessed,
        secrets=tuple(one.rpartition("/")[2] for one in secrets if one is not None),
        price=hourly(context.services.prices, piece, found.zone, found.bought),
        file=file,
        content=content,
    )


def show(made: Exported, context: Context) -> View:
    """What the file makes, from what, what it reads, what it costs, and what nobody looks after then."""
    lines: list[Line] = [origin(made), secrets(made), _end(made)]
    if made.stands:
        again = f"/gemma {context.asked} {made.deployment} machine={made.deployment}-2"
        lines.append(line(f"{made.machine} stands now, so Google refuses this name until it is gone. Another: ", code(again)))
    lines.append(line("What you make with it is yours: I show it among the machines, and I never change or end it."))
    title = f"{made.deployment}: how its machine is made"
    return View(
        verdict=line(bold(f"{made.deployment} as a gcloud command"), f" · {made.piece} {made.bought.value} in {made.zone}"),
        shape=Shape.NONE,
        lines=tuple(lines),
        attachment=Attachment(name=made.file, title=title, content=made.content),
    )


def origin(made: Exported) -> Line:
    """Where it comes from, and what is not surely so."""
    guessed = f" Guessed: {listed(list(made.guessed), 5)}." if made.guessed else ""
    if made.wished_at is None:
        return line(f"Nobody deployed it with me, so I took what is known of it.{guessed}")
    return line("As it is wanted since ", When(at=made.wished_at, date=True), f".{guessed}")


def secrets(made: Exported) -> Line:
    """What has to be in Secret Manager before."""
    if not made.secrets:
        return line("It holds no secret and reads none.")
    return line(
        f"It holds no secret. It reads {listed(list(made.secrets))} from Secret Manager; stored by ",
        code("/gemma token"),
        " and ",
        code("/gemma token key"),
        ".",
    )


def _end(made: Exported) -> Line:
    price = (
        "price unknown"
        if made.price is None
        else f"{money(made.price.value)}/h (list price of {made.price.at.day} {made.price.at:%b})"
    )
    if made.run_s is not None:
        return line(f"Running it spends money: {price}, until it ends by itself after {duration(made.run_s)}.")
    return line(f"Running it spends money: {price}. It never ends by itself.")


EXPORT_VM = Operation(
    path="export.vm",
    summary="a deployment's machine as a gcloud command with its start-up script",
    when_to_use="To see exactly what a deployment is, or to make it without me.",
    example="export vm prod",
    arguments=VmArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    timeout=15.0,
    was=("get_vllm_tpu_deployment_config",),
)
