"""What a table says over several tasks: the averages of a suite's authors, and twins against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich import box
from rich.table import Table
from rich.text import Text

from sotaque.report.cells import Cells, cells_of, difference_cells, shown_text
from sotaque.report.display import shown
from sotaque.runs import RunFolder
from sotaque.summary.results import TwinsSummary


def average_rows(runs: Mapping[str, RunFolder]) -> Iterator[Cells]:
    """One row for each average and model, under the headings of their groups."""
    names = dict.fromkeys(
        (average.group, name) for run in runs.values() for name, average in run.summary.averages.items()
    )
    groups = list(dict.fromkeys(group for group, _ in names))
    heading = ""
    for group, name in sorted(names, key=lambda pair: groups.index(pair[0])):
        if group and group != heading:
            yield {"task": Text(shown(group), style="bold")}
        heading, label = group, f"{'  ' if group else ''}{shown(name)}"
        for model, run in runs.items():
            if name in run.summary.averages:
                estimate = run.summary.averages[name].estimate
                yield cells_of(label, estimate, {}) | {"model": shown_text(model), "metric": Text("average")}
                label = ""


def twins_table(twins: TwinsSummary, model: str) -> Table:
    """Each pair's difference in percentage points, and their mean."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    about = f"{twins.of}: generated minus chosen" + (f", {shown(model)}" if model else "")
    table.add_column(about, overflow="fold")
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("95 % interval", justify="right", no_wrap=True)
    for pair in twins.pairs:
        table.add_row(*difference_cells(f"{shown(pair.first)} - {shown(pair.second)}", pair.difference))
    if twins.mean is not None:
        table.add_row(*difference_cells(f"mean of {len(twins.pairs)} pairs", twins.mean))
    return table
