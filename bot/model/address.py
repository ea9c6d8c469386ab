"""Which addresses a model server may have: https anywhere, plain http only on this machine or where it was allowed by name."""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from bot.errors import NotConnectedError, PersonMovesNext
from bot.nouns import Deployment

WHAT = "Gemma's server"


@dataclass(frozen=True)
class ServerAddress:
    """`root` is what paths like /health are put behind, without a slash at its end; `place` is host:port, fit to be shown."""

    root: str
    place: str
    tls: bool


def server_address(deployment: Deployment, allow_plain_http: Collection[str] = ()) -> ServerAddress:
    """The address of this deployment's server. A closing `/v1`, as OpenAI clients want it, is taken off.

    Raises NotConnectedError when there is none, PersonMovesNext when it is not one that may be asked. Errors name host and port
    only: an address may carry a password, which is refused and never repeated.
    """
    if not deployment.base_url:
        raise NotConnectedError(WHAT, "MODEL_BASE_URL")
    parts, host, port = _split(deployment.base_url)
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise PersonMovesNext(
            f"The address of {WHAT} at {place} carries more than host, port and path",
            next_step="Take the name, password or question part out of it; a key has its own setting.",
        )
    if parts.scheme == "http" and not (is_loopback(host) or host in allow_plain_http):
        raise PersonMovesNext(
            f"{WHAT} at {place} would be asked over plain http, which anyone on the way can read",
            next_step="Use https, or a tunnel to 127.0.0.1, or allow this host by name.",
        )
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return ServerAddress(f"{parts.scheme}://{place}{path}", place, parts.scheme == "https")


def _split(base_url: str) -> tuple[SplitResult, str, int]:
    """Parts, host and port; PersonMovesNext when it is no http or https address."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = SplitResult("", "", "", "", ""), None, None
    strange = not base_url.isascii() or not base_url.isprintable() or " " in base_url or "\\" in base_url
    if strange or parts.scheme not in ("http", "https") or not host:
        raise PersonMovesNext(
            f"The address of {WHAT} is not one", next_step="It looks like http://127.0.0.1:8000 or https://gemma.example.com."
        )
    return parts, host, port or (443 if parts.scheme == "https" else 80)


def is_loopback(host: str) -> bool:
    """Whether this name or address can only be this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def sendable_key(secret: SecretStr | None, place: str) -> str:
    """The API key for the server at `place`, "" for none.

    Raises PersonMovesNext for one that no header can hold: HTTP libraries would repeat it in their errors.
    """
    if secret is None:
        return ""
    key = secret.get_secret_value()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise PersonMovesNext(
            f"The API key for {WHAT} at {place} holds characters that no key has",
            next_step="Set it again, without spaces or line breaks.",
        )
    return key
