"""What runs outside: the clock on the wall, Google Cloud, the serving engine, prices."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from bot.errors import WeMoveNext
from bot.nouns import (
    AnswerLimits,
    Deployment,
    EngineSample,
    Fleet,
    Message,
    Price,
    ProvisioningModel,
    ServedModel,
    Tool,
    Turn,
)


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


class PromptTooLongError(WeMoveNext):
    """The messages and tools do not fit the model's window: shorten them and ask again.

    `window` in tokens. How long they are is not known from this error, for the server stops counting: ask `Model.size`.
    """

    def __init__(self, failed: str, *, window: int | None = None) -> None:
        """Keep the window, if the server named it."""
        super().__init__(failed)
        self.window = window


class Model(Protocol):
    """The served model as the agent needs it. All calls go to the deployment's own server.

    All of them raise PersonMovesNext when the server is another one than was meant, wants another key or was started without tool
    calling; RetryLater when it does not answer, answers half or says nothing; WeMoveNext when it refuses what we sent.
    """

    async def window(self, deployment: Deployment) -> int | None:
        """The context window in tokens, as the server says; None when it does not say."""

    async def size(self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int | None:
        """How many tokens these messages and tools are, counted by the server's own tokenizer; also beyond the window.

        None when the server cannot count.
        """

    async def converse(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> Turn:
        """One turn, as a whole. Calls without a `problem` may run. PromptTooLongError when there is no room for an answer.

        ModelMovesNext when it stopped for the result of a call that never arrived: tell it so and ask again.
        """

    def stream(
        self, deployment: Deployment, messages: Sequence[Message], tools: Sequence[Tool], limits: AnswerLimits
    ) -> AsyncGenerator[str | Turn, None]:
        """Pieces of prose as they come, then the Turn, whose text counts. Close it (`contextlib.aclosing`) to stop the model.

        Errors as for `converse`; what was given out before RetryLater is not the whole answer.
        """


class Prices(Protocol):
    """What TPU capacity costs."""

    def price(self, accelerator: str, zone: str, provisioning: ProvisioningModel) -> tuple[Price, int] | None:
        """The price of one chip hour and the number of chips of this slice; None when it is not known."""
