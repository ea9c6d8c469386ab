"""What the acknowledgement of a submitted form does: errors, update, push, clear, or closing."""

from typing import Any

from sandbox.slack.backend import Backend, ModalView
from sandbox.slack.blockkit import check_view
from sandbox.slack.methods.views import STACK_LIMIT, close_stack, replace, show
from sandbox.slack.refusal import Refused


def apply_answer(backend: Backend, shown: ModalView, answer: Any) -> dict[str, str]:
    """Does it, and returns the errors by block_id. Refused for an answer that Slack would not understand."""
    if not answer:
        _close_one(backend, shown)
        return {}
    if not isinstance(answer, dict):
        raise Refused("invalid_payload")
    match answer.get("response_action"):
        case "errors":
            return _errors(shown, answer.get("errors"))
        case "clear":
            close_stack(backend, shown.root)
        case "update":
            replace(backend, shown, check_view(answer.get("view"), "modal", backend.files))
        case "push":
            if len(backend.stacks[shown.root]) >= STACK_LIMIT:
                raise Refused("push_limit_reached")
            show(backend, shown.user, check_view(answer.get("view"), "modal", backend.files), shown)
        case _:
            raise Refused("invalid_payload")
    return {}


def _errors(shown: ModalView, errors: Any) -> dict[str, str]:
    inputs = {block.get("block_id") for block in shown.view["blocks"] if block["type"] == "input"}
    if not isinstance(errors, dict) or not errors or not set(errors) <= inputs:
        raise Refused("invalid_payload")
    return {str(key): str(value) for key, value in errors.items()}


def _close_one(backend: Backend, shown: ModalView) -> None:
    stack = backend.stacks.get(shown.root, [])
    if shown.id in stack:
        stack.remove(shown.id)
    backend.views.pop(shown.id, None)
    if not stack:
        backend.stacks.pop(shown.root, None)
    backend.touched()
