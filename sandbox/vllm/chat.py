"""/v1/chat/completions and /tokenize of the stand-in."""

import asyncio
import json
import re
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from aiohttp import web

from sandbox.clock import Clock
from sandbox.vllm.answers import FINGERPRINT, Answer, Break, Frame, Json, answer_tokens, compact, event, reasoning_tokens
from sandbox.vllm.engine_model import EngineModel, LiveRequest
from sandbox.vllm.faults import lost
from sandbox.vllm.on_call import on_call
from sandbox.vllm.recorded import replayed
from sandbox.vllm.refusals import Refused, Served, as_json, check_chat, check_model, max_tokens, read_body
from sandbox.vllm.sense import sensible

WORD = re.compile(r"\w{1,6}|[^\w\s]")
TURN_TOKENS = 4
"""What the chat template puts around a message (`<|turn>`, role, line feed, `<turn|>`)."""
DEFAULT_ANSWER = Answer("This is a stand-in for Gemma: it answers in this one sentence unless a test told it what to say.")


def tokens_of(text: str) -> list[int]:
    """Token ids, stable but not Gemma's own: a token for six letters or one sign. Sizes agree everywhere in the stand-in."""
    return [zlib.crc32(word.encode()) % 262_144 for word in WORD.findall(text)]


def prompt_ids(body: Mapping[str, Any]) -> list[int]:
    """The tokens of a call's messages and tools, with the template's around them."""
    ids: list[int] = [2]
    for message in body.get("messages") or ():
        content = message.get("content") if isinstance(message, dict) else message
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        ids += [105, *tokens_of(text), *([106] * (TURN_TOKENS - 1))]
    return ids + tokens_of(json.dumps(body["tools"])) if body.get("tools") else ids


class Chat:
    """Answers calls with what was scripted, in order, else by its own little sense, and lets the engine model count them."""

    def __init__(self, clock: Clock, served: Served, engine: EngineModel, thinks_s: float = 0.0) -> None:
        """Nothing is scripted yet. `thinks_s`: seconds before the first token of what it says by itself."""
        self._thinks_s = thinks_s
        self._clock = clock
        self._served = served
        self._engine = engine
        self.scripted: deque[Answer] = deque()
        self.asked: deque[Json] = deque(maxlen=200)
        """The bodies of the latest accepted calls, for tests to look at."""

    async def tokenize(self, request: web.Request) -> web.StreamResponse:
        """POST /tokenize with `prompt` or `messages`."""
        body = read_body(await request.read(), request.content_type)
        if "prompt" not in body and "messages" not in body:
            raise Refused(400, replayed("err_tokenize_no_prompt.json", ("<dict of 1 items>", f"<dict of {len(body)} items>")))
        check_model(body, self._served)
        ids = tokens_of(str(body["prompt"])) if "prompt" in body else prompt_ids(body)
        return as_json(200, compact({"count": len(ids), "max_model_len": self._served.window, "tokens": ids, "token_strs": None}))

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/chat/completions, streamed or not."""
        body = read_body(await request.read(), request.content_type)
        prompt = len(prompt_ids(body)) if isinstance(body.get("messages"), list) else 0
        check_chat(body, self._served, prompt)
        self.asked.append(body)
        told = self.scripted.popleft() if self.scripted else self._own(body)
        answer = told.cut(_room(body, prompt, self._served.window))
        self._engine.advance(self._clock.now())
        running = self._engine.begin(prompt, self._clock.now())
        said, first, reason = 0, None, "abort"
        try:
            await self._clock.sleep(answer.ttft_s)
            first = self._clock.now()
            frame = Frame(self._served.model, int(first.timestamp()), prompt)
            response = await self._send(request, body, answer, frame)
            said, reason = answer_tokens(answer), "length" if answer.ended == "length" else "stop"
            return response
        finally:
            self._finish(running, said, reason, first)

    def _own(self, body: Mapping[str, Any]) -> Answer:
        """What it says by itself, after its usual time."""
        said = on_call(body) or sensible(body) or DEFAULT_ANSWER
        return replace(said, ttft_s=self._thinks_s)

    def _finish(self, running: LiveRequest, said: int, reason: str, first: datetime | None) -> None:
        """Count the call."""
        self._engine.finish(running, answer_tokens=said, reason=reason, first_token=first, now=self._clock.now())

    async def _send(self, request: web.Request, body: Json, answer: Answer, frame: Frame) -> web.StreamResponse:
        """The whole body, or the stream, piece by piece in the scripted time."""
        pieces = answer.pieces()
        if answer.body is not None:
            return as_json(200, answer.body.encode())
        if not body.get("stream"):
            await self._clock.sleep(answer.itl_s * max(0, len(pieces) - 1))
            return as_json(200, compact(frame.completion(answer)))
        headers = {"server": "uvicorn", "content-type": "text/event-stream; charset=utf-8", "vary": "Origin"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        options = body.get("stream_options") or {}
        for number, chunk in enumerate(stream_chunks(frame, answer, options)):
            if answer.breaks is not None and number > answer.breaks.after:
                return await self._broken(request, response, answer.breaks)
            if number > 1:
                await self._clock.sleep(answer.itl_s)
            await response.write(event(chunk))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    async def _broken(self, request: web.Request, response: web.StreamResponse, broken: Break) -> web.StreamResponse:
        """The bad end of a stream."""
        await response.write(broken.sent.encode())
        if broken.how == "silent":
            await asyncio.get_running_loop().create_future()  # until the caller hangs up, which cancels this
        if broken.how == "cut":
            lost(request)
        else:
            await response.write_eof()
        return response


def stream_chunks(frame: Frame, answer: Answer, options: Mapping[str, Any]) -> list[Json]:
    """The chunks of a stream before [DONE]: role, pieces, and a usage chunk without choices when it was asked for."""
    with_usage = bool(options.get("include_usage"))
    running_usage = with_usage and bool(options.get("continuous_usage_stats"))
    pieces = answer.pieces() or ({},)
    chunks = [frame.first(**_usage(frame, 0, 0, running_usage))]
    thought = 0
    for number, delta in enumerate(pieces, 1):
        last = number == len(pieces)
        thought += "reasoning" in delta
        more: Json = _usage(frame, number, thought, running_usage)
        if last and not with_usage:
            more["system_fingerprint"] = FINGERPRINT
        chunks.append(frame.piece(delta, answer.ended if last else None, answer.stop_reason, **more))
    if with_usage:
        usage = frame.usage(answer_tokens(answer), reasoning_tokens(answer), whole=False)
        chunks.append(frame.chunk([], usage=usage, system_fingerprint=FINGERPRINT))
    return chunks


def _room(body: Json, prompt: int, window: int) -> int:
    """How many tokens the answer may have: as asked, and never more than the prompt leaves of the window [probed]."""
    asked = max_tokens(body)
    return window - prompt if asked is None else min(asked, window - prompt)


def _usage(frame: Frame, said: int, thought: int, wanted: bool) -> Json:
    """The running count of a chunk, when it was asked for."""
    return {"usage": frame.usage(said, thought, whole=False)} if wanted else {}
