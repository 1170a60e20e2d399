"""Turns requests into stored replies; knows nothing of suites. ``complete`` is the way in."""
