"""A suite of one's own, and a working folder."""

from pathlib import Path

import pytest

from own_suites import write_suite


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands write ``runs`` and exports where they are called."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "contas")
