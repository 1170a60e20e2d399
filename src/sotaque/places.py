"""Where sotaque keeps things on this computer, each place overridable by an environment variable."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def store_path() -> Path:
    """The file of stored replies: ``$SOTAQUE_HOME/replies.sqlite``, else in the user's data folder.

    Not in the cache folder: replies cost money, and cleaning a cache must not delete them.
    """
    home = os.environ.get("SOTAQUE_HOME")
    return (Path(home) if home else Path(platformdirs.user_data_dir("sotaque"))) / "replies.sqlite"


def models_folder() -> Path:
    """Prepared local models: ``$SOTAQUE_MODELS``, else in the user's cache folder."""
    return _cache("SOTAQUE_MODELS", "models")


def downloads_folder() -> Path:
    """Official data files, fetched once and checked: ``$SOTAQUE_DOWNLOADS``, else in the user's cache folder."""
    return _cache("SOTAQUE_DOWNLOADS", "downloads")


def _cache(variable: str, name: str) -> Path:
    chosen = os.environ.get(variable)
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sotaque")) / name
