"""All that is remembered, in Redis (6.2 or newer, append-only file on, no eviction)."""
