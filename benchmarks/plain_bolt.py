"""The peer: a slash command with Bolt and RQ as their own documentation shows it, in one file.

`python plain_bolt.py app` is the Socket Mode app, `python plain_bolt.py worker` the RQ worker. Addresses come from the
environment.
"""

import os
import sys

from redis import Redis
from rq import Queue, Worker
from slack_bolt import Ack, App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient
from slack_sdk.webhook import WebhookClient

redis = Redis.from_url(os.environ["REDIS_URL"])


def report(response_url: str) -> None:
    """The job: ask the server for its health and say so."""
    import httpx

    healthy = httpx.get(os.environ["MODEL_BASE_URL"] + "/health").status_code == 200
    WebhookClient(response_url).send(text="The model is up." if healthy else "The model is down.")


def listen() -> None:
    """Store the job, then acknowledge."""
    app = App(client=WebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"]))
    queue = Queue("plain", connection=redis)

    @app.command("/gemma")
    def gemma(ack: Ack, command: dict[str, str]) -> None:
        queue.enqueue("plain_bolt.report", command["response_url"])
        ack()

    client = WebClient(token=os.environ["SLACK_APP_TOKEN"], base_url=os.environ["SLACK_API_URL"])
    SocketModeHandler(app, os.environ["SLACK_APP_TOKEN"], web_client=client).start()


if __name__ == "__main__":
    if sys.argv[1] == "app":
        listen()
    else:
        Worker(["plain"], connection=redis).work(logging_level="WARNING")
