"""What a real vLLM 0.32.0 refuses, in its recorded words."""

import json
import math
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from sandbox.vllm.recorded import RECORDED_MODEL, RECORDED_WINDOW, replayed


@dataclass(frozen=True)
class Served:
    """The model's served name, its window in tokens, the key that /v1 asks for, if any, and whether it can call tools."""

    model: str
    window: int
    api_key: str | None = None
    tool_calling: bool = True


class Refused(Exception):
    """A call that vLLM does not take: status and body."""

    def __init__(self, status: int, body: bytes) -> None:
        """Keep both."""
        super().__init__(f"HTTP {status}")
        self.status = status
        self.body = body


def as_json(status: int, body: bytes) -> web.Response:
    """A response with the headers that were recorded."""
    return web.Response(
        status=status, body=body, headers={"server": "uvicorn", "content-type": "application/json", "vary": "Origin"}
    )


def read_body(raw: bytes, content_type: str) -> dict[str, Any]:
    """The JSON object of a call, or Refused as FastAPI's validation refuses it."""
    if content_type != "application/json":
        raise Refused(400, replayed("err_media_type.json"))
    if not raw:
        raise Refused(400, replayed("err_body_empty.json"))
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise _bad_json(error) from error
    if not isinstance(body, dict):
        kind = f"<{type(body).__name__} of {len(body)} items>" if isinstance(body, list) else inside(body)
        raise Refused(400, replayed("err_body_list.json", ("<list of 1 items>", kind)))
    return body


def _bad_json(error: ValueError) -> Refused:
    """The recorded refusal with this text's place and reason."""
    reason = error.msg if isinstance(error, json.JSONDecodeError) else "Expecting value"
    place = error.pos if isinstance(error, json.JSONDecodeError) else 0
    return Refused(
        400,
        replayed("err_bad_json.json", ("body.1", f"body.{place}"), ("Expecting property name enclosed in double quotes", reason)),
    )


def check_model(body: dict[str, Any], served: Served) -> None:
    """404 for a model that is not served; no model at all is taken for the served one."""
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise Refused(400, replayed("err_model_number.json", ("'5'", f"'{inside(model)}'")))
    if model is not None and model != served.model:
        raise Refused(
            404,
            replayed("err_unknown_model_404.json", ("`nope`", f"`{inside(model)}`"), (RECORDED_MODEL, inside(served.model))),
        )


def check_chat(body: dict[str, Any], served: Served, prompt_tokens: int) -> None:
    """The refusals of /v1/chat/completions, in the order in which vLLM meets them [probed]: shape, model, limits, length."""
    _check_shape(body)
    check_model(body, served)
    _check_limits(body, served)
    if body.get("tools") and body.get("tool_choice") in (None, "auto") and not served.tool_calling:
        raise Refused(400, replayed("err_auto_tool_choice.json"))
    if not body["messages"]:
        raise Refused(400, replayed("err_empty_messages.json"))
    if prompt_tokens > served.window:
        recorded_numbers = (
            (f"{RECORDED_WINDOW} tokens", f"{served.window} tokens"),
            (str(RECORDED_WINDOW + 1), str(served.window + 1)),
        )
        raise Refused(400, replayed("err_overlong_400.json", *recorded_numbers))
    if prompt_tokens == served.window:
        raise Refused(400, replayed("err_max_zero.json"))


def _check_shape(body: dict[str, Any]) -> None:
    """What validation refuses before the model is looked at."""
    messages, temperature = body.get("messages"), body.get("temperature")
    if "messages" not in body:
        raise Refused(400, replayed("err_missing_messages.json", ("<dict of 1 items>", f"<dict of {len(body)} items>")))
    if not isinstance(messages, list):
        raise Refused(400, replayed("err_messages_text.json", ("'hi'", f"'{inside(messages)}'")))
    if isinstance(temperature, str):
        raise Refused(400, replayed("err_temp_text.json", ("'hot'", f"'{inside(temperature)}'")))
    if body.get("stream_options") and not body.get("stream"):
        raise Refused(400, replayed("err_stream_options_without_stream.json"))


def _check_limits(body: dict[str, Any], served: Served) -> None:
    """Numbers that no server or not this one can take."""
    temperature, limit = body.get("temperature"), max_tokens(body)
    if isinstance(temperature, int | float) and (temperature < 0 or math.isnan(temperature)):
        raise Refused(400, replayed("err_temp_negative.json", ("-1.0", str(float(temperature)))))
    if limit is not None and limit < 1:
        raise Refused(400, replayed("err_max_zero.json", ("got 0", f"got {limit}"), ("value=0", f"value={limit}")))
    if limit is not None and limit > served.window:
        bounds = (("5000", str(limit)), (str(RECORDED_WINDOW), str(served.window)))
        raise Refused(400, replayed("err_max_tokens_too_big.json", *bounds))


def max_tokens(body: dict[str, Any]) -> int | None:
    """The asked limit of the answer under either of its names."""
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    if isinstance(limit, str) and limit.isdecimal():  # validation takes numbers in quotes [probed]
        return int(limit)
    return limit if isinstance(limit, int) else None


def inside(text: object) -> str:
    """Text as it stands inside a JSON string."""
    return json.dumps(str(text), ensure_ascii=False)[1:-1]
