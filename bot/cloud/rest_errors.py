"""Answers of Google's REST services that refuse, as the errors that the typed clients raise. Pure: no call is made here."""

from collections.abc import Mapping
from typing import Any

import grpc
from google.api_core import exceptions as google_errors
from google.protobuf import json_format
from google.rpc import error_details_pb2

_BY_HTTP: Mapping[int, grpc.StatusCode] = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    409: grpc.StatusCode.ABORTED,
    412: grpc.StatusCode.FAILED_PRECONDITION,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    499: grpc.StatusCode.CANCELLED,
    500: grpc.StatusCode.INTERNAL,
    501: grpc.StatusCode.UNIMPLEMENTED,
    502: grpc.StatusCode.UNAVAILABLE,
    503: grpc.StatusCode.UNAVAILABLE,
    504: grpc.StatusCode.DEADLINE_EXCEEDED,
}
"""google/rpc/code.proto states the HTTP status of each code; where several share one, the answer's own word decides first."""
_CODES = {code.name: code for code in grpc.StatusCode}
_MAKE: Any = google_errors.from_grpc_status
"""It carries no types."""


def google_error(status: int, answer: object, retry_after: str | None = None) -> google_errors.GoogleAPICallError:
    """The error for an HTTP status and its JSON body ({"error": {"message", "status", "details"}}); any other is survived."""
    said = answer.get("error") if isinstance(answer, Mapping) else None
    error: Mapping[str, object] = said if isinstance(said, Mapping) else {}
    code = _CODES.get(str(error.get("status", ""))) or _BY_HTTP.get(status, grpc.StatusCode.UNKNOWN)
    details = error.get("details")
    listed = [one for one in details if isinstance(one, Mapping)] if isinstance(details, list) else []
    made: google_errors.GoogleAPICallError = _MAKE(
        code,
        str(error.get("message") or f"HTTP status {status} without words"),
        details=_waits(listed, retry_after),
        error_info=_reason(listed),
    )
    return made


def wordless(error: google_errors.GoogleAPICallError) -> google_errors.GoogleAPICallError:
    """The same refusal without Google's words, which may repeat what was sent: only its code speaks."""
    code = error.grpc_status_code or grpc.StatusCode.UNKNOWN
    info = error_details_pb2.ErrorInfo(reason=error.reason) if error.reason else None
    said = f"Google's answer was {code.name}."
    made: google_errors.GoogleAPICallError = _MAKE(code, said, error_info=info)
    return made


def _reason(details: list[Mapping[str, object]]) -> error_details_pb2.ErrorInfo | None:
    """google.rpc.ErrorInfo, when it is there."""
    for detail in details:
        if str(detail.get("@type", "")).endswith("google.rpc.ErrorInfo"):
            return error_details_pb2.ErrorInfo(reason=str(detail.get("reason", "")), domain=str(detail.get("domain", "")))
    return None


def _waits(details: list[Mapping[str, object]], retry_after: str | None) -> list[error_details_pb2.RetryInfo]:
    """google.rpc.RetryInfo, or the header Retry-After in seconds, when either is there."""
    for detail in details:
        if str(detail.get("@type", "")).endswith("google.rpc.RetryInfo"):
            wait = error_details_pb2.RetryInfo()
            try:
                json_format.ParseDict({"retryDelay": detail.get("retryDelay")}, wait)
            except json_format.ParseError:
                continue
            return [wait]
    if retry_after and retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 6:
        wait = error_details_pb2.RetryInfo()
        wait.retry_delay.FromSeconds(int(retry_after))
        return [wait]
    return []
