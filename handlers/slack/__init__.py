"""Slack in: payloads become Requests, are written down and acknowledged. Nothing else happens here."""
