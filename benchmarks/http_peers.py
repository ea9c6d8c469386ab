"""The peers of the HTTP benchmark, to be served by gunicorn and uvicorn: plain Bolt as documented, and a bare floor.

`plain`: Bolt's synchronous App behind its Flask adapter; the listener enqueues an RQ job, then acknowledges.
`bare`: Starlette that checks the signature, writes the same record by the same call to Redis, and does nothing else.
"""

import os
from datetime import UTC, datetime
from urllib.parse import parse_qs

from flask import Flask, request
from flask import Response as Answered
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from rq import Queue
from slack_bolt import Ack, App
from slack_bolt.adapter.flask import SlackRequestHandler
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request as Received
from starlette.responses import Response
from starlette.routing import Route

from bot.nouns import Actor
from bot.requests import Door, Place, Request, request_id
from bot.store.work import WorkStore


def plain() -> Flask:
    """The Flask application."""
    client = WebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"])
    bolt = App(client=client, signing_secret=os.environ["SLACK_SIGNING_SECRET"])
    queue = Queue("plain", connection=Redis.from_url(os.environ["REDIS_URL"]))

    @bolt.command("/gemma")
    def gemma(ack: Ack, command: dict[str, str]) -> None:
        queue.enqueue("plain_bolt.report", command["response_url"])
        ack()

    flask, handler = Flask(__name__), SlackRequestHandler(bolt)

    @flask.post("/slack/events")
    def events() -> Answered:
        return handler.handle(request)

    return flask


def bare() -> Starlette:
    """The Starlette application."""
    verifier = SignatureVerifier(os.environ["SLACK_SIGNING_SECRET"])
    store = WorkStore(AsyncRedis.from_url(os.environ["REDIS_URL"]), lease_s=10, kick_s=2)

    async def events(received: Received) -> Response:
        body = await received.body()
        if not verifier.is_valid_request(body, dict(received.headers)):
            return Response(status_code=401)
        said = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        request = Request(
            id=request_id("command", said["trigger_id"]),
            door=Door.COMMAND,
            actor=Actor(team_id=said["team_id"], user_id=said["user_id"]),
            place=Place(channel=said["channel_id"], response_url=said["response_url"]),
            words=said["text"],
            at=datetime.now(UTC),
        )
        await store.accept(request, work_id=f"r-{request.id}", kind="request", queue="reads")
        return Response()

    return Starlette(routes=[Route("/slack/events", events, methods=["POST"])])
