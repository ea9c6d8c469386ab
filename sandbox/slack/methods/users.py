"""users.* and usergroups.*: people and user groups."""

from datetime import datetime
from zoneinfo import ZoneInfo

from sandbox.slack.method import Call
from sandbox.slack.methods.conversations import page
from sandbox.slack.refusal import Json, Refused
from sandbox.slack.workspace import Group, Person, Workspace


def shape(person: Person, workspace: Workspace, now: float) -> Json:
    """The user object."""
    zone = datetime.fromtimestamp(now, ZoneInfo(person.tz))
    offset = zone.utcoffset()
    return {
        "id": person.id,
        "team_id": person.team_id or workspace.team_id,
        "name": person.name,
        "real_name": person.real_name,
        "deleted": person.deleted,
        "tz": person.tz,
        "tz_label": zone.tzname() or person.tz,
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "profile": {"display_name": person.name, "real_name": person.real_name, "team": person.team_id or workspace.team_id},
        "is_admin": person.admin,
        "is_owner": False,
        "is_restricted": person.restricted or person.ultra_restricted,
        "is_ultra_restricted": person.ultra_restricted,
        "is_stranger": person.team_id is not None and person.team_id != workspace.team_id,
        "is_bot": person.bot,
        "is_app_user": False,
    }


def info(call: Call) -> Json:
    """users.info; the bot's own user is known too."""
    asked = call.text("user") or ""
    person = call.backend.workspace.people.get(asked)
    if person is None and asked == call.backend.app.bot_user:
        person = bot_person(call.backend.workspace)
    if person is None:
        raise Refused("user_not_found")
    return {"ok": True, "user": shape(person, call.backend.workspace, call.backend.clock.now())}


def bot_person(workspace: Workspace) -> Person:
    """The app's bot as a user."""
    return Person(workspace.app.bot_user, workspace.app.bot_name, workspace.app.name, bot=True)


def list_all(call: Call) -> Json:
    """users.list."""
    everyone = [*call.backend.workspace.people.values(), bot_person(call.backend.workspace)]
    found, following = page(call, everyone, 1000, 1000)
    now = call.backend.clock.now()
    return {"ok": True, "members": [shape(p, call.backend.workspace, now) for p in found], "response_metadata": following}


def group_shape(group: Group, call: Call) -> Json:
    """The user group object."""
    about: Json = {"id": group.id, "team_id": call.backend.workspace.team_id, "is_usergroup": True, "name": group.name}
    about |= {"handle": group.handle, "date_delete": 0, "user_count": len(group.members)}
    if call.flag("include_users"):
        about["users"] = list(group.members)
    return about


def groups(call: Call) -> Json:
    """usergroups.list; free plans have none."""
    if not call.backend.workspace.paid:
        raise Refused("plan_upgrade_required")
    return {"ok": True, "usergroups": [group_shape(g, call) for g in call.backend.workspace.groups.values()]}


def group_users(call: Call) -> Json:
    """usergroups.users.list."""
    if not call.backend.workspace.paid:
        raise Refused("plan_upgrade_required")
    group = call.backend.workspace.groups.get(str(call.args["usergroup"]))
    if group is None:
        raise Refused("no_such_subteam")
    return {"ok": True, "users": list(group.members)}


METHODS = {"users.info": info, "users.list": list_all, "usergroups.list": groups, "usergroups.users.list": group_users}
