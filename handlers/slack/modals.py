"""Forms: opened in the listener, for Slack gives three seconds and one try. What is filled in becomes a Request."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from bot.diagnosis.secrets import redact
from bot.errors import BotError, PersonMovesNext
from bot.model.address import server_address
from bot.nouns import Actor, Deployment, Role
from bot.operations.access import role_of
from bot.ports import Services, Slack
from bot.requests import Door, Place, Request, request_id

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
    here = {"text": _text("Mean this one here when no name is given"), "value": "true"}
    return {
        "type": "modal",
        "callback_id": SETUP,
        "private_metadata": channel,
        "title": _text("Set up a deployment"),
        "submit": _text("Take it over"),
        "close": _text("Cancel"),
        "blocks": [
            _input(NAME, "Name", {**_field(NAME), "max_length": 40, "placeholder": _text("prod")}, "What people will call it."),
            _input(ADDRESS, "Address of the running vLLM", {**_field(ADDRESS), "max_length": 500}, KEY_HINT),
            {
                **_input(HERE, "This channel", {"type": "checkboxes", "action_id": HERE, "options": [here]}),
                "optional": True,
            },
        ],
    }


def _text(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words, "emoji": False}


def _field(name: str) -> dict[str, Any]:
    return {"type": "plain_text_input", "action_id": name}


def _input(name: str, label: str, element: dict[str, Any], hint: str | None = None) -> dict[str, Any]:
    block = {"type": "input", "block_id": name, "label": _text(label), "element": element}
    return block if hint is None else {**block, "hint": _text(hint)}


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
        if request.words.strip().lower() != SETUP:
            raise LookupError(request.words)
        try:
            async with asyncio.timeout(OPEN_WITHIN_S):
                if await role_of(self._services, request.actor, request.door) < Role.ADMIN:
                    raise LookupError(request.words)
                await self._slack.open_view(trigger_id, setup_view(request.place.channel))
        except TimeoutError:
            return "The window took too long to open. Nothing was changed. Try again."
        except BotError as error:
            return f"{error} {error.telling.next_step}".strip()
        return None


def submitted(body: Mapping[str, Any], now: datetime) -> Request | dict[str, str]:
    """What was filled in as a Request, or what is wrong with it by block. Everything is checked again when it runs."""
    view = body.get("view")
    view = view if isinstance(view, Mapping) else {}
    user = body.get("user")
    user = user if isinstance(user, Mapping) else {}
    values = {name: _value(view, name) for name in (NAME, ADDRESS, HERE)}
    wrong = _wrong(values)
    channel, view_id = str(view.get("private_metadata") or ""), str(view.get("id") or "")
    if wrong or not channel or not view_id:
        return wrong or {NAME: "Slack sent this in a form I cannot read. Open it again."}
    team = str(user.get("team_id") or (body.get("team") or {}).get("id") or "")
    actor = Actor(team_id=team, user_id=str(user.get("id") or ""))
    words = f"setup adopt name={values[NAME]} address={values[ADDRESS]}{' here=true' if values[HERE] else ''}"
    place = Place(channel=channel, direct=channel.startswith("D"))
    return Request(
        id=request_id("modal", team, view_id, str(view.get("hash") or "")),
        door=Door.MODAL,
        actor=actor,
        place=place,
        words=words,
        at=now,
    )


def _value(view: Mapping[str, Any], name: str) -> str:
    """A field's text, or `true` for a ticked box; empty when it is not there in the form that Slack documents."""
    found: Any = view
    for step in ("state", "values", name, name):
        found = found.get(step) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        return ""
    return "true" if found.get("selected_options") else str(found.get("value") or "").strip()


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
