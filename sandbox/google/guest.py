"""Guest attributes: what a machine tells about itself, such as its host keys."""

from typing import Any

from google.cloud import tpu_v2alpha1 as tpu

from sandbox.google import refusals
from sandbox.google.project import Project


def guest_attributes(project: Project, request: Any) -> Any:
    """GetGuestAttributes: everything below `query_path` ("hostkeys/", "hostkeys/ssh-ed25519", or empty for all).

    The node must have been made with the metadata enable-guest-attributes=TRUE; only worker "0" exists.
    """
    record = project.nodes.get(request.name)
    if record.message.metadata.get("enable-guest-attributes", "").upper() != "TRUE":
        raise refusals.precondition(f"Guest attributes are not enabled on node '{request.name}'")
    if set(request.worker_ids) - {"0"}:
        raise refusals.invalid("Invalid worker_ids: the node has the worker 0")
    answer = tpu.GetGuestAttributesResponse.pb()()
    shown = answer.guest_attributes.add(query_path=request.query_path)
    shown.query_value.SetInParent()
    for path, value in sorted(record.attributes.items()):
        if _below(path, request.query_path):
            namespace, _, key = path.rpartition("/")
            shown.query_value.items.add(namespace=namespace, key=key, value=value)
    return answer


def _below(path: str, asked: str) -> bool:
    return not asked or path == asked or path.startswith(asked.rstrip("/") + "/")
