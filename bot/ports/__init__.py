"""What Core needs from outside, as Protocols. Adapters implement them and never know each other."""

from dataclasses import dataclass

from bot.ports.authority import Authorised
from bot.ports.outside import Clock, Cloud, Engine, Prices
from bot.ports.slack import Directory, Identity, Pace, Person, Posted, Slack
from bot.ports.stores import Approvals, Audit, Cache, Deployments, History, OpenWork, Question, WorkBook

__all__ = [
    "Approvals",
    "Audit",
    "Authorised",
    "Cache",
    "Clock",
    "Cloud",
    "Deployments",
    "Directory",
    "Engine",
    "Grants",
    "History",
    "Identity",
    "OpenWork",
    "Pace",
    "Person",
    "Posted",
    "Prices",
    "Question",
    "Services",
    "Slack",
    "WorkBook",
]


@dataclass(frozen=True)
class Grants:
    """Who was given a role by hand: Slack user ids (U…, W…) and user group ids (S…)."""

    admins: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Services:
    """Every port that Core may use, built in one place only."""

    clock: Clock
    team_id: str
    grants: Grants
    directory: Directory
    deployments: Deployments
    engine: Engine
    cloud: Cloud
    history: History
    prices: Prices
    work: WorkBook
    approvals: Approvals
    audit: Audit
