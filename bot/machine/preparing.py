"""What a start needs beforehand, fetched on the machine by itself: secrets into its memory, the image onto its disk. Pure.

It may take half an hour, so it is a transient unit of systemd: it goes on when we are gone, its name follows from the work, so
that a repeat finds it, and its lines stand in the journal. The script holds names of secrets and no secret.
"""

import hashlib

from bot.diagnosis.secrets import redact_lines
from bot.machine.pulling import PullProgress
from bot.nouns import Container, Preparation
from bot.ports import Authorised, Ran
from bot.serving.quoting import shell_text

SUDO = ("sudo", "-n")
LONGEST_S = 2_700
"""Seconds: seven minutes for the secrets, and the TPU image is about 10 GB: half an hour is 6 MB/s."""
PULLING = "gemma-engine: pulling"
_BEGIN = "#!/bin/bash\nset -euo pipefail\n"
_PULL = """\
if ! docker image inspect {image} > /dev/null 2>&1; then
  printf '{pulling}\\n'
  docker pull {image} || {{ sleep 10; docker pull {image}; }}
fi
"""
_SHOWN = 400
"""Lines of the journal that are read: a pull writes a few for each layer."""
_DOING = "fetching secrets into the machine's memory"


def unit_of(wanted: Container, leave: Authorised) -> str:
    """The unit's name: one for each work and specification."""
    return "gemma-prepare-" + hashlib.sha256(f"{leave.work_id}\n{wanted.fingerprint}".encode()).hexdigest()[:16]


def script_of(wanted: Container) -> str:
    """What it runs, as bash."""
    pull = _PULL.format(image=shell_text([wanted.image]), pulling=PULLING)
    return (wanted.secrets_script or _BEGIN) + pull


def put(unit: str) -> tuple[str, ...]:
    """Write the script, which comes by standard input."""
    return (*SUDO, "install", "-m", "0700", "/dev/stdin", _path(unit))


def begin(unit: str) -> tuple[str, ...]:
    """Start it. systemd would replace `$` in arguments, so none holds one; it refuses a second unit of this name."""
    keep = "--property=RemainAfterExit=yes"
    return (*SUDO, "systemd-run", "--quiet", f"--unit={unit}", keep, "timeout", str(LONGEST_S), "bash", _path(unit))


def show(unit: str) -> tuple[str, ...]:
    """How it stands; a unit that does not exist is answered too."""
    return (*SUDO, "systemctl", "show", "--property=LoadState,ActiveState,SubState", unit)


def said(unit: str) -> tuple[str, ...]:
    """Its last lines."""
    return (*SUDO, "journalctl", "--no-pager", "--quiet", "--output=cat", f"--lines={_SHOWN}", f"--unit={unit}")


def forget(unit: str) -> tuple[str, ...]:
    """Let a failed unit go, so that it may be tried again."""
    return (*SUDO, "systemctl", "reset-failed", unit)


def state_of(ran: Ran) -> str | None:
    """ "done", "failed" or "under way"; None when there is no such unit."""
    told = dict(line.partition("=")[::2] for line in ran.stdout.splitlines())
    match told.get("ActiveState"), told.get("SubState"):
        case "active", "exited":
            return "done"
        case "failed", _:
            return "failed"
        case "active" | "activating" | "deactivating" | "reloading", _:
            return "under way"
    return None


def preparation_of(state: str, ran: Ran) -> Preparation:
    """What its lines tell: how far it is, or why it came to nothing."""
    lines = tuple(redact_lines(ran.stdout.splitlines()))
    pulls = PULLING in lines
    if state == "failed":
        doing = "Pulling the image" if pulls else "Fetching the secrets"
        last = next((line for line in reversed(lines) if line.strip()), "it ended without a word")
        return Preparation(done=False, doing=doing, failed=last[:300], log=lines[-40:])
    return Preparation(done=state == "done", doing=_pulled(lines) if pulls else _DOING)


def _pulled(lines: tuple[str, ...]) -> str:
    layers, news = PullProgress(), "pulling the image"
    for line in lines:
        news = layers.take(line) or news
    return news


def _path(unit: str) -> str:
    return f"/run/{unit}.sh"
