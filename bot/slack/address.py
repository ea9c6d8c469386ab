"""Which addresses we send to: https anywhere, plain http to this machine only."""

from urllib.parse import urlsplit

from bot.errors import WeMoveNext

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def loopback(url: str) -> bool:
    """Whether the address is on this machine."""
    return urlsplit(url).hostname in LOOPBACK


def checked(url: str, what: str) -> str:
    """The address, when it may be sent to. Raises WeMoveNext; the address itself is a secret and is not told."""
    try:
        parts = urlsplit(url)
        allowed = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    except ValueError:
        allowed, parts = False, urlsplit("")
    if not allowed or not parts.hostname or "@" in parts.netloc:
        raise WeMoveNext(f"{what} is not an https address")
    return url
