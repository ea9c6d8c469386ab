"""The `Authorization` header for Google's REST services, from credentials of google-auth, without blocking the loop."""

import asyncio
import functools
from typing import Any

from google.auth import exceptions as auth_errors
from google.auth.credentials import Credentials, TokenState
from google.auth.transport.requests import Request

from bot.cloud.channel import SIGN_IN_S, default_credentials

_ONE_REQUEST_S = 5.0
_UNREACHED: Any = auth_errors.TransportError
"""Its constructor carries no types."""


class SignIn:
    """A token that is fetched once, renewed before it ends, and shared by all who ask at the same moment."""

    def __init__(self, credentials: Credentials | None = None, *, limit_s: float = SIGN_IN_S) -> None:
        """`credentials` None: Google's default ones, looked up at the first call."""
        self._credentials: Any = credentials
        self._limit_s = limit_s
        self._turn = asyncio.Lock()

    async def headers(self) -> dict[str, str]:
        """What to send along, the quota project of the credentials included when they name one.

        Raises NotConnectedError without credentials, google.auth's errors when they are refused or sign-in cannot be reached.
        """
        async with self._turn:
            if self._credentials is None:
                self._credentials = await default_credentials()
            if self._credentials.token_state is not TokenState.FRESH:
                await self._renew(self._credentials)
        headers: dict[str, str] = {}
        self._credentials.apply(headers)
        return headers

    async def _renew(self, credentials: Credentials) -> None:
        """google-auth is synchronous: it runs in a thread and we stop waiting for it when the limit is reached."""
        request = functools.partial(Request(), timeout=_ONE_REQUEST_S)
        try:
            async with asyncio.timeout(self._limit_s):
                await asyncio.to_thread(credentials.refresh, request)
        except TimeoutError as error:
            raise _UNREACHED("sign-in took too long") from error
