"""`token`: the Hugging Face token, from a window or a silent prompt straight into Secret Manager.

The value is no argument: it stands in no request, is written down nowhere, and reaches `run` only where somebody hands it over in
person (`token_operation(value)`). Without one there is nothing to do but to open the window.
"""

import re
from datetime import datetime

from pydantic import BaseModel, SecretStr

from bot.errors import NotConnectedError, UsageError
from bot.nouns import Effect, Role, SeenBy
from bot.operations.execute import leave_in_person
from bot.operations.operation import AnyOperation, Context, NoArguments, Operation
from bot.ports import Secrets
from bot.serving.places import HF_TOKEN_SECRET
from bot.view import Button, Line, Link, Mention, Shape, View, When, bold, code, line

PATH = "token"
SHAPE = re.compile(r"hf_[A-Za-z0-9]{20,200}", re.ASCII)
"""Hugging Face's user access tokens; today they have 34 characters behind the underscore."""
SETTINGS = "https://huggingface.co/settings/tokens"
WRONG = "A Hugging Face token begins with hf_ and goes on with letters and digits. Nothing was stored."


class Kept(BaseModel):
    """Which secret has a new version, since when and by whom. `version` None: nothing was handed over."""

    secret: str
    version: str | None = None
    at: datetime | None = None
    by: str | None = None


def token_operation(value: SecretStr | None = None, *, timeout: float = 10.0) -> AnyOperation:
    """The operation, with the value that somebody just handed over, if they did. `timeout` in seconds."""

    async def run(context: Context, _arguments: NoArguments) -> Kept:
        if value is None:
            return Kept(secret=HF_TOKEN_SECRET)
        if not SHAPE.fullmatch(value.get_secret_value()):
            raise UsageError(WRONG)
        version = await vault(context).store(await leave_in_person(context), HF_TOKEN_SECRET, value)
        return Kept(secret=HF_TOKEN_SECRET, version=version, at=context.now, by=context.actor.user_id)

    return Operation(
        path=PATH,
        summary="store the Hugging Face token, from a window that only its admin sees",
        when_to_use="Before the first engine with a gated model, and when the token was renewed or leaked.",
        example="token",
        arguments=NoArguments,
        effect=Effect.CHANGES,
        role=Role.ADMIN,
        seen_by=SeenBy.YOU,
        run=run,
        show=show,
        timeout=timeout,
        was=("save_hf_token",),
        whisper=True,
    )


def vault(context: Context) -> Secrets:
    """Where secrets are kept. Raises NotConnectedError where only looking is possible."""
    if context.services.capacity is None:
        raise NotConnectedError("Secret Manager", "GOOGLE_CLOUD_PROJECT")
    return context.services.capacity.secrets


def show(kept: Kept, _context: Context) -> View:
    """Which secret, which version, since when, and what is to be done about the one before."""
    if kept.version is None or kept.at is None or kept.by is None:
        return View(
            verdict=line(bold("The Hugging Face token"), " goes into a window of its own, never into a message"),
            lines=(line("In a terminal: ", code("gemma token"), ", which asks for it and shows nothing."),),
            buttons=(Button(label="Store a Hugging Face token", words=PATH, style="primary"),),
        )
    return View(
        verdict=line(bold("The Hugging Face token is stored"), f" · {kept.secret}, version {kept.version}"),
        shape=Shape.GOOD,
        lines=(
            line(
                "Since ", When(at=kept.at, date=True), " · by ", Mention(id=kept.by), " · nobody is shown it again, you neither"
            ),
            line("Engines read the newest version when they start. Those that run keep the one they have."),
            *before(kept, Link(url=SETTINGS, text="Hugging Face")),
        ),
    )


def before(kept: Kept, issuer: Link | None) -> tuple[Line, ...]:
    """How the version before this one is made worthless: at who issued it, then where it is kept."""
    if kept.version is None or not kept.version.isdecimal() or int(kept.version) < 2:
        return (line("To take it back: revoke it at ", issuer, ", then store another one."),) if issuer else ()
    old = int(kept.version) - 1
    destroy = code(f"gcloud secrets versions destroy {old} --secret={kept.secret}")
    revoked = ("revoke it at ", issuer, ", then ") if issuer else ()
    return (line(f"Version {old} still works. When no engine needs it: ", *revoked, destroy),)


TOKEN = token_operation()
