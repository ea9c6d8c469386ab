"""The page: the conversations of the Slack stand-in in a browser, with a box to type in and buttons that work."""
