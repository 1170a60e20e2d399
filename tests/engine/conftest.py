"""Fixtures of the engine's tests."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_doubles import VirtualTimeLoop

from sotaque.engine.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@pytest.fixture
def virtual_time(monkeypatch: pytest.MonkeyPatch) -> list[VirtualTimeLoop]:
    """Event loops that do not wait; those made are listed, so that a test can ask how long it "took"."""
    loops: list[VirtualTimeLoop] = []

    def new_event_loop() -> VirtualTimeLoop:
        loops.append(VirtualTimeLoop())
        return loops[-1]

    monkeypatch.setattr(asyncio, "new_event_loop", new_event_loop)
    return loops


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can reach, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)
