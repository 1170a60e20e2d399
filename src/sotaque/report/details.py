"""What a table says of each task beyond its score: outcomes, roles, baselines, clusters, time and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sotaque.records import Outcome
from sotaque.report.cells import share_text
from sotaque.report.display import shown
from sotaque.runs import RunFolder
from sotaque.stats.intervals import Estimate
from sotaque.summary import TaskSummary, percent
from sotaque.summary.results import NO_ANSWER, TIED

LONGEST_OPTION = "baseline/longest"
PLAIN_OUTCOMES = (Outcome.CORRECT, Outcome.WRONG, Outcome.GRADED)
NOTABLE = frozenset(Outcome) - {*PLAIN_OUTCOMES, Outcome.TIE, Outcome.AWAITING}
MANY_TASKS = 8
MANY_NOTES = 3
OUTCOME_WORDS = {
    Outcome.TRUNCATED: "cut off",
    Outcome.INVALID: "unreadable",
    Outcome.AWAITING: "awaiting a judge",
    Outcome.ERROR: "no reply",
}

Runs = Mapping[str, RunFolder]


def details(runs: Runs) -> RenderableType:
    """Per task: outcomes, roles, baselines, clusters, time and tokens."""
    if len(runs) > 1:
        return Group(*_details_of_many(runs))
    grid = pairs()
    for name, task in told_in_detail(next(iter(runs.values()))):
        label = shown(name, 40)
        for line in _detail_lines(task):
            grid.add_row(Text(label), line)
            label = ""
    return grid


def _details_of_many(runs: Runs) -> Iterator[RenderableType]:
    for model, run in runs.items():
        for name, task in told_in_detail(run):
            yield Text(f"{shown(name)}, {shown(model)}", style="dim")
            for line in _detail_lines(task):
                yield Padding(line, (0, 0, 0, 2))


def told_in_detail(run: RunFolder) -> list[tuple[str, TaskSummary]]:
    """All tasks; of many, those of which there is more to say than right and wrong."""
    tasks = list(run.summary.tasks.items())
    if len(tasks) <= MANY_TASKS:
        return tasks
    return [pair for pair in tasks if any(pair[1].outcomes.get(kind) for kind in NOTABLE) or _remarked(pair[1])]


def _remarked(task: TaskSummary) -> bool:
    return bool(task.warnings or task.notes)


def _detail_lines(task: TaskSummary) -> Iterator[Text]:
    lines = (_outcomes(task), _not_asked(task), _roles(task), _baselines(task), _clustering(task.headline), _cost(task))
    return (line for line in (*lines, *_notes(task)) if line)


def _notes(task: TaskSummary) -> Iterator[Text]:
    """What the adapter noted; the rarer notes are in the record."""
    for note, count in list(task.notes.items())[:MANY_NOTES]:
        yield Text(f"{count:,} {'reply' if count == 1 else 'replies'}: {shown(note, 400)}", style="dim")
    if rest := sum(list(task.notes.values())[MANY_NOTES:]):
        yield Text(f"{rest:,} more notes on replies are in samples.jsonl", style="dim")


def _outcomes(task: TaskSummary) -> Text:
    parts = [
        (f"{count:,} {OUTCOME_WORDS.get(kind, kind.value)}", "" if kind in PLAIN_OUTCOMES else "yellow")
        for kind, count in task.outcomes.items()
        if count
    ]
    if task.ties > task.outcomes[Outcome.TIE]:
        parts.append((f"{task.ties - task.outcomes[Outcome.TIE]:,} of the wrong ones tied", ""))
    return Text(", ").join(Text(words, style=style) for words, style in parts)


def _not_asked(task: TaskSummary) -> Text | None:
    if not task.not_applicable:
        return None
    return Text(f"{task.not_applicable:,} items have no answer to this question and were not asked", style="dim")


def _roles(task: TaskSummary) -> Text | None:
    if not task.roles:
        return None
    shares = {role: share for role, share in task.roles.items() if share or role not in (TIED, NO_ANSWER)}
    return Text("picked: " + ", ".join(f"{shown(role, 40)} {percent(share)}" for role, share in shares.items()))


def _baselines(task: TaskSummary) -> Text | None:
    """All baselines, where there are more than the one that has a column."""
    if task.reads_nothing or not set(task.baselines) - {LONGEST_OPTION}:
        return None
    ranked = sorted(task.baselines.items(), key=lambda pair: -(pair[1].value or 0.0))
    return Text(
        "baselines: " + ", ".join(f"{shown(n.removeprefix('baseline/'), 40)} {share_text(e)}" for n, e in ranked)
    )


def _clustering(headline: Estimate) -> Text | None:
    if headline.clusters == headline.n:
        return None
    resampled = headline.method.startswith("bootstrap")
    worth = "resampled" if resampled else f"design effect {headline.deff:.2f}"
    return Text(f"interval over {headline.clusters:,} independent groups of items, {worth}", style="dim")


def _cost(task: TaskSummary) -> Text | None:
    if task.median_seconds is None or task.reads_nothing:
        return None
    usage = task.usage
    tokens = f", {usage.prompt:,} tokens in, {usage.completion:,} out" if usage.prompt or usage.completion else ""
    thought = f" ({usage.reasoning:,} of them reasoning)" if usage.reasoning else ""
    return Text(f"{seconds_text(task.median_seconds)} a reply (median){tokens}{thought}", style="dim")


def seconds_text(seconds: float) -> str:
    """A duration in two or three digits."""
    return f"{seconds * 1000:.2g} ms" if seconds < 0.095 else f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def pairs() -> Table:
    """A grid of names and what belongs to them."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid
