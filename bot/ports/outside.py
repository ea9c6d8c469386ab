"""What runs outside: the clock on the wall, Google Cloud, the serving engine, prices."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from bot.nouns import Deployment, EngineSample, Fleet, Price, ProvisioningModel, ServedModel


class Clock(Protocol):
    """The time, so that tests can hold it."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""


class Cloud(Protocol):
    """TPU capacity in one Google Cloud project."""

    async def zones(self) -> tuple[str, ...]:
        """Names of the zones that the TPU API lists for this project.

        Raises RetryLater when it cannot be reached, PersonMovesNext when the credentials or the project are refused.
        """

    async def fleet(self, zones: Sequence[str] | None = None) -> Fleet:
        """All machines and capacity requests of these zones (None: all), each zone asked at once with its own deadline.

        A zone that cannot be asked stands in `unreachable` with its reason; the call fails only when no zone could be asked.
        """


class Engine(Protocol):
    """The serving engine of a deployment, asked over HTTP."""

    async def healthy(self, deployment: Deployment) -> bool:
        """Whether /health answers 200. False when it answers anything else; RetryLater when it does not answer."""

    async def sample(self, deployment: Deployment) -> EngineSample:
        """One scrape of its metrics. RetryLater when it does not answer in time."""

    async def exposition(self, deployment: Deployment) -> str:
        """Its metrics as it tells them, in Prometheus' text format. Errors as for `sample`."""

    async def models(self, deployment: Deployment) -> tuple[ServedModel, ...]:
        """What it serves, as it says."""

    async def version(self, deployment: Deployment) -> str | None:
        """The server's version, or None when it does not say."""

    async def chat(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> dict[str, Any]:
        """One whole chat completion (OpenAI's format) within `deadline_s` seconds.

        PersonMovesNext when the server refuses the question, in its own words; RetryLater when no answer comes in time.
        """

    def chat_stream(self, deployment: Deployment, body: Mapping[str, Any], deadline_s: float) -> AsyncIterator[dict[str, Any]]:
        """The chunks of a streamed completion as they come; errors as for `chat`, RetryLater when it ends half-way."""


class Prices(Protocol):
    """What TPU capacity costs."""

    def price(self, accelerator: str, zone: str, provisioning: ProvisioningModel) -> tuple[Price, int] | None:
        """The price of one chip hour and the number of chips of this slice; None when it is not known."""
