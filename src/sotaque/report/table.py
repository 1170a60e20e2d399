"""The terminal table: per suite a heading, one table of all its runs, then what the numbers show and do not show."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sotaque.records import Metric
from sotaque.report.across import average_rows, twins_table
from sotaque.report.cells import STRIP, cells_of, share_text, shown_text
from sotaque.report.details import LONGEST_OPTION, MANY_TASKS, Runs, details, pairs, seconds_text
from sotaque.report.display import STRIP_CELLS, shown
from sotaque.report.wording import facts, heading, model_line, private_line
from sotaque.runs import Manifest, RunFolder
from sotaque.summary import TaskSummary, notices

WIDE = 100
NARROW = 60
NARROWEST = 8
ROOM_PER_COLUMN = 12
"""Columns of a table on average, with the space between them."""
SHORTENED = "further metrics and breakdowns: sotaque report --json, or a run of fewer tasks"
LEGEND = "● score   ━ 95 % interval   ┆ chance   ◆ longest option"
METRIC_WORDS = {Metric.WEIGHTED_F1.value: "weighted F1", Metric.BERTSCORE_F1.value: "BERTScore F1"}


def print_runs(runs: Sequence[RunFolder], console: Console) -> None:
    """Print all runs, as wide as the console."""
    console.print(render_runs(runs, width=console.width), highlight=False)


def plain_text(runs: Sequence[RunFolder], width: int = 80) -> str:
    """The same as text without colour, for files and pipes."""
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    print_runs(runs, console)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().split("\n")) + "\n"


def render_runs(runs: Sequence[RunFolder], width: int = 80) -> RenderableType:
    """One block per suite, source and protocol: only what was asked alike stands in one table."""
    blocks: dict[tuple[str, ...], list[RunFolder]] = {}
    for run in runs:
        suite = run.manifest.suite
        key = (heading(run.manifest), suite.hash, *(f"{k}={v}" for k, v in facts(run.manifest).items()))
        blocks.setdefault(key, []).append(run)
    return Group(*(part for block in blocks.values() for part in _block(_named(block), width)))


def _named(runs: Sequence[RunFolder]) -> dict[str, RunFolder]:
    named: dict[str, RunFolder] = {}
    for run in runs:
        name, number = run.manifest.model.name, 2
        while name in named:
            name, number = f"{run.manifest.model.name} ({number})", number + 1
        named[name] = run
    return named


def _block(runs: Runs, width: int) -> Iterator[RenderableType]:
    first = next(iter(runs.values())).manifest
    yield Text(shown(heading(first)), style="bold")
    yield Padding(_header(runs), (0, 0, 1, 2))
    table = _table(runs, width)
    strips = any(column.header == STRIP for column in table.columns)
    yield Padding(table, (0, 0, 0 if strips else 1, 2))
    if strips:
        yield Padding(Text(LEGEND, style="dim"), (0, 0, 1, 2))
    if any(_is_shortened(run) for run in runs.values()):
        yield Padding(Text(SHORTENED, style="dim"), (0, 0, 1, 2))
    for model, run in runs.items():
        if run.summary.twins and not all(task.reads_nothing for task in run.summary.tasks.values()):
            yield Padding(twins_table(run.summary.twins, model if len(runs) > 1 else ""), (0, 0, 1, 2))
    yield Padding(details(runs), (0, 0, 1, 2))
    for style, lines in (("", _sentences(runs)), ("yellow", _warnings(runs))):
        if lines:
            mark = "! " if style else ""
            yield Padding(Group(*(Text(mark + shown(line, 2000), style=style) for line in lines)), (0, 0, 1, 2))
    yield Padding(_footer(runs), (0, 0, 1, 2))


# ---------------------------------------------------------------- heading


def _header(runs: Runs) -> Table:
    grid = pairs()
    first = next(iter(runs.values())).manifest
    for mark in {private_line(run.manifest) for run in runs.values()} - {""}:
        grid.add_row("", Text(mark, style="bold red"))
    for name, line in facts(first).items():
        grid.add_row(Text(name), Text(shown(line, 500)))
    for number, run in enumerate(runs.values()):
        grid.add_row(
            ("models" if len(runs) > 1 else "model") if number == 0 else "", shown_text(model_line(run.manifest))
        )
    return grid


# ---------------------------------------------------------------- table


def _table(runs: Runs, width: int) -> Table:
    tasks = [task for run in runs.values() for task in run.summary.tasks.values()]
    columns = ["task"] + (["model"] if len(runs) > 1 else [])
    columns += ["metric"] if any(metric_of(task) != Metric.ACCURACY for task in tasks) else []
    columns += ["n", "score", "95 % interval"]
    if width >= NARROW:  # else names and intervals would not fit
        columns += ["chance"] if any(task.chance for task in tasks) else []
        if any(LONGEST_OPTION in task.baselines and not task.reads_nothing for task in tasks):
            many = any(len(run.summary.tasks) > MANY_TASKS for run in runs.values())
            columns += ["longest"] if not many or _has_room(runs, columns, width - ROOM_PER_COLUMN) else []
    columns += [STRIP] if width >= WIDE and _has_room(runs, columns, width - STRIP_CELLS) else []
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        words = column in ("task", "model", "metric", STRIP)
        fold = column in ("task", "model")
        table.add_column(
            column,
            justify="left" if words else "right",
            overflow="fold",
            no_wrap=not fold,
            min_width=NARROWEST if fold else None,
        )
    for cells in _rows(runs):
        table.add_row(*(cells.get(column, "") for column in columns))
    if any(run.summary.averages for run in runs.values()):
        table.add_section()
        for cells in average_rows(runs):
            table.add_row(*(cells.get(column, "") for column in columns))
    return table


def _is_shortened(run: RunFolder) -> bool:
    tasks = run.summary.tasks.values()
    return len(tasks) > MANY_TASKS and any(task.groups or len(task.metrics) > 1 for task in tasks)


def _has_room(runs: Runs, columns: Sequence[str], width: int) -> bool:
    """Whether these columns fit without folding the names of tasks and averages."""
    names = [*(name for run in runs.values() for name in (*run.summary.tasks, *run.summary.averages)), "task"]
    return max(map(len, names)) + ROOM_PER_COLUMN * (len(columns) - 1) <= width


def _rows(runs: Runs) -> Iterator[dict[str, Text]]:
    for task in dict.fromkeys(name for run in runs.values() for name in run.summary.tasks):
        label = shown(task)
        for model, run in runs.items():
            if task in run.summary.tasks:
                short = len(run.summary.tasks) > MANY_TASKS
                yield from _task_rows(label, model, run.summary.tasks[task], short=short)
                label = ""


def _task_rows(label: str, model: str, task: TaskSummary, *, short: bool) -> Iterator[dict[str, Text]]:
    longest = task.baselines.get(LONGEST_OPTION)
    marks = {"┆": task.chance.value if task.chance else None, "◆": longest.value if longest else None}
    yield (
        cells_of(label, task.headline, marks)
        | _awaiting(task)
        | {
            "model": shown_text(model),
            "metric": Text(METRIC_WORDS.get(metric_of(task), metric_of(task).replace("_", " "))),
            "chance": Text(share_text(task.chance)),
            "longest": Text(share_text(longest)),
        }
    )
    if short:
        return
    for metric, estimate in list(task.metrics.items())[1:]:
        yield cells_of(f"  {metric.removeprefix('accuracy_').replace('_', ' ')}", estimate, {})
    for by, values in task.groups.items():
        for value, estimate in values.items():
            yield cells_of(f"  {shown(by, 30)} {shown(value, 40)}", estimate, {})


def metric_of(task: TaskSummary) -> str:
    """The name of the headline's metric."""
    return next(iter(task.metrics))


def _awaiting(task: TaskSummary) -> dict[str, Text]:
    if not task.awaiting:
        return {}
    return {"n": Text(f"{task.awaiting:,}"), "score": Text("awaits a judge", style="yellow")}


# ---------------------------------------------------------------- sentences


def _sentences(runs: Runs) -> list[str]:
    return _said_once({model: notices(run.summary) for model, run in runs.items()})


def _warnings(runs: Runs) -> list[str]:
    return _said_once({model: tuple(_warnings_of(run)) for model, run in runs.items()})


def _warnings_of(run: RunFolder) -> Iterator[str]:
    yield from dict.fromkeys([*run.manifest.warnings, *run.summary.warnings])
    if run.manifest.left_out:
        yield f"Left out, because this baseline only looks at options: {', '.join(run.manifest.left_out)}."
    said: dict[str, list[str]] = {}
    for name, task in run.summary.tasks.items():
        odd = f"{task.irregular:,} of {task.items:,} items are irregular in the source; they count like all others."
        # That nothing has been judged yet is said in words of its own.
        shaky = () if task.mode == "judge" and not task.counted else task.headline.warnings
        for line in (*task.warnings, *shaky, *([odd] if task.irregular else [])):
            said.setdefault(line, []).append(name)
    for name, average in run.summary.averages.items():
        for line in average.estimate.warnings:
            said.setdefault(line, []).append(name)
    many = len(run.summary.tasks) > 1
    for line, names in said.items():
        everywhere = many and set(names) >= run.summary.tasks.keys()
        yield f"{'all tasks' if everywhere else ', '.join(names)}: {line}" if many else line


def _said_once(lines: Mapping[str, Iterable[str]]) -> list[str]:
    """What holds for all models is said once, the rest with the names of those it holds for."""
    models: dict[str, list[str]] = {}
    for model, sentences in lines.items():
        for sentence in sentences:
            models.setdefault(sentence, []).append(model)
    return [line if len(names) == len(lines) else f"{', '.join(names)}: {line}" for line, names in models.items()]


def _footer(runs: Runs) -> Group:
    return Group(*(Text(_kept(run), style="dim", overflow="fold") for run in runs.values()))


def _kept(run: RunFolder) -> str:
    replies = run.manifest.replies
    counts = f"{replies.from_store:,} replies from the store, {replies.fresh:,} asked in this run"
    lost = f", {replies.failed:,} failed" if replies.failed else ""
    made = f"{counts}{lost}, {seconds_text(run.manifest.times.seconds)}"
    if run.manifest.rescored_from:
        made = f"scored anew, without asking anything, from {shown(run.manifest.rescored_from, 4096)}"
    return f"{made}{_cost_line(run.manifest)}. Kept in {shown(str(run.path), 4096)}"


def _cost_line(manifest: Manifest) -> str:
    cost = manifest.cost
    if cost is None:
        return ""
    return f", cost {cost.asked_now:.4f} {cost.currency} now, {cost.all_replies:.4f} in all"
