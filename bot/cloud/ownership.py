"""What is ours: the labels that everything we order bears, and who is named when something is not."""

from collections.abc import Mapping

from bot.cloud.translation import PROVISIONING_LABEL
from bot.errors import RefusedError
from bot.nouns import CapacityOrder, owner_label
from bot.ports import Authorised

MANAGED_BY = "managed-by"
US = "gemma-chatops"
DEPLOYMENT = "deployment"
WORK = "work"
OWNER = "owner"


def labels_for(order: CapacityOrder, leave: Authorised) -> dict[str, str]:
    """What an order is labelled with; the machine keeps them, for they stand on the node specification."""
    return {
        MANAGED_BY: US,
        DEPLOYMENT: order.deployment,
        WORK: leave.work_id,
        PROVISIONING_LABEL: order.provisioning.value,
        OWNER: owner_label(order.owner),
    }


def is_ours(labels: Mapping[str, str]) -> bool:
    """Whether we ordered it."""
    return labels.get(MANAGED_BY) == US


def is_this_work(labels: Mapping[str, str], order: CapacityOrder, leave: Authorised) -> bool:
    """Whether exactly this work ordered it, for exactly this deployment and kind."""
    return labels_for(order, leave).items() <= labels.items()


def whose(labels: Mapping[str, str]) -> str:
    """Who is named to people: another piece of our own work, the label `owner`, or nobody that is known."""
    if is_ours(labels):
        return f"{labels.get(WORK, 'other work')} for {labels.get(DEPLOYMENT, 'another deployment')}"
    return labels.get(OWNER) or labels.get(MANAGED_BY) or "somebody without a label"


def require_ours(what: str, labels: Mapping[str, str], leave: Authorised) -> None:
    """Raises RefusedError for what is not ours, unless a second person gave leave for it."""
    if is_ours(labels) or leave.others:
        return
    raise RefusedError(
        f"{what} is not ours: it belongs to {whose(labels)}.",
        needs="second person",
        next_step="Ask its owner, or have a second person say yes.",
    )
