"""A strict stand-in for Slack on loopback. The real slack-sdk and Bolt talk to it unchanged; what Slack refuses, it refuses.

    # Also: clock=ManualClock(), rate_limits=False, request_url="http://..." (HTTP mode), refresh_every=seconds,
    # own_posts_replaceable=False (replace_original of a slash command posts anew, as users of real Slack report)
    slack = SlackStandIn(default_workspace(), clock=WallClock())
    # default_workspace(installed(json.loads(manifest))) gives the app exactly the scopes, events and commands of its manifest
    base = await slack.start()  # "http://127.0.0.1:PORT"
    AsyncWebClient(token=slack.workspace.app.bot_token, base_url=slack.api_url)  # app_token for Socket Mode
    ...
    await slack.stop()

People (users and channels by id or name; "@gemma" is the direct message with the bot):

    typed = await slack.people.type("anna", "#ops", "/gemma status")  # or slack.type(...); thread=ts for a reply
    await slack.people.click("anna", ts_or_message, "Status")  # by visible label or action_id; value= for selects
    view = slack.people.top_view("anna")
    await slack.people.submit(view, {"Label": "text"})  # -> Submitted(errors, open)
    slack.people.open_home("anna"); slack.people.react("anna", message, "eyes")
    await slack.people.shortcut("anna", ts, "ask_gemma_message")

Looking: slack.transcript("anna", "#ops") -> list[Entry] (text, buttons, ephemeral, edited, replies, ...); render_text(entries);
slack.transcripts.home_text("anna"), .modal_text("anna"); slack.pings, slack.pings_by_app();
slack.faults.calls("chat.postMessage");
slack.deliveries.log (each attempt: kind, payload, attempt, reason, error), slack.deliveries.under_way;
slack.sockets.connections.

Breaking: slack.faults.add(Fault(at=3, before=hook)), Fault(at=3, after=hook),
Fault(method="chat.update", answer="429", retry_after=2),
Fault(answer="500"), Fault(answer="drop", handled=True), Fault(answer="hang"), Fault(delay=2.0);
DeliveryFault(kind="events_api", copies=3),
DeliveryFault(lose_ack=True), DeliveryFault(delay_ack=4.0).
`await slack.sockets.disconnect()` asks to reconnect, `slack.sockets.drop()` cuts.

The same over HTTP: POST /sandbox/type {user, channel, text, thread?}, /click {user, message, button, value?}
or {view, button},
/submit {view, values}, /close, /react, /home {user, tab?}, /shortcut,
/faults {at?, method?, times?, answer?, handled?, retry_after?, delay?}
or {"delivery": {...}} or {} to clear, /reset, /disconnect {drop?}; GET /sandbox/transcript?user=&channel=&format=text|json,
/calls?method=, /pings, /deliveries, /state (connections, under_way, changes), /view?user=. Mistakes get 400 with a sentence.
"""

from sandbox.slack.clock import Clock, ManualClock, WallClock
from sandbox.slack.deliveries import Ack, Delivery
from sandbox.slack.faults import DeliveryFault, Fault, WireCall
from sandbox.slack.manifest import installed
from sandbox.slack.person import CannotDo, Submitted
from sandbox.slack.pings import Ping
from sandbox.slack.server import SlackStandIn
from sandbox.slack.transcript import Entry, render_text
from sandbox.slack.workspace import App, Channel, Group, Person, Workspace, default_workspace

__all__ = [
    "Ack",
    "App",
    "CannotDo",
    "Channel",
    "Clock",
    "Delivery",
    "DeliveryFault",
    "Entry",
    "Fault",
    "Group",
    "ManualClock",
    "Person",
    "Ping",
    "SlackStandIn",
    "Submitted",
    "WallClock",
    "WireCall",
    "Workspace",
    "default_workspace",
    "installed",
    "render_text",
]
