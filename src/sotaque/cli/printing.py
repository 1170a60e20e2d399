"""Results on standard output: the table, or one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from sotaque.report.machine import to_json
from sotaque.report.table import print_runs
from sotaque.runs import RunFolder


def print_results(runs: Sequence[RunFolder], *, json: bool) -> None:
    """Print runs for people, or for machines."""
    if json:
        print(to_json(runs))
    else:
        print_runs(runs, Console(highlight=False))
