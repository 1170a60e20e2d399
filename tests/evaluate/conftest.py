"""A desk to work at, and short ways to run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sotaque.engine.store import Store
from sotaque.evaluate.evaluate import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Store(tmp_path / "replies.sqlite") as store:
        yield Desk(store, runs=tmp_path / "runs")
