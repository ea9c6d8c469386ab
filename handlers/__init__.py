"""What somebody said, in Slack or in a terminal, as a Request; and the processes that listen."""
