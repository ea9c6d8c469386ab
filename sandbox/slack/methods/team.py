"""auth.test, api.test, team.info, bots.info: who is who."""

from sandbox.slack.method import Call
from sandbox.slack.refusal import Json, Refused


def api_test(call: Call) -> Json:
    """api.test answers what it was given."""
    if error := call.text("error"):
        raise Refused(error, args=call.args)
    return {"ok": True, "args": call.args}


def auth_test(call: Call) -> Json:
    """auth.test."""
    space, app = call.backend.workspace, call.backend.app
    url = f"https://{space.domain}.slack.com/"
    who = {"user": app.bot_name, "user_id": app.bot_user, "bot_id": app.bot_id, "app_id": app.id}
    return {"ok": True, "url": url, "team": space.name, "team_id": space.team_id, **who, "is_enterprise_install": False}


def team_info(call: Call) -> Json:
    """team.info."""
    space = call.backend.workspace
    return {"ok": True, "team": {"id": space.team_id, "name": space.name, "domain": space.domain}}


def bots_info(call: Call) -> Json:
    """bots.info of our own bot or of another bot in the workspace."""
    app, asked = call.backend.app, call.text("bot") or call.backend.app.bot_id
    if asked == app.bot_id:
        about = {"id": app.bot_id, "app_id": app.id, "user_id": app.bot_user, "name": app.name, "deleted": False}
        return {"ok": True, "bot": about}
    for person in call.backend.workspace.people.values():
        if person.bot and asked == f"B{person.id[1:]}":
            return {"ok": True, "bot": {"id": asked, "user_id": person.id, "name": person.name, "deleted": person.deleted}}
    raise Refused("bot_not_found")


METHODS = {"api.test": api_test, "auth.test": auth_test, "team.info": team_info, "bots.info": bots_info}
