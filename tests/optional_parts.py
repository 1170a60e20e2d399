"""Parts that a test needs and a computer may lack: skipped, or failed where the checks promised to have them."""

import importlib.util
import os

import pytest


def require(present: bool, what: str) -> None:
    """Skip when an optional part is absent; fail instead where the checks promised to have installed it."""
    if present:
        return
    if os.environ.get("SOTAQUE_REQUIRE_ALL"):
        pytest.fail(f"{what} is missing, and SOTAQUE_REQUIRE_ALL is set")
    pytest.skip(f"{what} is not here")


def require_module(*names: str) -> None:
    for name in names:
        require(importlib.util.find_spec(name) is not None, f"Python module {name}")
