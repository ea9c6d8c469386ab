"""One Google Cloud project as the TPU API sees it: the state machine behind both transports."""

from sandbox.clock import Clock
from sandbox.google.agenda import Agenda
from sandbox.google.nodes import Nodes
from sandbox.google.queued import QueuedResources
from sandbox.google.world import Delays, Endpoint, World, documentation_endpoint
from sandbox.google.zones import Quotas, Reach, ZoneRules

__all__ = ["Delays", "Endpoint", "Project", "Reach", "ZoneRules"]


class Project:
    """Zones, quotas, nodes, queued resources and operations of one project. Call `settle` before reading it in a test."""

    def __init__(self, name: str, clock: Clock, *, delays: Delays | None = None) -> None:
        """A project with that id and nothing in it."""
        self.name = name
        self.clock = clock
        self.world = World(name, Agenda(clock), delays or Delays(), endpoint_of=documentation_endpoint)
        self.nodes = Nodes(self.world)
        self.queued = QueuedResources(self.world, self.nodes)
        self.operations = self.world.operations

    @property
    def zones(self) -> dict[str, ZoneRules]:
        """Zones by name; a test may change their rules."""
        return self.world.zones

    @property
    def quotas(self) -> Quotas:
        """Limits; a test may set them."""
        return self.world.quotas

    def add_zone(self, rules: ZoneRules) -> None:
        """Let a zone exist."""
        self.world.zones[rules.name] = rules

    def set_capacity(self, zone: str, generation: str, units: int) -> None:
        """Change what a zone has, used and free together; those who wait get what becomes free."""
        self.settle()
        self.world.zones[zone].capacity[generation] = units
        self.queued.grant()

    def set_quota(self, quota_id: str, place: str, limit: int, *, silent: bool = False) -> None:
        """Change a limit; those who wait for a silent one get what it now allows."""
        self.settle()
        self.world.quotas.set(quota_id, place, limit, silent=silent)
        self.queued.grant()

    def set_reach(self, zone: str, reach: Reach) -> None:
        """Change how a zone answers."""
        self.world.zones[zone].reach = reach

    def settle(self) -> None:
        """Bring everything up to the clock."""
        self.world.agenda.settle()
