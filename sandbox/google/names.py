"""Resource names and ids, as strict as the API's own."""

import re
import uuid
from dataclasses import dataclass

from sandbox.google import refusals

_ID = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
_TAG = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
METADATA_VALUE_BYTES = 262_144
"""Compute Engine's limit for one metadata value (256 KiB)."""


@dataclass(frozen=True)
class Name:
    """projects/P/locations/Z/COLLECTION/ID, taken apart."""

    project: str
    zone: str
    id: str


def parse(name: str, collection: str) -> Name:
    """Take a full name apart. Raises Refusal INVALID_ARGUMENT for any other form."""
    match name.split("/"):
        case ["projects", project, "locations", zone, kind, short] if kind == collection and project and zone and short:
            return Name(project, zone, short)
    raise refusals.invalid(f"Invalid resource name {name[:120]!r}: expected projects/*/locations/*/{collection}/*")


def parse_parent(parent: str) -> tuple[str, str]:
    """Project and zone of `projects/P/locations/Z`; the zone may be "-" for all."""
    match parent.split("/"):
        case ["projects", project, "locations", zone] if project and zone:
            return project, zone
    raise refusals.invalid(f"Invalid parent {parent[:120]!r}: expected projects/*/locations/*")


def check_id(kind: str, value: str) -> None:
    """Refuse an id that RFC 1035 (as Google applies it) does not allow."""
    if not _ID.fullmatch(value):
        raise refusals.invalid(
            f"Invalid {kind} {value[:80]!r}: lower-case letters, digits and hyphens, at most 63, starting with a letter"
        )


def check_request_id(value: str) -> None:
    """Refuse a request id that is not a UUID, or is the zero UUID."""
    if not value:
        return
    try:
        meant = uuid.UUID(value)
    except ValueError:
        raise refusals.invalid(f"Invalid request_id {value[:80]!r}: must be a UUID") from None
    if meant.int == 0:
        raise refusals.invalid("Invalid request_id: the zero UUID is not supported")


def check_words(labels: dict[str, str], tags: list[str], metadata: dict[str, str]) -> None:
    """Refuse labels, tags and metadata that the API refuses."""
    for key, value in labels.items():
        if not (_LABEL_KEY.fullmatch(key) and _LABEL_VALUE.fullmatch(value)):
            raise refusals.invalid(f"Invalid label {key[:80]!r}={value[:80]!r}: lower-case letters, digits, _ and -, at most 63")
    if len(labels) > 64:
        raise refusals.invalid("Too many labels: at most 64")
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise refusals.invalid(f"Invalid tag {tag[:80]!r}")
    for key, value in metadata.items():
        if len(value.encode()) > METADATA_VALUE_BYTES:
            raise refusals.invalid(f"Value of metadata {key[:80]!r} is too large: at most {METADATA_VALUE_BYTES} bytes")
