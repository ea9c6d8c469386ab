"""Whose a machine is. Its label holds a hash, for who can read labels need not learn Slack ids; here people are named again."""

import re
from collections.abc import Sequence

from bot.nouns import Actor, Deployment, owner_label
from bot.operations.machine_found import Found
from bot.operations.operation import Context
from bot.ports import Lease
from bot.view import Mention, Span, text

USER = re.compile(r"[UW][A-Z0-9]{1,20}")
"""A Slack user id. A label of Google's has small letters only, so none can look like one."""
HASH = re.compile(r"[0-9a-f]{16}")


def person(context: Context, found: Found, lease: Lease | None, known: Sequence[Deployment]) -> str | None:
    """The user id of the owner when the record or somebody whom we know fits the label; else what the label says.

    None: it says nothing, or, for what is ours, only a hash that nobody fits.
    """
    if found.owner is not None and USER.fullmatch(found.owner):
        return found.owner
    if not found.ours:
        return found.owner
    if lease is not None and USER.fullmatch(lease.owner):
        return lease.owner
    grants = context.services.grants
    ids = (context.actor.user_id, *(one.owner for one in known), *grants.operators, *grants.admins)
    team = context.services.team_id
    fits = (one for one in ids if one is not None and owner_label(Actor(team_id=team, user_id=one)) == found.owner)
    return next(fits, None if found.owner is not None and HASH.fullmatch(found.owner) else found.owner)


def named(owner: str | None) -> Span:
    """As it is shown."""
    return Mention(id=owner) if owner is not None and USER.fullmatch(owner) else text(owner or "unknown")
