"""`token key`: a new API key for a deployment's engine, made on the spot. Nobody types it, and nobody is shown it."""

import secrets

from pydantic import SecretStr

from bot.errors import RefusedError
from bot.nouns import Effect, Role, SeenBy
from bot.operations import choice
from bot.operations.execute import leave
from bot.operations.operation import Arguments, Consent, Context, Operation, Preview
from bot.operations.token import Kept, before, vault
from bot.operations.values import GivenName
from bot.ports import Question
from bot.serving.places import api_key_secret
from bot.view import Mention, Shape, View, When, bold, code, line

RANDOM_BYTES = 32
"""256 bits: as many as are of any use against guessing."""


class KeyArguments(Arguments):
    """Whose engine asks for it. A deployment that does not exist yet may be named: the key waits for it."""

    deployment: GivenName | None = None


class KeyKept(Kept):
    """A key was made for this deployment."""

    deployment: str


def new_key() -> SecretStr:
    """A key that no header and no shell misreads: letters, digits, - and _."""
    return SecretStr(secrets.token_urlsafe(RANDOM_BYTES))


async def _name(context: Context, arguments: KeyArguments) -> tuple[str, bool]:
    """The deployment's name, and whether there is one. Raises NotConnectedError when none is named and there is none."""
    known = await context.services.deployments.all(context.services.team_id)
    if arguments.deployment is not None and not any(one.name.startswith(arguments.deployment) for one in known):
        return arguments.deployment[:40], False
    return (await choice.deployment(context, arguments.deployment)).name, True


async def preview(context: Context, arguments: KeyArguments) -> Preview:
    """What a new key means for those who call the engine."""
    name, known = await _name(context, arguments)
    there = "The engine asks for it from its next start on; callers with the key before are refused from then on."
    return Preview(
        needs=Consent.CONFIRM,
        verdict=line("Make a new API key for the engine of ", bold(name), "?"),
        lines=(
            line(f"It is made at random and goes to Secret Manager as {api_key_secret(name)}. Nobody types it or is shown it."),
            line(there if known else f"There is no deployment {name} yet; the key waits for it."),
        ),
        button=f"Make a new key for {name}",
    )


async def run(context: Context, arguments: KeyArguments) -> KeyKept:
    """Make and store it, for the yes that was given. Taken again after a crash it makes one more, and the newest counts."""
    name, _ = await _name(context, arguments)
    version = await vault(context).store(leave(await _yes(context)), api_key_secret(name), new_key())
    return KeyKept(deployment=name, secret=api_key_secret(name), version=version, at=context.now, by=context.actor.user_id)


async def _yes(context: Context) -> Question:
    """The question that was answered. The gate asks it before this runs, so its lack is a refusal and no crash."""
    asked = context.request.approval if context.request is not None else None
    question = await context.services.approvals.get(asked) if asked is not None else None
    if question is None:
        raise RefusedError("Nobody said yes to this, so I did nothing.", next_step="Ask again.")
    return question


def show(kept: KeyKept, context: Context) -> View:
    """Which secret, which version, and how whoever needs it gets it."""
    read = code(f"gcloud secrets versions access latest --secret={kept.secret}")
    return View(
        verdict=line(bold(f"{kept.deployment} has a new API key"), f" · {kept.secret}, version {kept.version}"),
        shape=Shape.GOOD,
        lines=(
            line("Since ", When(at=kept.at or context.now, date=True), " · by ", Mention(id=kept.by or ""), " · shown to nobody"),
            line("The engine asks for it from its next start on. Who may read secrets gets it with: ", read),
            *before(kept, None),
        ),
    )


TOKEN_KEY = Operation(
    path="token.key",
    summary="make a new API key for an engine; nobody types it or is shown it",
    when_to_use="Before an engine is served on a private network, and when its key was seen by somebody.",
    example="token key prod",
    arguments=KeyArguments,
    effect=Effect.CHANGES,
    role=Role.ADMIN,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    preview=preview,
)
