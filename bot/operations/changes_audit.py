"""Which entries of the audit are about a deployment, and what everybody may know of them.

The audit is for admins: it holds what was typed, the reason given and what the answer said. Whoever may look at a deployment
sees less here: who did what to which name, whose yes it had, and whether it failed. Free text of people and of answers stays out.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.nouns import Deployment
from bot.operations.changes_result import Change

NAMED_BY = ("deployment", "name", "machine")
"""Arguments that name what an operation acts on, a deployment or its machine."""

WORK = re.compile(r"([a-z][a-z-]*-\d+): ")
"""How the outcome of long work begins: with its name."""

PATH = re.compile(r"[a-z]+(?:\.[a-z]+)*")
NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")


def concerning(deployment: Deployment, raw: Sequence[Mapping[str, str]]) -> tuple[Change, ...]:
    """The entries about this deployment or its machine, as changes, in their order: the newest first.

    An entry that leaves its deployment out was about the usual one of some channel, so each deployment tells it.
    """
    mine = [(one, name) for one in raw if (name := _named(deployment, one)) is not None]
    works = [_work(one) for one, _ in mine]
    return tuple(_change(one, name, _ended(one, works, place)) for place, (one, name) in enumerate(mine))


def _named(deployment: Deployment, entry: Mapping[str, str]) -> str | None:
    """What it was done to, when that is this deployment; empty when it named none; None when it was about something else."""
    try:
        arguments = json.loads(entry.get("arguments") or "{}")
    except ValueError:
        return None
    if not isinstance(arguments, dict):
        return None
    ours = {deployment.name, deployment.machine} - {None}
    for key in NAMED_BY:
        name = arguments.get(key)
        if name in ours or (key == "deployment" and isinstance(name, str) and name and deployment.name.startswith(name)):
            return str(name) if NAME.fullmatch(str(name)) else None
    return "" if arguments.get("deployment", "") is None else None


def _work(entry: Mapping[str, str]) -> str | None:
    found = WORK.match(entry.get("ended", ""))
    return found[1] if found else None


def _ended(entry: Mapping[str, str], works: Sequence[str | None], place: int) -> str:
    """Long work stands there when it begins and when it ends; with one entry alone nothing says which of them it is."""
    work = works[place]
    if work is None:
        return "failed" if entry.get("ended", "").startswith("failed") else "done"
    if work in works[place + 1 :]:
        return f"{work} ended"
    return f"{work} began" if work in works[:place] else work


def _change(entry: Mapping[str, str], name: str, ended: str) -> Change:
    path = entry.get("operation", "")
    words = path.replace(".", " ") if PATH.fullmatch(path) else "something"
    return Change(
        at=datetime.fromisoformat(entry["at"]),
        what=f"{words} {name}".strip(),
        source="audit",
        who=entry.get("who") or None,
        yes_by=entry.get("yes_by") or None,
        ended=ended,
    )
