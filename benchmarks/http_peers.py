"""The peers of the HTTP benchmark, to be served by gunicorn and uvicorn: plain Bolt as documented, and a bare floor.

`plain`: Bolt's synchronous App behind its Flask adapter; the listener enqueues an RQ job, then acknowledges.
`bare`: Starlette that checks the signature, stores the body once, and does nothing else.
"""

import os
from urllib.parse import parse_qs

from flask import Flask, request
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from rq import Queue
from slack_bolt import App
from slack_bolt.adapter.flask import SlackRequestHandler
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def plain() -> Flask:
    """The Flask application."""
    client = WebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"])
    bolt = App(client=client, signing_secret=os.environ["SLACK_SIGNING_SECRET"])
    queue = Queue("plain", connection=Redis.from_url(os.environ["REDIS_URL"]))

    @bolt.command("/gemma")
    def gemma(ack, command):  # type: ignore[no-untyped-def]
        queue.enqueue("plain_bolt.report", command["response_url"])
        ack()

    flask, handler = Flask(__name__), SlackRequestHandler(bolt)

    @flask.post("/slack/events")
    def events():  # type: ignore[no-untyped-def]
        return handler.handle(request)

    return flask


def bare() -> Starlette:
    """The Starlette application."""
    verifier = SignatureVerifier(os.environ["SLACK_SIGNING_SECRET"])
    redis = AsyncRedis.from_url(os.environ["REDIS_URL"])

    async def events(received: Request) -> Response:
        body = await received.body()
        if not verifier.is_valid_request(body, dict(received.headers)):
            return Response(status_code=401)
        trigger = parse_qs(body.decode())["trigger_id"][0]
        await redis.set(f"bare:{trigger}", body, nx=True, ex=3600)
        return Response()

    return Starlette(routes=[Route("/slack/events", events, methods=["POST"])])
