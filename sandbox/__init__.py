"""Stand-ins for the outside world, over its real wire protocols. Imported by the sandbox command and by tests only."""
