"""Names of all keys. Every record that belongs to a workspace carries its team id in its key."""

PREFIX = "gemma:"

DUE = f"{PREFIX}due"
"""Sorted set of all open work: member the work id, score the time in ms at which it is looked at next."""


KICKS = f"{PREFIX}kicks"
"""List of "queue id": work that a worker shall look at now. Losing an entry costs seconds, for the clock notes it again."""


def work(work_id: str) -> str:
    """Hash of one work record."""
    return f"{PREFIX}work:{work_id}"


def open_work(team_id: str) -> str:
    """Sorted set of a workspace's open work: score the time of creation in ms."""
    return f"{PREFIX}open:{team_id}"


def number(team_id: str, kind: str) -> str:
    """Counter behind names such as bench-12."""
    return f"{PREFIX}number:{team_id}:{kind}"


def delivery(work_id: str, part: str) -> str:
    """Hash of one message that a work owes."""
    return f"{PREFIX}delivery:{work_id}:{part}"


def approval(approval_id: str) -> str:
    """Hash of one question for a yes."""
    return f"{PREFIX}approval:{approval_id}"


def history(team_id: str, deployment: str, resolution: str) -> str:
    """Sorted set of samples of one deployment: score the slot's start in seconds."""
    return f"{PREFIX}history:{team_id}:{deployment}:{resolution}"


def last_sample(team_id: str, deployment: str) -> str:
    """Hash of the newest raw samples of one deployment."""
    return f"{PREFIX}sample:{team_id}:{deployment}"


def usual(team_id: str, deployment: str) -> str:
    """What is usual for one deployment."""
    return f"{PREFIX}usual:{team_id}:{deployment}"


def settled(team_id: str) -> str:
    """Hash of where a workspace's deployments stand since we brought them up: name to record."""
    return f"{PREFIX}settled:{team_id}"


def deployments(team_id: str) -> str:
    """Hash of a workspace's deployments: name to record."""
    return f"{PREFIX}deployments:{team_id}"


def audit(team_id: str) -> str:
    """Stream of who did what."""
    return f"{PREFIX}audit:{team_id}"


def pace(method: str, scope: str) -> str:
    """Until when (ms) the next call of a method in a scope (channel or workspace) is booked out."""
    return f"{PREFIX}pace:{method}:{scope}"


def counters() -> str:
    """Hash of our own counters, exposed by the clock."""
    return f"{PREFIX}counters"


def once(what: str) -> str:
    """A claim that only one process may make."""
    return f"{PREFIX}once:{what}"


def cached(what: str) -> str:
    """Something looked up outside that may be used for a while."""
    return f"{PREFIX}cached:{what}"


def roles(team_id: str) -> str:
    """Hash of roles given from Slack: user or group id to `admin` or `operator`."""
    return f"{PREFIX}roles:{team_id}"


def setup_code(team_id: str) -> str:
    """Digest of the code that makes the first admin."""
    return f"{PREFIX}setup-code:{team_id}"


def watched(team_id: str, deployment: str) -> str:
    """What the clock knows of one deployment's engine, to see what changes."""
    return f"{PREFIX}watched:{team_id}:{deployment}"


def happenings(team_id: str, deployment: str) -> str:
    """Sorted set of what changed at one deployment: score its time in seconds."""
    return f"{PREFIX}happenings:{team_id}:{deployment}"


def preferred(team_id: str) -> str:
    """Hash of channel to the deployment it means when none is named."""
    return f"{PREFIX}preferred:{team_id}"


def budget(team_id: str) -> str:
    """The monthly limit."""
    return f"{PREFIX}budget:{team_id}"


def alive(name: str, which: str) -> str:
    """Sign of life of one process."""
    return f"{PREFIX}alive:{name}:{which}"


def questions(team_id: str) -> str:
    """Sorted set of questions that wait for a yes: score the time of expiry in seconds."""
    return f"{PREFIX}questions:{team_id}"


def long_work(team_id: str, path: str, request_id: str) -> str:
    """Name of the long work of one operation that one request began."""
    return f"{PREFIX}long:{team_id}:{path}:{request_id}"


def lease(team_id: str) -> str:
    """Hash of a workspace's machines that have an end of ours: zone/name to record."""
    return f"{PREFIX}leases:{team_id}"


def ledger(team_id: str, month: str) -> str:
    """Hash of the machine time of one month, such as 2026-11."""
    return f"{PREFIX}ledger:{team_id}:{month}"


def wishes(team_id: str, deployment: str) -> str:
    """List of what one deployment's engine was wanted to be, the newest first."""
    return f"{PREFIX}wishes:{team_id}:{deployment}"


def engine_starts(team_id: str, deployment: str) -> str:
    """List of the starts of one deployment's engine that came to an answer, the newest first."""
    return f"{PREFIX}engine-starts:{team_id}:{deployment}"


def line(team_id: str, channel: str, thread: str) -> str:
    """Sorted set of the questions of one thread that wait for their answer: score the time they were asked."""
    return f"{PREFIX}line:{team_id}:{channel}:{thread}"


def conversation(team_id: str, channel: str, thread: str) -> str:
    """Hash of what was asked and answered in one thread: id of the work to record."""
    return f"{PREFIX}conversation:{team_id}:{channel}:{thread}"


def conformances(team_id: str) -> str:
    """Hash of what each deployment's server was last seen to do right: name to record."""
    return f"{PREFIX}conformances:{team_id}"


def known_errors(team_id: str, deployment: str) -> str:
    """Hash of the kinds of error that were reported of one deployment, and of its newest report."""
    return f"{PREFIX}errors:{team_id}:{deployment}"


def tunnel(place: str, team_id: str, deployment: str) -> str:
    """The local port that leads to one deployment's engine, on one loopback."""
    return f"{PREFIX}tunnel:{place}:{team_id}:{deployment}"


def tries(team_id: str, piece: str, provisioning: str) -> str:
    """Hash of what came of asking for one slice bought in one way: zone/kind to record."""
    return f"{PREFIX}tries:{team_id}:{piece}:{provisioning}"


def incident(team_id: str, incident_id: str) -> str:
    """Hash of one incident with who sees to it."""
    return f"{PREFIX}incident:{team_id}:{incident_id}"


def incidents(team_id: str) -> str:
    """Sorted set of a workspace's incidents that stand: score the time at which each began in seconds."""
    return f"{PREFIX}incidents:{team_id}"


def watches(team_id: str) -> str:
    """Hash of what channels switched: "channel kind" to on or off."""
    return f"{PREFIX}watches:{team_id}"


def sightings(team_id: str) -> str:
    """Hash of machines as they were seen last: zone/name to record."""
    return f"{PREFIX}sightings:{team_id}"
