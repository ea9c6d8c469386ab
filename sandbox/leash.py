"""`python -m sandbox.leash ARGUMENTS`: become `gemma ARGUMENTS`, to be killed by the kernel when the sandbox is gone."""

import os
import sys

from jobs.process import die_with_parent

if __name__ == "__main__":
    die_with_parent()
    os.execv(sys.executable, [sys.executable, "-m", "handlers.terminal", *sys.argv[1:]])
