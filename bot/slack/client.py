"""The one writer to Slack: Views go out, and what Core needs to know of the workspace comes in. Implements `bot.ports.Slack`."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.nouns import Heard
from bot.ports import Identity, Person, Posted
from bot.slack.failures import BlocksRefusedError, MessageGoneError
from bot.slack.find import Finder, root
from bot.slack.render import Rendered, render, render_home
from bot.slack.wire import Wire, needed
from bot.view import Attachment, Mention, View

EVENT_TYPE = "gemma_work"
KEY_LIMIT = 200
PICTURE_WAIT_S = 2.0
ALT_LIMIT = 1000
"""Characters of a file's alt text (files.getUploadURLExternal)."""


class SlackClient:
    """See `bot.ports.Slack` for what each method promises and raises."""

    def __init__(self, wire: Wire) -> None:
        """`wire` sends; nothing is asked of Slack before the first call."""
        self._wire = wire
        self._identity: Identity | None = None

    async def post(
        self,
        channel: str,
        thread: str | None,
        view: View,
        key: str,
        *,
        mention: Mention | None = None,
        details: str | None = None,
        chart: str | None = None,
        urgent: bool = True,
    ) -> Posted:
        """Post a message that `find` recognises by `key`."""
        if not 0 < len(key) <= KEY_LIMIT:
            raise WeMoveNext("a message's key has 1 to 200 characters")
        shown = view if mention is None else view.model_copy(update={"mention": mention})
        payload = _message(render(shown, details=details, chart=chart)) | {
            "channel": channel,
            "metadata": {"event_type": EVENT_TYPE, "event_payload": {"key": key}},
            "unfurl_links": False,
            "unfurl_media": False,
        }
        if thread is not None:
            payload["thread_ts"] = thread
        answer = await self._send("chat.postMessage", payload, chart=chart, urgent=urgent)
        return Posted(str(answer.get("channel", channel)), needed(answer, "ts"), _thread(answer))

    async def update(
        self, channel: str, ts: str, view: View, *, details: str | None = None, chart: str | None = None, urgent: bool = False
    ) -> None:
        """Replace the content of our message; its metadata stays. Raises MessageGoneError when it was deleted."""
        payload = _message(render(view, details=details, chart=chart)) | {"channel": channel, "ts": ts, "parse": "none"}
        await self._send("chat.update", payload, chart=chart, urgent=urgent)

    async def _send(self, method: str, payload: Mapping[str, Any], *, chart: str | None, urgent: bool) -> Mapping[str, Any]:
        try:
            return await self._wire.write(method, payload, channel=str(payload["channel"]), urgent=urgent)
        except BlocksRefusedError as error:
            raise (error if chart is None else _not_taken_in()) from None

    async def ephemeral(
        self, channel: str, user: str, view: View, thread: str | None = None, *, details: str | None = None
    ) -> None:
        """Show a message to `user` alone."""
        payload = _message(render(view, details=details)) | {"channel": channel, "user": user}
        if thread is not None:
            payload["thread_ts"] = thread
        await self._wire.write("chat.postEphemeral", payload, channel=channel)

    async def respond(
        self, response_url: str, view: View, *, replace: bool = True, details: str | None = None, chart: str | None = None
    ) -> None:
        """Answer the asker alone. Raises PlaceGoneError after 5 answers or 30 minutes."""
        payload = _message(render(view, details=details, chart=chart)) | {
            "response_type": "ephemeral",
            "replace_original": replace,
            "unfurl_links": False,
            "unfurl_media": False,
        }
        try:
            await self._wire.answer(response_url, payload)
        except BlocksRefusedError as error:
            raise (error if chart is None else _not_taken_in()) from None

    async def find(self, channel: str, thread: str | None, key: str, since: datetime) -> str | None:
        """The ts of our message with this key, posted after `since`; None when it surely is not there."""
        me = await self.whoami()
        return await Finder(self._wire, me.bot_id, EVENT_TYPE).find(channel, thread, key, since)

    async def root(self, channel: str, thread: str) -> Heard | None:
        """The first message of a thread, if another program wrote it."""
        try:
            return await root(self._wire, (await self.whoami()).bot_id, channel, thread)
        except MessageGoneError:
            return None

    async def open_dm(self, user: str) -> str:
        """The id of the direct-message channel with this user."""
        answer = await self._wire.form("conversations.open", {"users": user})
        return needed(answer, "channel", "id")

    async def permalink(self, channel: str, ts: str) -> str:
        """The address of a message."""
        answer = await self._wire.form("chat.getPermalink", {"channel": channel, "message_ts": ts})
        return needed(answer, "permalink")

    async def open_view(self, trigger_id: str, view: Mapping[str, Any]) -> str:
        """Open a modal within 3 s of the press; its view id."""
        answer = await self._wire.write("views.open", {"trigger_id": trigger_id, "view": dict(view)})
        return needed(answer, "view", "id")

    async def update_view(self, view_id: str, view: Mapping[str, Any], *, view_hash: str | None = None) -> None:
        """Replace an open modal; with its hash, only when nobody else has replaced it before."""
        payload: dict[str, Any] = {"view_id": view_id, "view": dict(view)}
        if view_hash is not None:
            payload["hash"] = view_hash
        await self._wire.write("views.update", payload)

    async def publish_home(self, user: str, views: Sequence[View]) -> None:
        """Show these views, one below the other, on the user's Home tab."""
        await self._wire.write("views.publish", {"user_id": user, "view": {"type": "home", "blocks": render_home(views)}})

    async def upload_chart(self, png: bytes, title: str, alt: str) -> str:
        """Upload a picture that no channel sees yet; its file id.

        Slack may need a moment before a message can show it: `post` then raises RetryLater(arrived=False).
        """
        place = await self._wire.form(
            "files.getUploadURLExternal", {"filename": "chart.png", "length": len(png), "alt_txt": alt[:ALT_LIMIT]}
        )
        await self._wire.upload(needed(place, "upload_url"), png)
        file_id = needed(place, "file_id")
        await self._wire.form("files.completeUploadExternal", {"files": json.dumps([{"id": file_id, "title": title[:100]}])})
        return file_id

    async def attach(self, channel: str, thread: str | None, attachment: Attachment) -> str:
        """Show a text file in a channel, a thread or a direct message."""
        content = attachment.content.encode()
        place = await self._wire.form("files.getUploadURLExternal", {"filename": attachment.name, "length": len(content)})
        await self._wire.upload(needed(place, "upload_url"), content)
        file_id = needed(place, "file_id")
        files = json.dumps([{"id": file_id, "title": attachment.title}])
        await self._wire.form(
            "files.completeUploadExternal", {"files": files, "channel_id": channel} | ({"thread_ts": thread} if thread else {})
        )
        return file_id

    async def members_of_group(self, group: str) -> frozenset[str]:
        """User ids in a user group."""
        answer = await self._wire.form("usergroups.users.list", {"usergroup": group})
        return frozenset(str(user) for user in answer.get("users", ()))

    async def user_info(self, user: str) -> Person:
        """What the workspace knows about a user."""
        answer = await self._wire.form("users.info", {"user": user})
        needed(answer, "user", "id")
        return _person(answer["user"])

    async def scopes(self) -> frozenset[str] | None:
        """What our token may do, as Slack says; None when it does not."""
        return await self._wire.granted()

    async def in_channel(self, channel: str) -> bool | None:
        """Whether we can read there, which is what being a member gives us."""
        try:
            await self._wire.form("conversations.history", {"channel": channel, "limit": 1})
        except PersonMovesNext:
            return False
        return True

    async def whoami(self) -> Identity:
        """Who we are; asked once."""
        if self._identity is None:
            answer = await self._wire.form("auth.test", {})
            self._identity = Identity(needed(answer, "team_id"), needed(answer, "user_id"), needed(answer, "bot_id"))
        return self._identity


def _not_taken_in() -> RetryLater:
    """Slack takes a moment to look at an uploaded picture and refuses the message until then."""
    return RetryLater("Slack is still taking in the picture.", after_s=PICTURE_WAIT_S, arrived=False)


def _message(rendered: Rendered) -> dict[str, Any]:
    return {"text": rendered.text, "blocks": rendered.blocks}


def _thread(answer: Mapping[str, Any]) -> str | None:
    """Where the message really stands: when the parent is gone, Slack posts to the channel and only the answer shows it."""
    message = answer.get("message")
    thread = message.get("thread_ts") if isinstance(message, Mapping) else None
    return None if thread is None else str(thread)


def _person(user: Mapping[str, Any]) -> Person:
    profile = user.get("profile") or {}
    return Person(
        user_id=str(user["id"]),
        team_id=str(user.get("team_id", "")),
        name=str(profile.get("display_name") or profile.get("real_name") or user.get("name") or user["id"]),
        guest=bool(user.get("is_restricted") or user.get("is_ultra_restricted") or user.get("is_stranger")),
        bot=bool(user.get("is_bot")),
        deleted=bool(user.get("deleted")),
        zone=user.get("tz"),
    )
