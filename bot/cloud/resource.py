"""Names and answers of the TPU API over REST: paths that hold no surprises, and JSON as our nouns."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from google.api_core import exceptions as google_errors
from google.cloud import tpu_v2alpha1 as tpu
from google.protobuf import duration_pb2, json_format, timestamp_pb2
from google.rpc import code_pb2

from bot.cloud.refusal_kinds import refusal_of
from bot.cloud.translation import machine_of, request_of
from bot.errors import PersonMovesNext, RetryLater, WeMoveNext
from bot.nouns import CapacityRequest, CloudOperation, Machine, ProvisioningModel, Refusal

VERSION = "/v2alpha1/"
NODES = "nodes"
QUEUED = "queuedResources"
_ZONE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NAME = re.compile(r"[A-Za-z0-9_~+-][A-Za-z0-9_.~+-]{0,199}")
"""Wider than our own names: those of others may hold more (queuedResourceId's own form, without the per cent sign)."""
_OPERATION = re.compile(r"projects/[a-z0-9.:-]{1,100}/locations/[a-z0-9-]{1,63}/operations/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")
_MODELS = {"FLEX_START": ProvisioningModel.FLEX_START, "SPOT": ProvisioningModel.SPOT}
"""STANDARD is left out: a guaranteed or reserved request says so elsewhere, and the label says the rest."""


def zone_path(project: str, zone: str) -> str:
    """`/v2alpha1/projects/P/locations/Z`. Raises PersonMovesNext for what cannot be the name of a zone."""
    return f"{VERSION}projects/{project}/locations/{_checked('zone', zone, _ZONE)}"


def path_of(project: str, zone: str, collection: str, name: str) -> str:
    """The path of one node or queued resource. Raises PersonMovesNext for a zone or name that cannot be one."""
    return f"{zone_path(project, zone)}/{collection}/{_checked('machine or request', name, _NAME)}"


def operation_path(name: str) -> str:
    """The path of one operation by its full name. Raises WeMoveNext for any other form, for only we keep such names."""
    if not _OPERATION.fullmatch(name):
        raise WeMoveNext("What was kept as the name of a Google operation is none.")
    return VERSION + name


def request_from(answer: Mapping[str, Any]) -> CapacityRequest:
    """A queued resource; REST says how it was bought where the typed messages cannot. RetryLater when it cannot be read."""
    message = tpu.QueuedResource.pb()()
    try:
        found = request_of(tpu.QueuedResource.wrap(json_format.ParseDict(answer, message, ignore_unknown_fields=True)))
        run_s = _run_s(answer.get("runDuration"))
    except (json_format.ParseError, ValueError) as error:
        raise _unreadable("request for capacity") from error
    bought = found.provisioning or _MODELS.get(str(answer.get("provisioningModel", "")))
    return found.model_copy(update={"provisioning": bought, "run_s": run_s})


def machine_from(answer: Mapping[str, Any]) -> Machine:
    """A node, with the time at which Google ends it, which only REST says. RetryLater when it cannot be read."""
    message = tpu.Node.pb()()
    try:
        found = machine_of(tpu.Node.wrap(json_format.ParseDict(answer, message, ignore_unknown_fields=True)))
        return found.model_copy(update={"ends_at": _ends_at(answer.get("schedulingConfig"))})
    except (json_format.ParseError, ValueError) as error:
        raise _unreadable("machine") from error


def operation_from(answer: Mapping[str, Any]) -> CloudOperation:
    """A long-running operation (google.longrunning). RetryLater when it has no name."""
    name = answer.get("name")
    if not isinstance(name, str) or not name:
        raise _unreadable("operation")
    error = answer.get("error")
    refusal = refusal_from(error) if isinstance(error, Mapping) else None
    return CloudOperation(name=name, done=answer.get("done") is True, refusal=refusal)


def refusal_from(status: Mapping[str, Any]) -> Refusal:
    """A google.rpc.Status as an operation's error carries it."""
    code = status.get("code")
    return refusal_of(code if isinstance(code, int) else code_pb2.UNKNOWN, str(status.get("message", "")))


def refusal_of_error(error: google_errors.GoogleAPICallError) -> Refusal:
    """The same for an answer that refused at once."""
    status = error.grpc_status_code
    return refusal_of(status.value[0] if status is not None else code_pb2.UNKNOWN, error.message or "")


def _run_s(run: object) -> int | None:
    """Whole seconds of `maxRunDuration`; None when it is not said, or said as a time."""
    text = run.get("maxRunDuration") if isinstance(run, Mapping) else None
    if not isinstance(text, str):
        return None
    length = duration_pb2.Duration()
    length.FromJsonString(text)
    return int(length.seconds)


def _ends_at(scheduling: object) -> datetime | None:
    """`terminationTimestamp` of a node, when Google says it."""
    text = scheduling.get("terminationTimestamp") if isinstance(scheduling, Mapping) else None
    if not isinstance(text, str):
        return None
    at = timestamp_pb2.Timestamp()
    at.FromJsonString(text)
    return datetime.fromtimestamp(at.seconds, UTC)


def _checked(what: str, name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise PersonMovesNext(f"{name[:80]!r} cannot be the name of a {what}.", next_step="Look at the list: machines.")
    return name


def _unreadable(what: str) -> RetryLater:
    return RetryLater(f"What Google Cloud said of a {what} could not be read.", next_step="Try again in a minute.")
