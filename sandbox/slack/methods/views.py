"""views.*: modals and the home tab."""

import secrets

from sandbox.slack.backend import Backend, ModalView
from sandbox.slack.blockkit import check_view, identify
from sandbox.slack.method import Call
from sandbox.slack.refusal import Json, Refused, invalid_arguments

STACK_LIMIT = 3


def shape(view: ModalView, backend: Backend) -> Json:
    """The view object, as answers and payloads carry it."""
    return {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        **view.view,
        "id": view.id,
        "team_id": backend.workspace.team_id,
        "state": {"values": {}},
        "hash": view.hash,
        "previous_view_id": view.previous,
        "root_view_id": view.root,
        "app_id": backend.app.id,
        "bot_id": backend.app.bot_id,
        "app_installed_team_id": backend.workspace.team_id,
    }


def _given(call: Call, kind: str) -> Json:
    view = call.structure("view", "invalid_arguments")
    return check_view(view, kind, call.backend.files)


def _new_hash(backend: Backend) -> str:
    return f"{int(backend.clock.now())}.{secrets.token_hex(4)}"


def _unique_external_id(call: Call, view: Json, but: str | None = None) -> None:
    taken = (v.view.get("external_id") for v in call.backend.views.values() if v.id != but)
    if view.get("external_id") and view["external_id"] in taken:
        raise Refused("duplicate_external_id")


def show(backend: Backend, user: str, view: Json, previous: ModalView | None) -> ModalView:
    """Puts a modal on top of somebody's stack (or starts one)."""
    identify(view["blocks"])
    made_id = backend.new_id("V")
    root = previous.root if previous else made_id
    made = ModalView(made_id, user, view, _new_hash(backend), root, previous.id if previous else None)
    backend.views[made.id] = made
    backend.stacks.setdefault(root, []).append(made.id)
    backend.touched()
    return made


def replace(backend: Backend, old: ModalView, view: Json) -> None:
    """New content under the same id, with a new hash."""
    identify(view["blocks"])
    old.view, old.hash = view, _new_hash(backend)
    backend.touched()


def close_stack(backend: Backend, root: str) -> None:
    """Closes all views of a stack."""
    for view in backend.stacks.pop(root, []):
        backend.views.pop(view, None)
    backend.touched()


def _trigger_id(call: Call) -> str:
    given = call.text("trigger_id") or call.text("interactivity_pointer")
    if not given:
        raise invalid_arguments("missing required field: trigger_id")
    return given


def open_view(call: Call) -> Json:
    """views.open. A refused view does not spend the trigger."""
    trigger_id, view = _trigger_id(call), _given(call, "modal")
    _unique_external_id(call, view)
    trigger = call.interactions.exchange(trigger_id)
    made = show(call.backend, trigger.user, view, None)
    return {"ok": True, "view": shape(made, call.backend)}


def push(call: Call) -> Json:
    """views.push: on top of the modal that the trigger came from, three at most."""
    trigger_id, view = _trigger_id(call), _given(call, "modal")
    _unique_external_id(call, view)
    trigger = call.interactions.exchange(trigger_id)
    previous = call.backend.views.get(trigger.view or "")
    if previous is None:
        raise invalid_arguments("the trigger_id does not come from a modal")
    if len(call.backend.stacks[previous.root]) >= STACK_LIMIT:
        raise Refused("push_limit_reached")
    made = show(call.backend, trigger.user, view, previous)
    return {"ok": True, "view": shape(made, call.backend)}


def _check_hash(call: Call, old: ModalView) -> None:
    given = call.text("hash")
    if given and given != old.hash:
        raise Refused("hash_conflict")


def update(call: Call) -> Json:
    """views.update, by view_id or external_id."""
    view_id, external = call.text("view_id"), call.text("external_id")
    if not (view_id or external):
        raise invalid_arguments("missing required field: view_id or external_id")
    everything = [*call.backend.views.values(), *call.backend.homes.values()]
    old = next((v for v in everything if v.id == view_id or (external and v.view.get("external_id") == external)), None)
    if old is None:
        raise Refused("not_found")
    view = _given(call, old.view["type"])
    _unique_external_id(call, view, old.id)
    _check_hash(call, old)
    replace(call.backend, old, view)
    return {"ok": True, "view": shape(old, call.backend)}


def publish(call: Call) -> Json:
    """views.publish: somebody's home tab."""
    user = str(call.args["user_id"])
    if user not in call.backend.workspace.people:
        raise invalid_arguments("invalid user_id")
    view = _given(call, "home")
    old = call.backend.homes.get(user)
    if old is None:
        identify(view["blocks"])
        made_id = call.backend.new_id("V")
        old = call.backend.homes[user] = ModalView(made_id, user, view, _new_hash(call.backend), made_id)
    else:
        _check_hash(call, old)
        replace(call.backend, old, view)
    call.backend.touched()
    return {"ok": True, "view": shape(old, call.backend)}


METHODS = {"views.open": open_view, "views.push": push, "views.update": update, "views.publish": publish}
