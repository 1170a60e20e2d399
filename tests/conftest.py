"""What several test files share: the official data, and how a missing optional part is treated."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from optional_parts import require

# On a busy computer examples take their time, which says nothing about what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def official() -> Path:
    """The folder with the published data (masalbench/, alba/)."""
    folder = Path(os.environ.get("SOTAQUE_TEST_DATA") or ROOT.parent / "shared" / "data")
    require(folder.is_dir(), f"published data in {folder}")
    return folder


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own store; the prepared local model is shared, it is only read."""
    monkeypatch.setenv("SOTAQUE_HOME", str(tmp_path_factory.mktemp("home")))
