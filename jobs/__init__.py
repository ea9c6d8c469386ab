"""When and where work runs: the inbox, the workers, the clock. What it does lies in `bot/operations`."""
