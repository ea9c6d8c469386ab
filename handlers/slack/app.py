"""The Bolt app: every listener reads a payload, writes it down, acknowledges. What takes longer than that happens elsewhere."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from redis.exceptions import RedisError
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BotError
from bot.operations.pasted import telling
from bot.ports import Clock
from bot.requests import Request
from bot.slack.render import render
from bot.view import Shape, View, line
from handlers.slack.modals import NAME, Forms, submitted
from handlers.slack.payloads import Said, form_of, from_button, from_command, from_event, from_shortcut
from handlers.slack.secrets import without
from handlers.slack.token_form import TOKEN
from jobs.inbox import Inbox

log = structlog.get_logger()

NOT_TAKEN = "I could not take this, and nothing was started: my memory (Redis) does not answer. Try again in a minute."
NO_WORDS = "I can read no words in that message, so I asked nothing."
NOT_READ = "Slack sent this in a form I cannot read. Nothing was started. Try again."


class Listeners:
    """What is done with each kind of payload. Slack repeats events alone: those that could not be written are not acknowledged;
    commands and buttons come once, so they are always acknowledged, and the acknowledgement says when nothing was taken."""

    def __init__(
        self,
        inbox: Inbox,
        clock: Clock,
        respond: Callable[[str, View], Awaitable[None]],
        forms: Forms | None = None,
    ) -> None:
        """`respond` shows a view to the asker alone; losing that is of no concern.

        `forms` opens windows, where there is somebody to open them.
        """
        self._forms = forms
        self._inbox = inbox
        self._clock = clock
        self._respond = respond

    async def _say(self, response_url: str, view: View) -> None:
        try:
            await self._respond(response_url, view)
        except BotError as error:
            log.info("not said", why=str(error))

    async def command(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """A slash command. One that holds a secret is answered here and now, and goes no further."""
        said = from_command(body, self._clock.now())
        if said is not None and said.secrets:
            shown = render(telling(said.secrets, posted=False))
            await ack(text=shown.text, blocks=shown.blocks, response_type="ephemeral")
            return
        await ack(await self._opened_or_taken(said, body) or "")

    async def button(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """A pressed button. Slack shows nothing of its acknowledgement, so what was not taken is said at its response_url."""
        said = from_button(body, self._clock.now())
        refused = await self._opened_or_taken(said, body)
        await ack()
        if refused is not None and said is not None and said.request.place.response_url is not None:
            await self._say(said.request.place.response_url, View(verdict=line(refused), shape=Shape.BAD))

    async def shortcut(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """A message that somebody picked to ask about. As with a button, what was not taken is said at its response_url."""
        said = from_shortcut(body, self._clock.now())
        await ack()
        refused = NO_WORDS if said is not None and not said.request.words else await self._taken(said)
        if refused is not None and said is not None and said.request.place.response_url is not None:
            await self._say(said.request.place.response_url, View(verdict=line(refused), shape=Shape.BAD))

    async def event(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """An event. Raises redis errors, so that Slack sends it again."""
        said = from_event(body, self._clock.now())
        if said is not None:
            await self._write(said)
        await ack()

    async def form(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """A form that was sent. What is wrong is said beside its field; what could not be written down, beside the first. The one
        with a secret is dealt with here and now, for a secret is not written down."""
        if form_of(body) == TOKEN and self._forms is not None:
            await ack(**await self._forms.keep(body, self._clock.now()))
            return
        found = submitted(body, self._clock.now())
        if isinstance(found, Request):
            refused = await self._taken(Said(found, ()))
            found = {} if refused is None else {NAME: refused}
        await (ack(response_action="errors", errors=found) if found else ack())

    async def _opened_or_taken(self, said: Said | None, body: Mapping[str, Any]) -> str | None:
        """A form is opened at once, for its trigger lives 3 s; everything else, and what may not be opened, is written down."""
        if self._forms is None or said is None:
            return await self._taken(said)
        try:
            return await self._forms.open_for(said.request, str(body.get("trigger_id")))
        except LookupError:
            return await self._taken(said)
        except RedisError:
            return NOT_TAKEN

    async def _taken(self, said: Said | None) -> str | None:
        """None when it is written down, else what to say."""
        if said is None:
            return NOT_READ
        try:
            await self._write(said)
        except RedisError as error:
            log.warning("not taken", door=said.request.door, why=type(error).__name__)
            return NOT_TAKEN
        return None

    async def _write(self, said: Said) -> None:
        fresh = await self._inbox.accept(without(said.request, said.secrets))
        log.info("accepted" if fresh else "seen before", request=said.request.id, door=said.request.door)


async def _ignore(ack: AsyncAck, body: Mapping[str, Any]) -> None:
    """Events that mean nothing to us are acknowledged, or Slack would send them again."""
    del body
    await ack()


def build(client: AsyncWebClient, signing_secret: str | None, listeners: Listeners) -> AsyncApp:
    """The app. With `process_before_response` the listener runs before Slack is answered: measured 1 ms instead of 11."""
    app = AsyncApp(
        client=client,
        signing_secret=signing_secret,
        process_before_response=True,
        request_verification_enabled=signing_secret is not None,
    )
    app.command(re.compile(r"^/"))(listeners.command)
    app.action(re.compile(r".*"))(listeners.button)
    app.view(re.compile(r".*"))(listeners.form)
    app.shortcut(re.compile(r".*"))(listeners.shortcut)
    app.event("app_mention")(listeners.event)
    app.event("message")(listeners.event)
    app.event("app_home_opened")(listeners.event)
    app.event(re.compile(r".*"))(_ignore)
    return app
