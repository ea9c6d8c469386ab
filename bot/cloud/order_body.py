"""An order as the TPU API takes it (REST v2alpha1, discovery revision 20261001). Pure: no call is made here.

Which fields gcloud sends for flex-start is inferred from the discovery descriptions and gcloud's flags; spot goes by
`provisioningModel` alone, for `spot` alone was refused in practice (August 2026); on demand sends neither, as gcloud does.
"""

import re
import uuid
from typing import Any

from bot.cloud.ownership import labels_for
from bot.diagnosis.secrets import redact
from bot.errors import PersonMovesNext, WeMoveNext
from bot.nouns import CapacityOrder, Exposure, ProvisioningModel
from bot.ports import Authorised
from bot.serving import hardware

LONGEST_RUN_S = 7 * 24 * 3600
"""Flex-start machines run seven days at most (Google's flex-start page)."""
METADATA_VALUE_BYTES = 256 * 1024
"""Compute Engine's limit for one metadata value; for the TPU API from memory."""
SSH_KEYS = "ssh-keys"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
GUEST_ATTRIBUTES = "enable-guest-attributes"
_OURS = uuid.UUID("6f0f3b0e-3c0a-5a55-9f0d-6b1f5f3a2d11")
"""The name space of our request ids; a constant, so that a repeat after an upgrade has the same id."""
_SSH_KEY = re.compile(
    r"[a-z_][a-z0-9_-]{0,31}:(?:ssh|ecdsa|sk)-[a-z0-9@.-]{2,60} [A-Za-z0-9+/]{20,8192}={0,2}(?: [^\n\r]{0,200})?"
)
_MODELS = {ProvisioningModel.FLEX_START: "FLEX_START", ProvisioningModel.SPOT: "SPOT"}


def request_id(leave: Authorised, *parts: str) -> str:
    """The idempotence key of one write: the same for the same work and parts, on every try and after every crash."""
    return str(uuid.uuid5(_OURS, "\n".join((leave.work_id, *parts))))


def create_id(order: CapacityOrder, leave: Authorised) -> str:
    """The key of a create: repeated it does nothing, a new attempt after a refusal is a new one."""
    return request_id(leave, "create", order.zone.name, order.name, str(order.attempt))


def body_of(project: str, order: CapacityOrder, leave: Authorised) -> dict[str, Any]:
    """The queued resource to create.

    Raises PersonMovesNext for what this API does not sell or allow, WeMoveNext when a secret would stand in the metadata.
    """
    parent = f"projects/{project}/locations/{order.zone.name}"
    spec = {"parent": parent, "nodeId": order.machine, "node": _node(order, leave)}
    return {"tpu": {"nodeSpec": [spec]}, **_terms(order)}


def check_ssh_key(line: str) -> str:
    """The line `user:type key comment` itself. Raises WeMoveNext for anything else, above all for more than one line."""
    if not _SSH_KEY.fullmatch(line):
        raise WeMoveNext("An SSH key that we made does not have the form user:type key comment.")
    return line


def check_metadata(values: dict[str, str]) -> dict[str, str]:
    """The values themselves. Raises WeMoveNext when one holds a known kind of token or a private key, or is too long."""
    for key, value in values.items():
        if len(value.encode()) > METADATA_VALUE_BYTES:
            raise WeMoveNext(f"The metadata {key} would be longer than {METADATA_VALUE_BYTES} bytes.")
        found = [kind.name for kind in redact(value).found if kind.issuer or kind.name == "private key"]
        if found:
            raise WeMoveNext(f"The metadata {key} would hold a secret ({found[0]}), so nothing was sent.")
    return values


def _node(order: CapacityOrder, leave: Authorised) -> dict[str, Any]:
    chip = hardware.chip(order.piece.generation)
    if not chip.in_tpu_api or chip.runtime_version is None:
        raise PersonMovesNext(
            f"Google's TPU API does not offer {order.piece.name}: {chip.note}.", next_step="Choose a v6e, v5e or v5p slice."
        )
    network: dict[str, Any] = {"network": order.network, "enableExternalIps": order.exposure is Exposure.EXTERNAL}
    if order.subnetwork:
        network["subnetwork"] = order.subnetwork
    node: dict[str, Any] = {
        "acceleratorType": order.piece.name,
        "runtimeVersion": chip.runtime_version,
        "networkConfig": network,
        "labels": labels_for(order, leave),
        "metadata": _metadata(order),
    }
    if order.service_account:
        node["serviceAccount"] = {"email": order.service_account, "scope": [SCOPE]}
    if order.tags:
        node["tags"] = list(order.tags)
    return node


def _metadata(order: CapacityOrder) -> dict[str, str]:
    values = {GUEST_ATTRIBUTES: "TRUE"}
    if order.ssh_keys:
        values[SSH_KEYS] = "\n".join(check_ssh_key(line) for line in order.ssh_keys)
    if order.startup_script:
        values["startup-script"] = order.startup_script
    return check_metadata(values)


def _terms(order: CapacityOrder) -> dict[str, Any]:
    """How it is bought, for how long it runs, and how long it may wait."""
    flex = order.provisioning is ProvisioningModel.FLEX_START
    if order.provisioning is ProvisioningModel.RESERVED:
        raise PersonMovesNext("Reserved capacity cannot be ordered here.", next_step="Choose flex-start, spot or on-demand.")
    if flex != (order.run_s is not None):
        raise WeMoveNext("A flex-start order needs the time that it runs, and only such an order takes one.")
    terms: dict[str, Any] = {}
    if order.provisioning in _MODELS:
        terms["provisioningModel"] = _MODELS[order.provisioning]
    if order.run_s is not None:
        if order.run_s > LONGEST_RUN_S:
            raise PersonMovesNext("Flex-start machines run 7 days at most.", next_step="Ask for a shorter time.")
        terms["runDuration"] = {"maxRunDuration": f"{order.run_s}s"}
    if order.wait_s is not None:
        terms["queueingPolicy"] = {"validUntilDuration": f"{order.wait_s}s"}
    return terms
