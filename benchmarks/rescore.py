"""Scoring 100,000 stored replies anew, beside reading and parsing the same rows with sqlite3 and json alone."""

import json
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from processes import run
from sotaque.engine.store import Store
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.models.baselines import Baseline
from sotaque.records import RunSpec
from sotaque.suites.suite import load_suite
from synthetic import write_suite

ITEMS = 100_000


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = folder / "home" / "replies.sqlite"
        made = make_run(folder, store)
        floor = time_floor(store)
        command = [sys.executable, "-m", "sotaque", "rescore", str(made), "--out", str(folder / "again")]
        took = run(command, {"SOTAQUE_HOME": str(folder / "home")})
        print(f"sqlite3 + json, the same rows {floor:6.2f} s")
        print(f"sotaque rescore               {took.seconds:6.2f} s   peak {took.peak_mb:.0f} MB")
        print(f"ratio                         {took.seconds / floor:6.1f}")


def make_run(folder: Path, store: Path) -> Path:
    """A finished run of 100,000 generated items, whose replies are all in the store."""
    suite = load_suite(str(write_suite(folder / "synthetic", ITEMS)))
    model = Baseline("longest")
    spec = RunSpec(suite=str(folder / "synthetic"), model="baseline/longest")
    with Store(store) as opened:
        return evaluate(suite, model, spec, Desk(opened, runs=folder / "runs")).path


def time_floor(store: Path) -> float:
    started = time.perf_counter()
    database = sqlite3.connect(store)
    rows = sum(1 for (text,) in database.execute("SELECT reply FROM replies") if json.loads(text))
    database.close()
    assert rows >= ITEMS * 0.99, rows
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
