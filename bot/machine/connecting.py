"""Opening an SSH connection: the machine must be the right one, and new keys need a while to arrive."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import asyncssh

from bot.errors import BotError, PersonMovesNext, RetryLater
from bot.machine.access import private_key_of, trusted_keys
from bot.ports import Host, KeyRefusedError

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class Patience:
    """How long is tried: as gcloud does, 10 times every 5 s (its TPU SSH command), for a new key takes a while to arrive."""

    tries: int = 10
    pause_s: float = 5.0
    connect_s: float = 10.0
    login_s: float = 15.0
    keepalive_s: float = 15.0
    missed_keepalives: int = 3


async def connect(host: Host, patience: Patience, pause: Pause) -> asyncssh.SSHClientConnection:
    """A connection to exactly this machine with exactly this key: no agent, no configuration file, no password.

    Raises PersonMovesNext for a wrong host key at once and for our key when it is still refused at the last try, RetryLater
    (`arrived` False) when it cannot be reached.
    """
    key, trusted = private_key_of(host), trusted_keys(host)
    trouble: BotError = RetryLater(f"{host.name} was not tried.", arrived=False)
    for number in range(patience.tries):
        if number:
            await pause(patience.pause_s)
        try:
            async with asyncio.timeout(patience.connect_s + patience.login_s):
                return await asyncssh.connect(host.address, host.port, **_options(host, key, trusted, patience))
        except asyncssh.HostKeyNotVerifiable:
            raise _another_machine(host) from None
        except asyncssh.PermissionDenied:
            trouble = _key_refused(host)
        except (OSError, TimeoutError, asyncssh.Error) as error:
            trouble = _unreachable(host, error)
    raise trouble


def _options(host: Host, key: asyncssh.SSHKey, trusted: list[asyncssh.SSHKey], patience: Patience) -> dict[str, object]:
    return {
        "username": host.user,
        "client_keys": [key],
        "known_hosts": (trusted, [], []),
        "config": [],
        "agent_path": None,
        "agent_forwarding": False,
        "preferred_auth": "publickey",
        "password_auth": False,
        "kbdint_auth": False,
        "host_based_auth": False,
        "gss_auth": False,
        "gss_kex": False,
        "x509_trusted_certs": None,
        "connect_timeout": patience.connect_s,
        "login_timeout": patience.login_s,
        "keepalive_interval": patience.keepalive_s,
        "keepalive_count_max": patience.missed_keepalives,
        "request_pty": False,
    }


def _another_machine(host: Host) -> PersonMovesNext:
    return PersonMovesNext(
        f"{host.name} shows another host key than Google tells for it, so I did not connect.",
        untouched="Nothing was sent to it.",
        next_step="It may have been made anew: look at `machine`. If not, somebody stands in between.",
    )


def _key_refused(host: Host) -> KeyRefusedError:
    return KeyRefusedError(
        f"{host.name} does not let us in with the key of this deployment.",
        untouched="Nothing was done on it.",
        next_step="If the organisation enforces OS Login, keys in metadata do not count: turn it off for this machine.",
    )


def _unreachable(host: Host, error: BaseException) -> RetryLater:
    why = "did not answer in time" if isinstance(error, TimeoutError) else "cannot be reached over SSH"
    return RetryLater(
        f"{host.name} {why}.", arrived=False, next_step="Look whether it is up, and whether the firewall lets SSH in."
    )
