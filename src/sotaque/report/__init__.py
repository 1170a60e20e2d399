"""Renderings of runs: terminal table, files for other tools, JSON."""
