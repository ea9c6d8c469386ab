"""`endpoint`: where a deployment answers, with a command to copy that holds no key."""

import asyncio
import ipaddress
import json
import shlex
from datetime import datetime
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel

from bot.errors import NotConnectedError, PersonMovesNext
from bot.nouns import Effect, Role, SeenBy
from bot.operations import choice
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.sources import attempt
from bot.operations.values import GivenName
from bot.operations.wording import ago
from bot.view import VERDICT_LIMIT, Line, Shape, View, When, bold, code, line

ALONE = "ssh"
"""ssh://MACHINE:PORT: the engine listens on that machine alone, and is reached through SSH (`gemma tunnel` does for the bot)."""
KEY = "$MODEL_API_KEY"
"""Stands where the key belongs: the reader's own shell fills it in."""


class EndpointArguments(Arguments):
    """Which deployment; `raw` gives the address alone."""

    deployment: GivenName | None = None
    raw: bool = False


class Endpoint(BaseModel):
    """Where it answers. `since` is when the engine's process started; `before` the address before this one."""

    deployment: str
    address: str
    hid_credentials: bool
    local: bool
    answers: bool | None
    model: str | None
    since: datetime | None
    before: str | None = None
    curl: str
    raw: bool
    zone: str | None = None
    missing: tuple[str, ...] = ()


async def run(context: Context, arguments: EndpointArguments) -> Endpoint:
    """The configured address, and what answers there. Raises NotConnectedError when there is none."""
    deployment = await choice.deployment(context, arguments.deployment)
    if deployment.base_url is None:
        raise NotConnectedError(f"Address of {deployment.name}", "base_url in deployments.toml, or MODEL_BASE_URL")
    address, hid, local = shown_address(deployment.base_url)
    engine = context.services.engine
    healthy, served, sample = await asyncio.gather(
        attempt(engine.healthy(deployment)), attempt(engine.models(deployment)), attempt(engine.sample(deployment))
    )
    model = served.value[0].id if served.value else deployment.model_id
    return Endpoint(
        deployment=deployment.name,
        address=address,
        hid_credentials=hid,
        local=local,
        answers=healthy.value if healthy.missing is None else False,
        model=model,
        since=sample.value.started_at if sample.value else None,
        before=shown_address(deployment.address_before)[0] if deployment.address_before else None,
        curl=curl(address, model),
        raw=arguments.raw,
        zone=deployment.zone,
        missing=tuple(dict.fromkeys(one.missing for one in (healthy, served) if one.missing)),
    )


def shown_address(base_url: str) -> tuple[str, bool, bool]:
    """(the address as it may be shown, whether a name, password or question part was left out, whether it is this machine's).

    Raises PersonMovesNext for what is no address; nothing of it is repeated then, for it may hold a password.
    """
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = SplitResult("", "", "", "", ""), None, None
    if parts.scheme not in {"http", "https", ALONE} or not host:
        raise PersonMovesNext("The configured address is not one.", next_step="It looks like https://gemma.example.com.")
    place = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    hid = bool(parts.username or parts.password or parts.query or parts.fragment)
    return f"{parts.scheme}://{place}{f':{port}' if port else ''}{path}", hid, _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def curl(address: str, model: str | None) -> str:
    """A whole question on one line of a shell. Names from outside are quoted: they may hold anything."""
    if address.startswith(f"{ALONE}://"):
        address = f"http://127.0.0.1:{urlsplit(address).port or 8000}"
    body = {"model": model or "MODEL", "messages": [{"role": "user", "content": "Say hello"}], "max_tokens": 50}
    return (
        f"curl {shlex.quote(address + '/v1/chat/completions')} -H 'Content-Type: application/json' "
        f'-H "Authorization: Bearer {KEY}" -d {shlex.quote(json.dumps(body))}'
    )


def show(found: Endpoint, context: Context) -> View:
    """The address first; with `raw` nothing else."""
    if found.raw:
        return View(verdict=line(code(found.address[:VERDICT_LIMIT])))
    long = len(found.deployment) + len(found.address) > VERDICT_LIMIT - 40
    lines = [
        *((line(code(found.address)),) if long else ()),
        line(code(found.curl)),
        _since(found, context),
        *_alone(found),
        *((line("This address is reachable from the machine that I run on, and from nowhere else."),) if found.local else ()),
        *(
            (line("The configured address carries more than host, port and path; I left that out."),)
            if found.hid_credentials
            else ()
        ),
        *(line(words) for words in found.missing),
    ]
    return View(verdict=_verdict(found, long=long), shape=_shape(found), lines=tuple(lines))


def _alone(found: Endpoint) -> tuple[Line, ...]:
    """How a person gets there, where the engine listens on its machine alone."""
    if not found.address.startswith(f"{ALONE}://"):
        return ()
    parts = urlsplit(found.address)
    port = parts.port or 8000
    where = ["--zone", found.zone] if found.zone else []
    forward = shlex.join(
        ["gcloud", "compute", "tpus", "tpu-vm", "ssh", parts.hostname or "", *where, "--", "-N", "-L", f"{port}:127.0.0.1:{port}"]
    )
    return (line("It listens on its machine alone. First, in another shell: ", code(forward)),)


def _verdict(found: Endpoint, *, long: bool) -> Line:
    says = "answers at" if found.answers else "should answer, and does not, at" if found.answers is False else "is said to be at"
    where = "the address below" if long else ""
    return line(bold(f"{found.deployment} {says} {where}".rstrip()), *(() if long else (" ", code(found.address))))


def _shape(found: Endpoint) -> Shape:
    return {True: Shape.GOOD, False: Shape.BAD, None: Shape.NONE}[found.answers]


def _since(found: Endpoint, context: Context) -> Line:
    before = f"before it was at {found.before}" if found.before else "the address before is not known"
    if found.since is None:
        return line(f"Since when is not known; {before}.")
    return line("Its engine runs since ", When(at=found.since, date=True), f" ({ago(found.since, context.now)}); {before}.")


ENDPOINT = Operation(
    path="endpoint",
    summary="the address that serves, and a curl to copy",
    when_to_use="To call a deployment from elsewhere, or to check which address is the right one.",
    example="endpoint prod",
    arguments=EndpointArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    show=show,
    was=("get_vllm_endpoint", "get_deployed_endpoint"),
)
