"""The hands of the people in the workspace: they type, click, fill in forms, react and open things."""

from dataclasses import dataclass, field
from typing import Any

from sandbox.slack import components, payloads
from sandbox.slack.backend import Backend, ModalView
from sandbox.slack.deliveries import Ack, Deliveries
from sandbox.slack.interaction import Interactions
from sandbox.slack.message import Message
from sandbox.slack.methods.views import close_stack
from sandbox.slack.modal_answers import apply_answer
from sandbox.slack.refusal import Json, Refused
from sandbox.slack.responses import checked, post
from sandbox.slack.typed import escaped, slash_text
from sandbox.slack.workspace import Channel, Person

SLACKBOT = "USLACKBOT"


class CannotDo(Exception):
    """What a person tried is not possible in Slack either (not in the channel, no such button, slash command in a thread)."""


@dataclass(slots=True)
class Submitted:
    """What came of sending a form: field errors by block_id (empty when taken), and whether the form is still open."""

    errors: dict[str, str] = field(default_factory=dict)
    open: bool = False


class People:
    """Acts as people of the workspace. Users and channels may be given by id or name; "@gemma" is the direct message."""

    def __init__(self, backend: Backend, interactions: Interactions, deliveries: Deliveries) -> None:
        self._backend = backend
        self._interactions = interactions
        self._deliveries = deliveries
        self.confirmed: list[Json] = []
        """Confirmation dialogs that were accepted, in order."""

    def place(self, user: str, channel: str) -> tuple[Person, Channel]:
        """The person and the channel they mean. CannotDo when they are not in it."""
        try:
            person = self._backend.workspace.person(user)
            if channel.removeprefix("@") in {self._backend.app.bot_name, self._backend.app.bot_user}:
                return person, self._backend.workspace.direct(person.id)
            found = self._backend.workspace.channel(channel)
        except KeyError as error:
            raise CannotDo(f"no such person or channel: {error.args[0]}") from None
        if person.id not in found.members:
            raise CannotDo(f"{person.name} is not in #{found.name}")
        return person, found

    async def type(self, user: str, channel: str, text: str, thread: str | None = None) -> Message:
        """Types a line and sends it. One that starts with "/" is a slash command, which Slack refuses inside threads.

        Returns what was typed; answers are found in the transcript. A slash command returns when it was acknowledged or failed.
        """
        person, place = self.place(user, channel)
        if not text.startswith("/"):
            return self._say(person, place, text, thread)
        if thread:
            raise CannotDo(f"{text.split(maxsplit=1)[0]} is not supported in threads. Sorry!")
        typed = Message(self._backend.new_ts(), place.id, person.id, text, only_for=person.id, kind="command")
        self._backend.add(typed)
        await self._command(person, place, text)
        return typed

    def _say(self, person: Person, place: Channel, text: str, thread: str | None) -> Message:
        words = escaped(text, self._backend.workspace)
        block = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}]}
        message = Message(self._backend.new_ts(), place.id, person.id, words, [block], thread_ts=thread, team=person.team_id)
        if person.bot:
            message.bot_id = f"B{person.id[1:]}"
        return self._backend.add(message)

    async def _command(self, person: Person, place: Channel, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word not in self._backend.app.commands or "commands" not in self._backend.app.scopes:
            self._notice(
                person, place, f'{word} is not a valid command. In Slack, all messages that start with "/" are commands.'
            )
            return
        payload = payloads.command(self._backend, person, place, word, slash_text(rest.strip(), self._backend.workspace))
        payload["response_url"] = self._interactions.response_url("commands", place.id, person.id)
        payload["trigger_id"] = self._interactions.trigger(person.id)
        ack = await self._deliveries.once("slash_commands", payload)
        if ack.error:
            code = "dispatch_failed" if ack.error == "http_error" else "operation_timeout"
            self._notice(person, place, f'{word} failed with the error "{code}"')
        elif ack.payload:
            self._show_answer(person, place, ack.payload)

    def _show_answer(self, person: Person, place: Channel, payload: Any) -> None:
        try:
            if not isinstance(payload, dict):
                raise Refused("invalid_payload")
            post(self._backend, place.id, person.id, checked(self._backend, payload))
        except Refused as refused:
            self._notice(person, place, f'the command failed with the error "dispatch_failed" ({refused.error})')

    def _notice(self, person: Person, place: Channel, text: str, thread: str | None = None) -> None:
        ts = self._backend.new_ts()
        self._backend.add(Message(ts, place.id, SLACKBOT, text, only_for=person.id, kind="notice", thread_ts=thread))

    def edit(self, user: str, message: Message, text: str) -> None:
        """Changes one's own message; the app gets message_changed."""
        person = self._backend.workspace.person(user)
        if message.user != person.id:
            raise CannotDo("people edit their own messages only")
        before = message.shape(self._backend.app)
        message.text, message.edited = escaped(text, self._backend.workspace), self._backend.new_ts()
        message.blocks = []
        self._backend.changed(message, before)

    def delete(self, user: str, message: Message) -> None:
        """Deletes one's own message."""
        if message.user != self._backend.workspace.person(user).id:
            raise CannotDo("people delete their own messages only")
        message.deleted = True
        self._backend.changed(message, message.shape(self._backend.app), "message_deleted")

    def react(self, user: str, message: Message, name: str) -> None:
        """Adds a reaction; the app gets reaction_added when it subscribed to that."""
        person = self._backend.workspace.person(user)
        users = message.reactions.setdefault(name.strip(":"), [])
        if person.id in users:
            raise CannotDo("already reacted")
        users.append(person.id)
        self._backend.touched()
        channel = self._backend.workspace.channels[message.channel]
        if self._backend.app.bot_user in channel.members:
            self._backend.on_event("reaction_added", payloads.reaction(self._backend, person.id, message, name.strip(":")))

    def message(self, user: str, ref: "Message | str") -> Message:
        """The message with that ts that the person can see. CannotDo when there is none."""
        if isinstance(ref, Message):
            return ref
        person = self._backend.workspace.person(user)
        for channel in self._backend.messages:
            found = self._backend.find(channel, ref)
            if found and found.only_for in (None, person.id) and person.id in self._backend.workspace.channels[channel].members:
                return found
        raise CannotDo(f"{person.name} sees no message {ref}")

    async def click(self, user: str, message: "Message | str", button: str, value: Any = None) -> Ack:
        """Presses a button by its visible label or action_id, or picks `value` (an option's text) in a select."""
        person = self._backend.workspace.person(user)
        where = self.message(user, message)
        everything = [*where.blocks, *(block for a in where.attachments for block in a.get("blocks") or [])]
        block, element = self._element(everything, button)
        payload = payloads.in_message(self._backend, person, where)
        payload["actions"] = [self._action(block, element, value)]
        payload["response_url"] = self._interactions.response_url("actions", where.channel, person.id, where)
        payload["trigger_id"] = self._interactions.trigger(person.id)
        ack = await self._deliveries.once("interactive", payload)
        if ack.error:
            place = self._backend.workspace.channels[where.channel]
            self._notice(person, place, "This app responded with an error or took too long (operation_timeout).", where.thread_ts)
        return ack

    async def click_in_view(self, view: "ModalView | str", button: str, value: Any = None) -> Ack:
        """The same inside a modal or on the home tab."""
        shown = self.view(view)
        block, element = self._element(shown.view["blocks"], button)
        payload = payloads.in_view(self._backend, shown, "block_actions")
        payload["actions"] = [self._action(block, element, value)]
        payload["trigger_id"] = self._interactions.trigger(shown.user, shown.id)
        return await self._deliveries.once("interactive", payload)

    def _element(self, blocks: list[Json], wanted: str) -> tuple[Json, Json]:
        found = components.find(blocks, wanted)
        if found is None:
            raise CannotDo(
                f"nothing to press is called {wanted!r}; there is: {', '.join(components.labels(blocks)) or 'nothing'}"
            )
        if confirm := found[1].get("confirm"):
            self.confirmed.append(confirm)
        return found

    def _action(self, block: Json, element: Json, value: Any) -> Json:
        try:
            return components.action(block, element, value, self._backend.new_ts())
        except LookupError as error:
            raise CannotDo(str(error)) from None

    def view(self, view: "ModalView | str") -> ModalView:
        """An open modal or home tab by id. CannotDo when it is closed."""
        if isinstance(view, ModalView):
            view = view.id
        homes = {home.id: home for home in self._backend.homes.values()}
        if view not in self._backend.views and view not in homes:
            raise CannotDo("that view is closed")
        return self._backend.views.get(view) or homes[view]

    def top_view(self, user: str) -> ModalView | None:
        """The modal that the person has in front, if any."""
        person = self._backend.workspace.person(user)
        stacks = [ids for ids in self._backend.stacks.values() if ids and self._backend.views[ids[-1]].user == person.id]
        return self._backend.views[stacks[-1][-1]] if stacks else None

    async def submit(self, view: "ModalView | str", values: dict[str, Any]) -> Submitted:
        """Fills in a form and sends it. Values go by label, block_id or action_id; selects take an option's text."""
        shown = self.view(view)
        try:
            state, missing = components.fill_in(shown.view["blocks"], values)
        except LookupError as error:
            raise CannotDo(str(error)) from None
        if missing:
            return Submitted(dict.fromkeys(missing, "Please complete this required field."), open=True)
        payload = payloads.in_view(self._backend, shown, "view_submission", state)
        payload["trigger_id"] = self._interactions.trigger(shown.user, shown.id)
        ack = await self._deliveries.once("interactive", payload)
        if ack.error:
            return Submitted({"": "We had some trouble connecting. Try again?"}, open=True)
        try:
            errors = apply_answer(self._backend, shown, ack.payload)
        except Refused as refused:
            return Submitted({"": f"We had some trouble connecting. Try again? ({refused.error})"}, open=True)
        return Submitted(errors, open=shown.id in self._backend.views)

    async def close(self, view: "ModalView | str") -> None:
        """Closes a modal; the app hears of it only with notify_on_close."""
        shown = self.view(view)
        close_stack(self._backend, shown.root)
        if shown.view.get("notify_on_close"):
            payload = {**payloads.in_view(self._backend, shown, "view_closed"), "is_cleared": False}
            await self._deliveries.once("interactive", payload)

    def open_home(self, user: str, tab: str = "home") -> None:
        """Opens the app: its home tab, or "messages" for the direct message."""
        person = self._backend.workspace.person(user)
        self._backend.on_event("app_home_opened", payloads.home_opened(self._backend, person, tab))

    async def shortcut(self, user: str, message: "Message | str", callback_id: str) -> Ack:
        """Picks a message shortcut by callback_id or name."""
        person = self._backend.workspace.person(user)
        for known, name in self._backend.app.shortcuts.items():
            if callback_id in (known, name):
                payload = payloads.shortcut(self._backend, person, self.message(user, message), known)
                channel = payload["channel"]["id"]
                payload["response_url"] = self._interactions.response_url("actions", channel, person.id)
                payload["trigger_id"] = self._interactions.trigger(person.id)
                return await self._deliveries.once("interactive", payload)
        raise CannotDo(f"no shortcut {callback_id!r}")
