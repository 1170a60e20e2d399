"""What several test files share: the official data, and how a missing optional part is treated."""

import importlib.util
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


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


@pytest.fixture
def official() -> Path:
    """The folder with the published data (masalbench/, alba/)."""
    folder = Path(os.environ.get("SOTAQUE_TEST_DATA") or ROOT.parent / "shared" / "data")
    require(folder.is_dir(), f"published data in {folder}")
    return folder


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own store; the prepared local model is shared, it is only read."""
    monkeypatch.setenv("SOTAQUE_HOME", str(tmp_path_factory.mktemp("home")))
