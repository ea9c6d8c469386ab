"""The transcript in a browser."""
