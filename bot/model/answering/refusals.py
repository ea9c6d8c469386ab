"""Our errors for what a model server refuses and for how a call can fail, in plain words.

Bodies may repeat what was sent, so of their text only what is recognised is shown.
"""

import re
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, OpenAIError

from bot.errors import BotError, PersonMovesNext, RetryLater, WeMoveNext
from bot.model.address import WHAT
from bot.model.answering.connection import TooMuch
from bot.model.wire import not_vllm
from bot.ports import PromptTooLongError

FAILURES: Final = (OpenAIError, httpx2.HTTPError, httpx2.StreamError, TimeoutError, ValueError, OSError)
"""All that a call through the SDK can raise for what the other side does; ValueError: JSON in it that is none."""

TOOL_FLAGS: Final = "--enable-auto-tool-choice --tool-call-parser gemma4 --reasoning-parser gemma4"
"""What vLLM is started with to call tools with Gemma 4 [its recipe]."""

_WINDOW = re.compile(r"maximum context length is (\d+) tokens|cannot be greater than max_model_len=(\d+)")
_ALIASES = re.compile(r"Valid aliases: ([^\n]{1,200})\.")
_BUSY = (408, 425, 429)


def translated(error: Exception, place: str) -> BotError:
    """Our error for one of FAILURES. `place` is host:port."""
    if any(isinstance(cause, TooMuch) for cause in _causes(error)):
        return not_vllm(place)
    if isinstance(error, APIStatusError):
        return refusal(error.status_code, error.body, place, _after(error))
    if isinstance(error, APITimeoutError | TimeoutError):
        return silent(place)
    if isinstance(error, APIConnectionError | httpx2.HTTPError | OSError):
        return _unreachable(error, place)
    if isinstance(error, APIError):
        return error_inside(error.body, place)
    return half(place)


def refusal(status: int, body: object, place: str, after_s: float | None = None) -> BotError:
    """The error that an HTTP status and its body mean. `body` is the parsed JSON, with or without its outer `error`."""
    said = _message(body)
    if status in (401, 403):
        return PersonMovesNext(
            f"The API key is not accepted by {WHAT} at {place} (HTTP {status})",
            next_step="Set the key that the server was started with (--api-key).",
        )
    if status in _BUSY or status >= 500:
        return RetryLater(f"{WHAT} at {place} answers {status} instead of what was asked", after_s=after_s)
    if "enable-auto-tool-choice" in said:
        return PersonMovesNext(
            f"{WHAT} at {place} was started without tool calling, so it can answer but look nothing up",
            next_step=f"Start it with {TOOL_FLAGS}.",
        )
    window = _WINDOW.search(said)
    if window is not None:
        tokens = int(window[1] or window[2])
        return PromptTooLongError(f"The conversation does not fit Gemma's window of {tokens:,} tokens", window=tokens)
    if status == 404:
        return _unknown_model(body, said, place)
    if not said:
        return not_vllm(place)
    return WeMoveNext(f"{WHAT} at {place} refuses what we sent (HTTP {status}{_parameter(body)})")


def no_such_path(error: Exception) -> bool:
    """Whether the server has no such path or method; a 404 for an unknown model is another thing."""
    return isinstance(error, APIStatusError) and error.status_code in (404, 405) and not _about_model(error.body)


def error_inside(body: object, place: str) -> BotError:
    """An error that came inside a stream which had begun with HTTP 200."""
    code = body.get("code") if isinstance(body, Mapping) else None
    if isinstance(code, int) and 400 <= code < 500:
        return refusal(code, body, place)
    return RetryLater(f"{WHAT} at {place} reported an error in the middle of its answer")


def silent(place: str) -> RetryLater:
    """No answer, or no more of it, in time."""
    return RetryLater(f"{WHAT} at {place} fell silent: no answer in time", next_step="Look at its load: /gemma status.")


def half(place: str) -> RetryLater:
    """The answer ended in the middle, or cannot be read."""
    return RetryLater(f"The answer of {WHAT} at {place} broke off or cannot be read")


def nothing(place: str) -> RetryLater:
    """HTTP 200 and nothing that can be used."""
    return RetryLater(f"{WHAT} at {place} answered with nothing in it")


def _unreachable(error: Exception, place: str) -> BotError:
    """No connection, or one that was lost."""
    if any(isinstance(cause, ssl.SSLError) for cause in _causes(error)):
        return PersonMovesNext(
            f"No secure connection to {WHAT} at {place}: its certificate or protocol is not accepted",
            next_step="Check that https is right there and that its certificate names this host.",
        )
    if any(isinstance(cause, httpx2.ReadError | httpx2.RemoteProtocolError) for cause in _causes(error)):
        return half(place)
    unsent = any(isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout) for cause in _causes(error))
    return RetryLater(
        f"{WHAT} does not answer at {place}",
        arrived=False if unsent else None,
        next_step="Is the engine up, and is this its address?",
    )


def _unknown_model(body: object, said: str, place: str) -> BotError:
    """404: another model is served there, or it is no vLLM."""
    if not _about_model(body):
        return not_vllm(place)
    aliases = _ALIASES.search(said)
    served = f"It serves {aliases[1]}." if aliases else "See /gemma models."
    return PersonMovesNext(f"{WHAT} at {place} does not serve the model that was asked for", next_step=served)


def _about_model(body: object) -> bool:
    """Whether an error body is about the model's name."""
    return isinstance(body, Mapping) and _inner(body).get("param") == "model"


def _inner(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of an error body that says what is wrong."""
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def _message(body: object) -> str:
    """Its words; empty when it has none."""
    said = _inner(body).get("message") if isinstance(body, Mapping) else None
    return said if isinstance(said, str) else ""


def _parameter(body: object) -> str:
    """`, about NAME` of the parameter that was refused, if it is a plain name."""
    name = _inner(body).get("param") if isinstance(body, Mapping) else None
    return f", about {name}" if isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_.]{1,60}", name) else ""


def _after(error: APIStatusError) -> float | None:
    """Retry-After in seconds, when it is a plain number of them."""
    said = error.response.headers.get("retry-after", "")
    return float(said) if said.isascii() and said.isdigit() else None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it."""
    step: BaseException | None = error
    while step is not None:
        yield step
        step = step.__cause__ or step.__context__
