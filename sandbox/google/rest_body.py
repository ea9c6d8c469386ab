"""Queued resources and operations as the REST API writes them in JSON."""

import json
import re
from datetime import UTC, datetime
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu
from google.protobuf import json_format, timestamp_pb2

from sandbox.google import refusals
from sandbox.google.queued import QueuedRecord, Terms

MODELS = frozenset({"STANDARD", "SPOT", "RESERVATION_BOUND", "FLEX_START"})
LONGEST_RUN_S = 7 * 24 * 3600
"""Flex-start runs last seven days at most (Google's flex-start page)."""
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?s")
_UNSPECIFIED = "PROVISIONING_MODEL_UNSPECIFIED"


def read(body: bytes, now: datetime) -> tuple[Any, Terms]:
    """The queued resource and its terms. Raises Refusal INVALID_ARGUMENT for an unknown key, a wrong type or a wrong value."""
    try:
        fields = json.loads(body)
    except ValueError:
        raise refusals.invalid("Invalid JSON payload received. Unable to parse the body.") from None
    if not isinstance(fields, dict):
        raise refusals.invalid("Invalid JSON payload received. Root element must be a message.")
    model, run = fields.pop("provisioningModel", None), fields.pop("runDuration", None)
    queued = tpu.QueuedResource.pb()()
    try:
        json_format.ParseDict(fields, queued)
    except json_format.ParseError as error:
        raise refusals.invalid(f"Invalid JSON payload received. {error}") from None
    return queued, _terms(queued, model, run, now)


def shown(record: QueuedRecord) -> dict[str, Any]:
    """A queued resource with the fields that only REST has."""
    fields: dict[str, Any] = json_format.MessageToDict(record.message)
    fields["provisioningModel"] = record.terms.model
    if record.terms.run_s is not None:
        fields["runDuration"] = {"maxRunDuration": f"{record.terms.run_s:g}s"}
    elif record.terms.run_until is not None:
        fields["runDuration"] = {"terminationTime": record.terms.run_until.isoformat().replace("+00:00", "Z")}
    return fields


def operation(message: Any) -> dict[str, Any]:
    """An operation; its metadata and response carry their @type, as google.protobuf.Any is written."""
    fields: dict[str, Any] = json_format.MessageToDict(message)
    return fields


def _terms(queued: Any, model: Any, run: Any, now: datetime) -> Terms:
    """Check what is REST's own. Only flex-start ends by itself, so only it takes a run duration, and it needs one here."""
    if model is None or model == _UNSPECIFIED:
        model = "RESERVATION_BOUND" if queued.guaranteed.reserved or queued.reservation_name else "STANDARD"
    if model not in MODELS:
        raise refusals.invalid(f"Invalid value at 'queued_resource.provisioning_model', {json.dumps(model)[:80]}")
    if model != "FLEX_START":
        if run is not None:
            raise refusals.invalid("run_duration is only supported with the FLEX_START provisioning model")
        return Terms(model)
    if not isinstance(run, dict) or len(run) != 1 or not set(run) <= {"maxRunDuration", "terminationTime"}:
        raise refusals.invalid("run_duration must hold exactly one of max_run_duration and termination_time")
    if "maxRunDuration" in run:
        return Terms(model, run_s=_seconds(run["maxRunDuration"]))
    until = _time(run["terminationTime"])
    if not 0 < (until - now).total_seconds() <= LONGEST_RUN_S:
        raise refusals.invalid("run_duration.termination_time must lie within the next 7 days")
    return Terms(model, run_until=until)


def _seconds(value: Any) -> float:
    if not isinstance(value, str) or not _SECONDS.fullmatch(value):
        raise refusals.invalid(f"Invalid value at 'run_duration.max_run_duration' (Duration), {json.dumps(value)[:80]}")
    seconds = float(value[:-1])
    if not 0 < seconds <= LONGEST_RUN_S:
        raise refusals.invalid("run_duration.max_run_duration must be more than 0 and at most 7 days")
    return seconds


def _time(value: Any) -> datetime:
    parsed = timestamp_pb2.Timestamp()
    try:
        parsed.FromJsonString(value)
    except (ValueError, TypeError, AttributeError):
        raise refusals.invalid("Invalid value at 'run_duration.termination_time' (Timestamp)") from None
    return datetime.fromtimestamp(parsed.ToMilliseconds() / 1000, UTC)
