"""A stand-in for a TPU machine: an SSH server in this process, a docker that lives by the clock, and vLLM when it is ready."""

from sandbox.machine.faults import Faults
from sandbox.machine.park import MachinePark
from sandbox.machine.server import MachineStandIn
from sandbox.machine.starts import Ending

__all__ = ["Ending", "Faults", "MachinePark", "MachineStandIn"]
