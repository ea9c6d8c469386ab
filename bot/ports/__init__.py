"""What Core needs from outside, as Protocols. Adapters implement them and never know each other."""

from dataclasses import dataclass

from bot.ports.answering import Advanced, Answerer, Conformances, Conversations, Inquiry, Thread, Threads
from bot.ports.authority import Authorised
from bot.ports.engines import Engines, Hosts, Tunnels, Ways, Wishes
from bot.ports.happenings import Happenings
from bot.ports.house import Budget, Grants, House, Limit, Memory, Probes, Roles, Setups, Trail
from bot.ports.incidents import Alerting, Incidents, Sightings, Watches
from bot.ports.known_errors import Compared, KnownErrors, LastReport
from bot.ports.ledger import Counted, Kind, Ledger, Month
from bot.ports.logs import Logs, LogSearch, ReadQuota
from bot.ports.machine import EngineControl, Forward, Host, KeyRefusedError, Line, LogPiece, LogSource, Progress, Ran, Shell
from bot.ports.outside import Clock, Cloud, Engine, Model, Prices, PromptTooLongError
from bot.ports.provisioning import Capacity, Hardware, Lease, Leases, Machines, NoSuchSecretError, Provisioner, Quotas, Secrets
from bot.ports.slack import Directory, Identity, Pace, Person, Posted, Slack
from bot.ports.stores import Approvals, Audit, Cache, Deployments, History, LongWork, OpenWork, Question, WorkBook
from bot.ports.sweeping import CreatePace, Tries

__all__ = [
    "Advanced",
    "Alerting",
    "Answerer",
    "Approvals",
    "Audit",
    "Authorised",
    "Budget",
    "Cache",
    "Capacity",
    "Clock",
    "Cloud",
    "Compared",
    "Conformances",
    "Conversations",
    "Counted",
    "CreatePace",
    "Deployments",
    "Directory",
    "Engine",
    "EngineControl",
    "Engines",
    "Forward",
    "Grants",
    "Happenings",
    "Hardware",
    "History",
    "Host",
    "Hosts",
    "House",
    "Identity",
    "Incidents",
    "Inquiry",
    "KeyRefusedError",
    "Kind",
    "KnownErrors",
    "LastReport",
    "Lease",
    "Leases",
    "Ledger",
    "Limit",
    "Line",
    "LogPiece",
    "LogSearch",
    "LogSource",
    "Logs",
    "LongWork",
    "Machines",
    "Memory",
    "Model",
    "Month",
    "NoSuchSecretError",
    "OpenWork",
    "Pace",
    "Person",
    "Posted",
    "Prices",
    "Probes",
    "Progress",
    "PromptTooLongError",
    "Provisioner",
    "Question",
    "Quotas",
    "Ran",
    "ReadQuota",
    "Roles",
    "Secrets",
    "Services",
    "Setups",
    "Shell",
    "Sightings",
    "Slack",
    "Thread",
    "Threads",
    "Trail",
    "Tries",
    "Tunnels",
    "Watches",
    "Ways",
    "Wishes",
    "WorkBook",
]


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
    house: House | None = None
    """What is kept in Redis about the house itself; None where there is no Redis."""

    long_work: LongWork | None = None
    leases: Leases | None = None
    happenings: Happenings | None = None
    """All three are kept in Redis; None where there is none."""

    alerting: Alerting | None = None
    """What is watched and who is told; None where there is no Redis."""

    ledger: Ledger | None = None
    """What machines ran, counted by the clock; None where there is no Redis."""

    capacity: Capacity | None = None
    """The writing half of the cloud; None where only looking is possible."""

    engines: Engines | None = None
    """The engines on the machines, and what each is wanted to be; None where no machine can be reached."""

    known_errors: KnownErrors | None = None
    """Kinds of error that were reported before; None where there is no Redis."""

    logs: Logs | None = None
    """Cloud Logging; None only where nobody connected it (it says itself when no project is set)."""
    project: str | None = None
    """The Google Cloud project by its id; None where none is set."""

    model: Model | None = None
    """The served Gemma, to talk with."""

    answerer: Answerer | None = None
    """Who answers questions in plain words; None where no model is configured. Its own look-ups go through the gate."""

    conformances: Conformances | None = None
    conversations: Conversations | None = None
    threads: Threads | None = None
    """What was said in threads: kept in Redis, and read from Slack; None where there is none."""

    tries: Tries | None = None
    creates: CreatePace | None = None
    """What asking for capacity came to, and how fast it may be asked for; None where there is no Redis."""
