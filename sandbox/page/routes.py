"""What the browser asks for: the shell, the messages, the modal. Everything it does goes through /sandbox/."""

import secrets

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sandbox.page.block_html import BlockHtml
from sandbox.page.mrkdwn import mrkdwn
from sandbox.slack.parts import SlackParts
from sandbox.slack.refusal import Json
from sandbox.slack.transcript import Entry

HOME = "home"
POLICY = (
    "default-src 'none'; img-src 'self'; connect-src 'self'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page(slack: SlackParts) -> list[web.RouteDef]:
    """The routes of a page for this workspace, to be served beside Slack's own."""
    return Page(slack).routes()


class Page:
    """The page of one stand-in."""

    def __init__(self, slack: SlackParts) -> None:
        self._slack = slack
        self._templates = Environment(loader=PackageLoader("sandbox.page"), autoescape=True, undefined=StrictUndefined)

    def routes(self) -> list[web.RouteDef]:
        """The routes to add to the server."""
        return [web.get("/", self.shell), web.get("/page/messages", self.messages), web.get("/page/modal", self.modal)]

    async def shell(self, request: web.Request) -> web.Response:
        """The page itself, without messages: the script fetches them."""
        nonce = secrets.token_urlsafe(16)
        space = self._slack.workspace
        html = self._templates.get_template("page.html.jinja").render(
            nonce=nonce,
            team=space.name,
            people=[person for person in space.people.values() if not person.bot],
            channels=[channel for channel in space.channels.values() if channel.kind != "im"],
            bot=space.app.bot_name,
            app=space.app.name,
            user=request.query.get("user", "anna"),
            channel=request.query.get("channel", "ops"),
        )
        return _html(html, {"Content-Security-Policy": POLICY.format(nonce=nonce)})

    async def messages(self, request: web.Request) -> web.Response:
        """?user=&channel=: the messages as that person sees them; channel "home" is the app's home tab."""
        user, channel = request.query.get("user", ""), request.query.get("channel", "")
        try:
            if channel == HOME:
                return _html(self._home(user))
            entries = self._slack.transcript(user, channel)
        except KeyError as error:
            raise web.HTTPNotFound(text=f"no such person or channel: {error.args[0]}") from None
        template = self._templates.get_template("messages.html.jinja")
        shown = [self._shown(entry, user) for entry in entries]
        return _html(template.render(entries=shown, shortcuts=self._slack.workspace.app.shortcuts))

    async def modal(self, request: web.Request) -> web.Response:
        """?user=: the form that the person has in front; 204 when there is none."""
        user = request.query.get("user", "")
        try:
            top = self._slack.people.top_view(user)
        except KeyError:
            raise web.HTTPNotFound(text="no such person") from None
        if top is None:
            return web.Response(status=204)
        body = self._writer(user).blocks(top.view["blocks"])
        return _html(self._templates.get_template("modal.html.jinja").render(id=top.id, hash=top.hash, view=top.view, body=body))

    def _home(self, user: str) -> str:
        home = self._slack.backend.homes.get(self._slack.workspace.person(user).id)
        body = (
            self._writer(user).blocks(home.view["blocks"])
            if home
            else Markup('<p class="empty">The app has not put anything here.</p>')
        )
        return self._templates.get_template("home.html.jinja").render(id=home.id if home else "", body=body)

    def _shown(self, entry: Entry, user: str) -> Json:
        reader = self._slack.transcripts.reader(user)
        if entry.kind == "command":
            body = Markup('<p class="typed">{}</p>').format(entry.text)
        elif entry.blocks and entry.user == self._slack.workspace.app.bot_user:
            body = self._writer(user).blocks(entry.blocks)
        else:
            body = mrkdwn(entry.raw, reader)
        status = self._slack.status(entry.channel, entry.ts)
        return {"entry": entry, "body": body, "status": status, "replies": [self._shown(reply, user) for reply in entry.replies]}

    def _writer(self, user: str) -> BlockHtml:
        return BlockHtml(self._slack.transcripts.reader(user), self._slack.workspace)


def _html(text: str, headers: dict[str, str] | None = None) -> web.Response:
    safe = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
    return web.Response(text=text, content_type="text/html", headers={**safe, **(headers or {})})
