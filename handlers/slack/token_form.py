"""The window for the Hugging Face token. What is typed here goes to Secret Manager at once, and no request of it is stored.

It is the one listener that acts: a value that must not be written down cannot wait for a worker. The gate checks the role and
writes the audit, as for everything else.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import structlog
from pydantic import SecretStr
from redis.exceptions import RedisError

from bot.errors import BotError, RetryLater
from bot.operations.execute import Outcome, execute
from bot.operations.token import PATH, SHAPE, WRONG, token_operation
from bot.ports import Services
from bot.requests import Door, Place, Request, request_id
from bot.slack.render import render
from handlers.slack import form_parts
from handlers.slack.payloads import Filled, from_form

log = structlog.get_logger()

TOKEN = "token"  # noqa: S105 the name of a form, and of its one field
TITLE = form_parts.words("Hugging Face token")
STORE_WITHIN_S = 2.0
"""For Secret Manager. Slack waits 3 s for the acknowledgement; the rest is for the role before and the audit after."""
ANSWER_WITHIN_S = 2.6
HINT = (
    "It goes straight to Secret Manager: no message, log or database of the bot holds it, and nobody is shown it again. Slack "
    "carries it, as it carries every form; gemma token in a terminal does without Slack."
)
PERHAPS = "It may have been stored all the same; storing it once more does no harm."


def token_view(channel: str) -> dict[str, Any]:
    """The form, as final JSON. `channel` is where it was asked for."""
    element = form_parts.one_line(TOKEN, max_length=300, placeholder=form_parts.words("hf_…"))
    return {
        "type": "modal",
        "callback_id": TOKEN,
        "private_metadata": channel,
        "title": TITLE,
        "submit": form_parts.words("Store it"),
        "close": form_parts.words("Cancel"),
        "blocks": [form_parts.field(TOKEN, "Token", element, HINT)],
    }


async def handed_over(services: Services, body: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Store what was typed, and answer the form: with what was done, or with what is wrong beside the field.

    The arguments of Bolt's `ack`. Nothing that came in is repeated.
    """
    filled = from_form(body, (TOKEN,))
    if filled is None:
        return _wrong("Slack sent this in a form I cannot read. Nothing was stored. Open it again.")
    value = SecretStr(filled.values[TOKEN])
    if not SHAPE.fullmatch(value.get_secret_value()):
        return _wrong(WRONG)
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            outcome = await execute((token_operation(value, timeout=STORE_WITHIN_S),), services, _request(filled, now))
    except TimeoutError:
        return _wrong(f"This took too long. {PERHAPS}")
    except RetryLater as error:
        return _wrong(f"{error} {PERHAPS}")
    except RedisError as error:
        log.warning("not taken", door=Door.MODAL, why=type(error).__name__)
        return _wrong(f"My memory (Redis) does not answer. {PERHAPS}")
    except BotError as error:
        return _wrong(f"{error} {error.telling.untouched} {error.telling.next_step}")
    return {"response_action": "update", "view": _done(outcome)}


def _request(filled: Filled, now: datetime) -> Request:
    """What the audit tells of it. It is stored nowhere, and the value is not in it."""
    return Request(
        id=request_id("modal", filled.actor.team_id, *filled.view),
        door=Door.MODAL,
        actor=filled.actor,
        place=Place(channel=filled.channel, direct=filled.channel.startswith("D")),
        words=PATH,
        at=now,
    )


def _wrong(said: str) -> dict[str, Any]:
    return {"response_action": "errors", "errors": {TOKEN: " ".join(said.split())[:300]}}


def _done(outcome: Outcome) -> dict[str, Any]:
    """The same window with the answer in it."""
    blocks = render(outcome.view).blocks
    return {
        "type": "modal",
        "title": form_parts.words("Hugging Face token"),
        "close": form_parts.words("Close"),
        "blocks": blocks,
    }
