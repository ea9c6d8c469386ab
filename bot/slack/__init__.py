"""Slack out: the one writer to Slack. `client` sends, `render` makes blocks of a View, `limits` checks the final JSON."""
