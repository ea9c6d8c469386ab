"""HTTP mode: payloads as signed requests to the app's request URL."""

import json
from urllib.parse import urlencode

import aiohttp
from slack_sdk.signature import SignatureVerifier

from sandbox.slack.backend import Backend
from sandbox.slack.deliveries import ACK_SECONDS, Ack, Kind
from sandbox.slack.faults import Faults
from sandbox.slack.refusal import Json


class HttpMode:
    """A Carrier that posts to one request URL, as an app without Socket Mode is reached. The 3 s are real time."""

    def __init__(self, backend: Backend, faults: Faults, request_url: str) -> None:
        self._backend = backend
        self._faults = faults
        self.request_url = request_url
        self._session: aiohttp.ClientSession | None = None

    async def carry(self, kind: Kind, payload: Json, attempt: int, reason: str) -> Ack:
        """One request. 2xx within 3 s acknowledges; what it says is the payload."""
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=False, timeout=aiohttp.ClientTimeout(total=ACK_SECONDS))
        content_type, body = encode(kind, payload)
        headers = {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            **self.signed(body),
        }
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
        fault = self._faults.ack_fault(kind)
        try:
            async with self._session.post(self.request_url, data=body.encode(), headers=headers) as response:
                text = await response.text()
        except TimeoutError:
            return Ack("http_timeout")
        except aiohttp.ClientError:
            return Ack("connection_failed")
        if fault and (fault.lose_ack or fault.delay_ack >= ACK_SECONDS):
            return Ack("http_timeout")
        if not 200 <= response.status < 300:
            return Ack("http_error", no_retry=response.headers.get("X-Slack-No-Retry") == "1")
        return Ack(payload=decode(text))

    def signed(self, body: str) -> dict[str, str]:
        """The headers that prove a request comes from Slack."""
        at = str(int(self._backend.clock.now()))
        signature = SignatureVerifier(self._backend.app.signing_secret).generate_signature(timestamp=at, body=body)
        return {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature or ""}

    async def close(self) -> None:
        """Ends the client session."""
        if self._session is not None:
            await self._session.close()


def encode(kind: Kind, payload: Json) -> tuple[str, str]:
    """Content type and body: events as JSON, commands as a form, interactions as JSON in a form."""
    if kind == "events_api":
        return "application/json", json.dumps(payload)
    form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return "application/x-www-form-urlencoded", urlencode(form)


def decode(text: str) -> object:
    """What the body of an acknowledgement says: JSON, plain text, or None when empty."""
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except ValueError:
        return {"text": text}
