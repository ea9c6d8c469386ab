"""The way to the TPU API: TLS with Google credentials, or plain text to this very machine and nowhere else."""

import asyncio
import ipaddress

import google.auth
import grpc
from google.auth.credentials import Credentials
from google.cloud.tpu_v2alpha1.services.tpu.transports import TpuGrpcAsyncIOTransport

from bot.errors import NotConnectedError, PersonMovesNext

TPU_API = "tpu.googleapis.com:443"
SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
SIGN_IN_S = 8.0

_OPTIONS = (
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.keepalive_time_ms", 60_000),
)
"""Nodes carry their start-up scripts, so a list may pass gRPC's usual 4 MiB; short reconnects, for a client lives briefly."""


def is_loopback(address: str) -> bool:
    """Whether `host:port` is this machine: a loopback address or "localhost"."""
    host = address.rpartition(":")[0].strip("[]") or address
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def open_channel(address: str, credentials: Credentials | None) -> grpc.aio.Channel:
    """Open a channel for the typed client; must be called inside the running loop, never before a fork.

    Loopback without credentials is plain text and never goes through a proxy.
    Every other address gets TLS and `credentials`, or Google's default ones.
    Raises PersonMovesNext for an address with a scheme, NotConnectedError when there are no default credentials.
    """
    if "/" in address:
        raise PersonMovesNext(f"{address[:80]} is not an address of the TPU API.", next_step="Write it as host:port.")
    if is_loopback(address) and credentials is None:
        return grpc.aio.insecure_channel(address, options=(*_OPTIONS, ("grpc.enable_http_proxy", 0)))
    held = credentials or await default_credentials()
    return TpuGrpcAsyncIOTransport.create_channel(address, credentials=held, scopes=SCOPES, options=_OPTIONS)


async def default_credentials() -> Credentials:
    """Google's default credentials; looking for them may ask the metadata server, so it is done aside and with a limit."""
    try:
        async with asyncio.timeout(SIGN_IN_S):
            found, _ = await asyncio.to_thread(google.auth.default, scopes=SCOPES)
    except (google.auth.exceptions.DefaultCredentialsError, TimeoutError) as error:
        raise NotConnectedError("Google Cloud", "GOOGLE_APPLICATION_CREDENTIALS") from error
    return found
