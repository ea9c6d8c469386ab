"""A token is fetched once for all who ask, renewed before it ends, and never waited for without end."""

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.auth import exceptions as auth_errors
from google.oauth2 import credentials as oauth2

from bot.cloud.sign_in import SignIn


class Renewable(oauth2.Credentials):
    """Credentials that count how often they are renewed. `lasts` is how long a new token does."""

    def __init__(self, lasts: timedelta = timedelta(hours=1), act: Callable[[], object] = lambda: None) -> None:
        begin: Any = super().__init__
        begin(None)
        self.renewals, self._lasts, self._act = 0, lasts, act

    def refresh(self, request: Callable[..., object]) -> None:
        """As google-auth does: in a thread, with something to send requests by."""
        assert callable(request)
        self._act()
        self.renewals += 1
        self.token = f"token-{self.renewals}"
        self.expiry = datetime.now(UTC).replace(tzinfo=None) + self._lasts


async def test_all_who_ask_at_the_same_moment_share_one_renewal() -> None:
    held = Renewable()
    sign_in = SignIn(held)
    answers = await asyncio.gather(*(sign_in.headers() for _ in range(8)))
    assert held.renewals == 1
    assert {answer["authorization"] for answer in answers} == {"Bearer token-1"}


@pytest.mark.parametrize("lasts", [timedelta(seconds=-1), timedelta(minutes=1)])
async def test_a_token_that_has_ended_or_is_about_to_is_renewed(lasts: timedelta) -> None:
    held = Renewable(lasts)
    sign_in = SignIn(held)
    assert (await sign_in.headers())["authorization"] == "Bearer token-1"
    assert (await sign_in.headers())["authorization"] == "Bearer token-2"


async def test_a_renewal_without_end_is_given_up_and_the_next_one_may_work() -> None:
    answered = threading.Event()
    held = Renewable(act=lambda: answered.wait(5))
    sign_in = SignIn(held, limit_s=0.05)
    with pytest.raises(auth_errors.TransportError):
        await sign_in.headers()
    answered.set()
    assert (await sign_in.headers())["authorization"].startswith("Bearer token-")
