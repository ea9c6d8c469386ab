"""The conversations as one person sees them, as data and as text."""

from dataclasses import asdict, dataclass, field
from typing import Any

from sandbox.slack import block_text, components
from sandbox.slack.backend import Backend
from sandbox.slack.formatting import Reader, decoded
from sandbox.slack.message import Message
from sandbox.slack.refusal import Json


@dataclass(slots=True)
class Entry:
    """One message as it is now. `text` has its markup resolved, `raw` has not; `notification` is what a phone would show of it.

    `kind` is message, command (one's own slash command) or notice (Slackbot); `buttons` are visible labels.
    """

    ts: str
    channel: str
    channel_name: str
    user: str
    name: str
    time: str
    text: str
    notification: str
    kind: str = "message"
    ephemeral: bool = False
    edited: bool = False
    streaming: bool = False
    buttons: list[str] = field(default_factory=list)
    reactions: dict[str, int] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    thread_ts: str | None = None
    blocks: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    raw: str = ""
    file_list: list[Json] = field(default_factory=list)
    replies: "list[Entry]" = field(default_factory=list)

    def as_json(self) -> Json:
        """As a JSON object."""
        return asdict(self)


class Transcripts:
    """Reads the backend for one person at a time."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def reader(self, user: str) -> Reader:
        """How that person reads."""
        return Reader(self._backend.workspace, self._backend.workspace.person(user).tz, self._backend.clock.now())

    def of(self, user: str, channel: str | None = None) -> list[Entry]:
        """Root messages with their replies, oldest first, of one channel or of all that the person is in."""
        person = self._backend.workspace.person(user)
        space = self._backend.workspace
        if channel is not None:
            direct = channel.removeprefix("@") == space.app.bot_name
            wanted = [space.direct(person.id) if direct else space.channel(channel)]
        else:
            wanted = list(space.channels.values())
        seen = [m for c in wanted if person.id in c.members for m in self._backend.messages.get(c.id, [])]
        seen = [m for m in seen if not m.deleted and m.only_for in (None, person.id)]
        reader = self.reader(user)
        return _threaded([self._entry(m, reader) for m in sorted(seen, key=lambda m: m.ts)])

    def _entry(self, message: Message, reader: Reader) -> Entry:
        backend = self._backend
        channel = backend.workspace.channels[message.channel]
        blocks = [*message.blocks, *(b for a in message.attachments for b in a.get("blocks") or [])]
        lines = list(block_text.lines(blocks, reader)) or reader.plain(message.text).split("\n")
        lines += [reader.plain(str(a.get("text") or a.get("fallback") or "")) for a in message.attachments if not a.get("blocks")]
        return Entry(
            message.ts,
            channel.id,
            backend.app.bot_name if channel.kind == "im" else channel.name,
            message.user,
            "Slackbot" if message.kind == "notice" else backend.workspace.named(message.user),
            reader.clock(message.ts),
            decoded(message.text) if message.kind == "command" else "\n".join(lines),
            reader.plain(message.text),
            message.kind,
            message.only_for is not None,
            message.edited is not None,
            message.streaming,
            [components.label(e) for _, e in components.elements(blocks) if e["type"] == "button"],
            {name: len(users) for name, users in message.reactions.items()},
            [f"{file['name']}: {file['alt_txt'] or file['title']}" for file in message.files],
            message.thread_ts,
            blocks,
            message.metadata,
            message.text,
            [_file(file) for file in message.files],
        )

    def modal_text(self, user: str) -> str:
        """The modal that the person has in front, as text; empty when there is none."""
        person = self._backend.workspace.person(user)
        stacks = [ids for ids in self._backend.stacks.values() if ids and self._backend.views[ids[-1]].user == person.id]
        return self._view_text(self._backend.views[stacks[-1][-1]].view, user) if stacks else ""

    def home_text(self, user: str) -> str:
        """The person's home tab as text; empty when nothing was published."""
        home = self._backend.homes.get(self._backend.workspace.person(user).id)
        return self._view_text(home.view, user) if home else ""

    def _view_text(self, view: Json, user: str) -> str:
        title = [f"== {view['title']['text']} =="] if view.get("title") else []
        ends = [f"[{view[key]['text']}]" for key in ("close", "submit") if view.get(key)]
        return "\n".join([*title, *block_text.lines(view["blocks"], self.reader(user)), *([" ".join(ends)] if ends else [])])


def _file(file: Json) -> Json:
    picture = file["filetype"] in {"png", "jpg", "jpeg", "gif", "webp"}
    return {"id": file["id"], "name": file["name"], "title": file["title"], "alt": file["alt_txt"], "picture": picture}


def _threaded(entries: list[Entry]) -> list[Entry]:
    roots = {entry.ts: entry for entry in entries if entry.thread_ts in (None, entry.ts)}
    out: list[Entry] = []
    for entry in entries:
        parent = roots.get(entry.thread_ts or "")
        if parent is None or parent is entry:
            out.append(entry)
        else:
            parent.replies.append(entry)
    return out


def render_text(entries: list[Entry]) -> str:
    """The transcript as text: a heading per channel, replies indented, ephemeral and edited messages marked."""
    out: list[str] = []
    shown: Any = None
    for entry in entries:
        if entry.channel_name != shown:
            shown = entry.channel_name
            out.append(f"# {shown}")
        out.extend(_lines(entry, ""))
        for reply in entry.replies:
            out.extend(_lines(reply, "    "))
    return "\n".join(out)


def _lines(entry: Entry, indent: str) -> list[str]:
    marks = [word for word, on in (("only you", entry.ephemeral), ("edited", entry.edited), ("writing", entry.streaming)) if on]
    note = f" ({', '.join(marks)})" if marks and entry.kind == "message" else ""
    body = entry.text.split("\n")
    body += [f"[file: {name}]" for name in entry.files]
    if entry.reactions:
        body.append(" ".join(f":{name}: {count}" for name, count in entry.reactions.items()))
    return [f"{indent}{entry.time} {entry.name}{note}: {body[0]}", *(f"{indent}      {line}" for line in body[1:])]
