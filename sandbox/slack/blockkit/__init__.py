"""Block Kit as Slack enforces it: refusing what Slack refuses, and filling in ids as Slack does."""

from sandbox.slack.blockkit.identify import identify
from sandbox.slack.blockkit.payload import check_blocks, check_view

__all__ = ["check_blocks", "check_view", "identify"]
