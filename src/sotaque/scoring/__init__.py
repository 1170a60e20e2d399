"""From a stored reply to a score; knows nothing of how the reply came about."""
