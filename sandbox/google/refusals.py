"""What the TPU API says when it refuses, word for word where it was seen, and the codes that go with it."""

import hashlib

from google.rpc import code_pb2

INVALID = code_pb2.INVALID_ARGUMENT
EXHAUSTED = code_pb2.RESOURCE_EXHAUSTED
PRECONDITION = code_pb2.FAILED_PRECONDITION
UNAVAILABLE = code_pb2.UNAVAILABLE

HTTP_STATUS = {
    code_pb2.CANCELLED: 499,
    code_pb2.UNKNOWN: 500,
    code_pb2.INVALID_ARGUMENT: 400,
    code_pb2.DEADLINE_EXCEEDED: 504,
    code_pb2.NOT_FOUND: 404,
    code_pb2.ALREADY_EXISTS: 409,
    code_pb2.PERMISSION_DENIED: 403,
    code_pb2.RESOURCE_EXHAUSTED: 429,
    code_pb2.FAILED_PRECONDITION: 400,
    code_pb2.ABORTED: 409,
    code_pb2.UNIMPLEMENTED: 501,
    code_pb2.INTERNAL: 500,
    code_pb2.UNAVAILABLE: 503,
    code_pb2.UNAUTHENTICATED: 401,
}
"""The mapping that google/rpc/code.proto states."""


class Refusal(Exception):
    """One refused call. `code` is a google.rpc.Code; `reason` the ErrorInfo reason, when the real API sends one."""

    def __init__(self, code: int, message: str, *, reason: str | None = None) -> None:
        """Keep what the caller will read."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason

    @property
    def status(self) -> str:
        """The code's name, for instance NOT_FOUND."""
        return str(code_pb2.Code.Name(self.code))


def support_id(seed: str) -> str:
    """A support id like the real one's, the same for the same seed."""
    return f"[EID: 0x{hashlib.sha256(seed.encode()).hexdigest()[:16]}]"


def zone_not_supported(zone: str) -> Refusal:
    """There is no TPU in that zone, or no such zone."""
    return Refusal(INVALID, f'The requested zone "{zone}" is not supported. {support_id(zone)}')


def accelerator_not_found(accelerator: str) -> Refusal:
    """The zone has no slice of that name."""
    return Refusal(INVALID, f'accelerator type "{accelerator}", could not be found in the zonal accelerator configurations')


def model_not_supported(model: str, accelerator: str, zone: str) -> Refusal:
    """The zone does not sell that slice that way. The real API says so only in the operation's error."""
    return Refusal(
        INVALID, f'{model} provisioning model is not supported for accelerator type "{accelerator}" in location "{zone}"'
    )


def quota_exceeded(quota_id: str, limit: int, place: str) -> Refusal:
    """More than the quota allows; `place` is "zone Z" or "region R". Same code as missing capacity: only the text tells."""
    return Refusal(EXHAUSTED, f"Quota limit '{quota_id}' has been exceeded. Limit: {limit} in {place}.")


def no_capacity(zone: str) -> Refusal:
    """Nothing free there now."""
    return Refusal(
        EXHAUSTED, f'There is no more capacity in the zone "{zone}"; you can try in another zone where Cloud TPU is offered.'
    )


def too_many_creates(limit: int) -> Refusal:
    """The rate limit on CreateNode; the real one was 91 a minute where it was seen."""
    return Refusal(
        EXHAUSTED,
        f"Quota exceeded for quota metric 'Maximum number of CreateNode requests per minute' and limit {limit} per minute.",
    )


def spot_needs_its_model() -> Refusal:
    """`spot` alone, without provisioningModel SPOT."""
    return Refusal(INVALID, "STANDARD provisioning model is incompatible with spot requests")


def already_exists(name: str) -> Refusal:
    """The name is taken."""
    return Refusal(code_pb2.ALREADY_EXISTS, f"Resource '{name}' already exists")


def not_found(name: str) -> Refusal:
    """There is no such resource."""
    return Refusal(code_pb2.NOT_FOUND, f"Resource '{name}' was not found")


def invalid(what: str) -> Refusal:
    """A field that does not hold what it must."""
    return Refusal(INVALID, what)


def precondition(what: str) -> Refusal:
    """The resource is not in a state that allows this."""
    return Refusal(PRECONDITION, what)


def permission_denied(permission: str, resource: str) -> Refusal:
    """The caller lacks a permission."""
    return Refusal(
        code_pb2.PERMISSION_DENIED,
        f"Permission '{permission}' denied on resource '{resource}' (or it may not exist).",
        reason="IAM_PERMISSION_DENIED",
    )


def api_disabled(project: str) -> Refusal:
    """The Cloud TPU API is switched off in the project."""
    said = f"Cloud TPU API has not been used in project {project} before or it is disabled. Enable it, then retry."
    return Refusal(code_pb2.PERMISSION_DENIED, said, reason="SERVICE_DISABLED")
