"""Long-running operations (google.longrunning): begun by every write, finished by the state machine."""

import itertools
from typing import Any

from google.cloud import tpu_v2alpha1 as tpu
from google.longrunning import operations_pb2
from google.protobuf import any_pb2
from google.rpc import status_pb2

from sandbox.google import refusals
from sandbox.google.agenda import Agenda
from sandbox.google.refusals import Refusal

API_VERSION = "v2alpha1"


class Operations:
    """All operations of a project, by full name, and by the request ids that began them."""

    def __init__(self, project: str, agenda: Agenda) -> None:
        """Start with none."""
        self._project = project
        self._agenda = agenda
        self._by_name: dict[str, Any] = {}
        self._by_request_id: dict[tuple[str, str, str], str] = {}
        self._numbers = itertools.count(1)

    def repeated(self, verb: str, zone: str, request_id: str) -> Any | None:
        """The operation that the same request id began before, or None: a repeat must not act twice."""
        name = self._by_request_id.get((verb, zone, request_id)) if request_id else None
        return self._by_name[name] if name else None

    def begin(self, verb: str, zone: str, target: str, request_id: str = "") -> Any:
        """A new operation that is not done."""
        name = f"projects/{self._project}/locations/{zone}/operations/operation-{next(self._numbers):08d}"
        metadata = tpu.OperationMetadata.pb()(target=target, verb=verb, api_version=API_VERSION)
        metadata.create_time.FromDatetime(self._agenda.moment)
        operation = operations_pb2.Operation(name=name, metadata=_packed(metadata))
        self._by_name[name] = operation
        if request_id:
            self._by_request_id[verb, zone, request_id] = name
        return operation

    def succeed(self, operation: Any, response: Any) -> None:
        """Finish with a response message."""
        self._end(operation)
        operation.response.CopyFrom(_packed(response))

    def fail(self, operation: Any, refusal: Refusal) -> None:
        """Finish with an error."""
        self._end(operation)
        operation.error.CopyFrom(status_pb2.Status(code=refusal.code, message=refusal.message))

    def get(self, name: str) -> Any:
        """One operation. Raises Refusal NOT_FOUND."""
        if name not in self._by_name:
            raise refusals.not_found(name)
        return self._by_name[name]

    def _end(self, operation: Any) -> None:
        metadata = tpu.OperationMetadata.pb()()
        operation.metadata.Unpack(metadata)
        metadata.end_time.FromDatetime(self._agenda.moment)
        operation.metadata.CopyFrom(_packed(metadata))
        operation.done = True


def _packed(message: Any) -> Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
