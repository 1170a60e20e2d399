"""The suites that come with sotaque: an explicit table."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

BUNDLED: dict[str, str] = {
    "alba": "European Portuguese in eight linguistic dimensions, open answers",
    "brasilidade": "Grammar, word formation and regional expressions of Brazilian Portuguese",
    "broverbs": "Brazilian proverbs and the stories they fit",
    "masalbench": "Persian proverbs in context and across cultures",
}
"""Name (also its folder beside this file) and what it is about."""


def bundled_folder(name: str) -> Path:
    """Where a bundled suite's suite.toml is."""
    return Path(str(files("sotaque.suites") / name))
