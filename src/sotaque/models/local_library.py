"""torch and transformers, imported late and kept quiet.

They take seconds to import and are an extra; neither ships types that pyright's strict mode accepts, hence the aliases.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import logging
import os
import sys
import warnings
from collections.abc import Generator
from typing import Any, TypeAlias

from sotaque.errors import MissingExtra

Library: TypeAlias = Any
Tensor: TypeAlias = Any
Net: TypeAlias = Any
Cache: TypeAlias = Any
Config: TypeAlias = Any
Tokenizer: TypeAlias = Any

EXTRA = "local"


def require_extra(what: str, *modules: str) -> None:
    """Refuse before anything is done when one of ``modules`` is not installed.

    Raises:
        MissingExtra: with the command that installs it.
    """
    if any(importlib.util.find_spec(name) is None for name in modules):
        raise MissingExtra(what, EXTRA)


def library(name: str) -> Library:
    """The module ``name``, imported now."""
    if "torch" not in sys.modules and "OMP_WAIT_POLICY" not in os.environ:
        # torch's threads spin while they wait for each other. Where another program keeps the cores busy, that makes
        # generation five to ten times slower than a short spin (measured on 2 cores). Read once, at import.
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    return importlib.import_module(name)


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """Silence transformers' progress bars, load reports and warnings; what was set before is restored.

    What matters in those reports (weights that are missing, say) is checked by us and becomes an error.
    """
    log = library("transformers").utils.logging
    bars, level = log.is_progress_bar_enabled(), log.get_verbosity()
    hub = logging.getLogger("huggingface_hub")
    hub_level = hub.level
    log.disable_progress_bar()
    log.set_verbosity_error()
    hub.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        hub.setLevel(hub_level)
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()


def versions(*packages: str) -> dict[str, str]:
    """Installed version of each package and of Python, for the record."""
    return {"python": sys.version.split()[0], **{name: importlib.metadata.version(name) for name in packages}}


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, or its type where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
