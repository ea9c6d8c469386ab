"""trigger_id and response_url: the two short-lived rights that come with what a person did."""

import secrets
from dataclasses import dataclass

from sandbox.slack.backend import Backend
from sandbox.slack.message import Message
from sandbox.slack.refusal import Refused

TRIGGER_SECONDS = 3.0
RESPONSE_URL_SECONDS = 30 * 60.0
RESPONSE_URL_USES = 5


@dataclass(slots=True)
class Trigger:
    """A right to open one view, for 3 s. `user` sees it; `view` is the open view it came from, if any."""

    user: str
    until: float
    view: str | None = None
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """A right to answer in a channel: 5 times within 30 min. `source` is the message that a button sits in.

    Without a source (slash commands) users saw `replace_original` post a new message instead of replacing what was posted through
    the same address before (bolt-python issue 1268, bolt-js issue 2287), while Slack's page on modifying messages reads as if it
    replaced. `own_posts_replaceable` chooses between the two.
    """

    key: str
    channel: str
    user: str
    until: float
    source: Message | None = None
    posted: Message | None = None
    uses: int = 0
    own_posts_replaceable: bool = True


class Interactions:
    """Issues both, and checks them when they are used."""

    def __init__(self, backend: Backend, own_posts_replaceable: bool = True) -> None:
        self._backend = backend
        self.own_posts_replaceable = own_posts_replaceable
        self._triggers: dict[str, Trigger] = {}
        self.urls: dict[str, ResponseUrl] = {}

    def trigger(self, user: str, view: str | None = None) -> str:
        """A new trigger_id."""
        made = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        self._triggers[made] = Trigger(user, self._backend.clock.now() + TRIGGER_SECONDS, view)
        return made

    def exchange(self, trigger_id: object) -> Trigger:
        """Spends a trigger_id. Refused: invalid_trigger_id, expired_trigger_id, exchanged_trigger_id."""
        trigger = self._triggers.get(str(trigger_id))
        if trigger is None:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        if self._backend.clock.now() > trigger.until:
            raise Refused("expired_trigger_id")
        trigger.used = True
        return trigger

    def response_url(self, kind: str, channel: str, user: str, source: Message | None = None) -> str:
        """A new response_url; kind is "commands" or "actions"."""
        key = secrets.token_hex(12)
        until = self._backend.clock.now() + RESPONSE_URL_SECONDS
        self.urls[key] = ResponseUrl(key, channel, user, until, source, own_posts_replaceable=self.own_posts_replaceable)
        return f"{self._backend.base_url}/{kind}/{self._backend.workspace.team_id}/{key}"

    def use(self, key: str) -> ResponseUrl:
        """Counts one use. Refused: expired_url after 30 min or for an unknown one, used_url after 5 uses."""
        url = self.urls.get(key)
        if url is None or self._backend.clock.now() > url.until:
            raise Refused("expired_url")
        if url.uses >= RESPONSE_URL_USES:
            raise Refused("used_url")
        url.uses += 1
        return url
