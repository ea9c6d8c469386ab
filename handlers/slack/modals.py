"""Forms: opened in the listener, for Slack gives three seconds and one try. What is filled in becomes a Request."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from bot.diagnosis.secrets import redact
from bot.errors import BotError, PersonMovesNext
from bot.model.address import server_address
from bot.nouns import Deployment, Role
from bot.operations.access import role_of
from bot.ports import Services, Slack
from bot.requests import Door, Place, Request, request_id
from handlers.slack.form_parts import field, one_line, words
from handlers.slack.payloads import from_form
from handlers.slack.token_form import TOKEN, handed_over, token_view

OPEN_WITHIN_S = 2.5
"""Slack's trigger lives 3 s; what cannot be opened until now is told instead."""

SETUP = "setup"
NAME, ADDRESS, HERE = "name", "address", "here"

KEY_HINT = (
    "Plain http is taken for this machine only (a tunnel to 127.0.0.1). An API key does not belong here, for this is kept in "
    "Redis: set MODEL_API_KEY where the bot runs and name the deployment in deployments.toml."
)


def setup_view(channel: str) -> dict[str, Any]:
    """The form, as final JSON. `channel` is where it was asked for, and comes back with what is filled in."""
    here = {"text": words("Mean this one here when no name is given"), "value": "true"}
    box = {"type": "checkboxes", "action_id": HERE, "options": [here]}
    return {
        "type": "modal",
        "callback_id": SETUP,
        "private_metadata": channel,
        "title": words("Set up a deployment"),
        "submit": words("Take it over"),
        "close": words("Cancel"),
        "blocks": [
            field(NAME, "Name", one_line(NAME, max_length=40, placeholder=words("prod")), "What people will call it."),
            field(ADDRESS, "Address of the running vLLM", one_line(ADDRESS, max_length=500), KEY_HINT),
            {**field(HERE, "This channel", box), "optional": True},
        ],
    }


VIEWS: Mapping[str, Callable[[str], dict[str, Any]]] = {SETUP: setup_view, TOKEN: token_view}
"""The forms by the words that open them; each is for admins. Their callback ids are the same words."""


class Forms:
    """Opens forms for those who may fill them in."""

    def __init__(self, services: Services, slack: Slack) -> None:
        """Nothing is asked before the first press."""
        self._services = services
        self._slack = slack

    async def open_for(self, request: Request, trigger_id: str) -> str | None:
        """Open the form that these words ask for, in time. None when it is open; else what to say.

        Raises RefusedError, and redis errors, when the role could not be learnt; LookupError when there is no form for these
        words and this person: then the request goes the common way, which refuses with who may.
        """
        view = VIEWS[request.words.strip().lower()]
        try:
            async with asyncio.timeout(OPEN_WITHIN_S):
                if await role_of(self._services, request.actor, request.door) < Role.ADMIN:
                    raise LookupError(request.words)
                await self._slack.open_view(trigger_id, view(request.place.channel))
        except TimeoutError:
            return "The window took too long to open. Nothing was changed. Try again."
        except BotError as error:
            return f"{error} {error.telling.next_step}".strip()
        return None

    async def keep(self, body: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        """The form that holds a secret, handed over: what Bolt's `ack` is given."""
        return await handed_over(self._services, body, now)


def submitted(body: Mapping[str, Any], now: datetime) -> Request | dict[str, str]:
    """What was filled in as a Request, or what is wrong with it by block. Everything is checked again when it runs."""
    filled = from_form(body, (NAME, ADDRESS, HERE))
    if filled is None:
        return {NAME: "Slack sent this in a form I cannot read. Open it again."}
    values = filled.values
    if wrong := _wrong(values):
        return wrong
    here = " here=true" if values[HERE] else ""
    return Request(
        id=request_id("modal", filled.actor.team_id, *filled.view),
        door=Door.MODAL,
        actor=filled.actor,
        place=Place(channel=filled.channel, direct=filled.channel.startswith("D")),
        words=f"setup adopt name={values[NAME].lower()} address={values[ADDRESS]}{here}",
        at=now,
    )


def _wrong(values: Mapping[str, str]) -> dict[str, str]:
    wrong = {name: "This looks like a secret. It does not belong here." for name in (NAME, ADDRESS) if redact(values[name]).found}
    if wrong:
        return wrong
    try:
        made = Deployment(name=values[NAME].lower(), base_url=values[ADDRESS])
    except ValidationError:
        return {NAME: "A letter first, then letters, digits and dashes, 40 in all."}
    try:
        server_address(made)
    except PersonMovesNext as error:
        return {ADDRESS: f"{error}. {error.telling.next_step}"[:300]}
    return {}
