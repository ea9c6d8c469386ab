"""Two things that a process asks of Linux: to die with its parent, and to leave memory that it shares with it alone."""

import ctypes
import gc
import signal

PR_SET_PDEATHSIG = 1
"""From linux/prctl.h."""


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent is gone, however that went. Does nothing where there is no prctl."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    except (OSError, AttributeError):
        return


def freeze_memory() -> None:
    """Before a fork: what was imported is never looked at by the garbage collector again, so its pages stay shared."""
    gc.collect()
    gc.freeze()
