"""The plain sentences about what a score shows, against guessing and against shortcuts.

Two rules, and nothing beyond them:

1. A baseline that reads no question is *far above chance* when the lower end of its interval is more than 10
   percentage points above chance.
2. A model *clears* chance, or a baseline, when the lower end of its own interval is above it. It is below when the
   upper end is. Otherwise the two are not distinguishable on these items. (This compares an interval with a value;
   `compare` pairs the items.)
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

from sotaque.stats.intervals import Estimate
from sotaque.summary.results import Summary, TaskSummary

FAR_ABOVE = 0.10
MANY_TASKS = 8

HABITS = {
    "longest": "picking the longest option",
    "shortest": "picking the shortest option",
    "rarest": "picking the option whose text is rarest in the file",
    "first": "always picking the first option",
    "majority": "always picking the place that is right most often",
}
NOT_A_SHORTCUT = frozenset({"chance", "oracle"})


def notices(summary: Summary) -> tuple[str, ...]:
    """Sentences about all tasks, each naming its task where there are several; of many tasks, a few for all of them."""
    many = len(summary.tasks) > 1
    if len(summary.tasks) > MANY_TASKS:
        return tuple(_of_many(summary))
    return tuple(
        f"{name}: {sentence}" if many else sentence
        for name, task in summary.tasks.items()
        for sentence in (*_shortcuts(task), *_standing(task))
    )


def percent(share: float, places: int = 1) -> str:
    """A share as people write it, "90.4 %" for 0.9035: halves are rounded up, as by hand."""
    scale = 10**places
    return f"{floor(share * 100 * scale + 0.5 + 1e-9) / scale:.{places}f} %"


def _of_many(summary: Summary) -> Iterator[str]:
    """The same rules; each verdict is said once, with the tasks that it holds for."""
    far = [(name, *best) for name, task in summary.tasks.items() for best in _far_above(task)[:1]]
    if far:
        listed = ", ".join(f"{name} ({_short(rule)} {percent(value)})" for name, rule, value in far)
        yield (
            f"Without reading anything, a simple rule scores far above chance in {listed}: a score near that shows "
            "nothing about understanding."
        )
    said: dict[str, list[str]] = {}
    for name, task in summary.tasks.items():
        for verb, rival, _ in _verdicts(task):
            what = rival if rival == "chance" else "the best rule that reads nothing"
            said.setdefault(f"The score {verb} {what} in", []).append(name)
    for verdict, names in said.items():
        yield f"{verdict} {', '.join(names)}."


def _shortcuts(task: TaskSummary) -> Iterator[str]:
    for name, value in _far_above(task):
        chance = task.chance.value if task.chance and task.chance.value is not None else 0.0
        yield (
            f"{_capital(_habit(name, task))}, without reading anything, scores {percent(value)} here "
            f"(chance {percent(chance)}): a score near that shows nothing about understanding."
        )


def _far_above(task: TaskSummary) -> list[tuple[str, float]]:
    """Baselines far above chance, best first."""
    if task.chance is None or task.chance.value is None:
        return []
    bar = task.chance.value + FAR_ABOVE
    return [(n, e.value) for n, e in _ranked(task) if e.value is not None and e.low is not None and e.low > bar]


def _standing(task: TaskSummary) -> Iterator[str]:
    for verb, name, value in _verdicts(task):
        yield f"The score of {percent(task.headline.value or 0.0)} {verb} {_habit(name, task)} ({percent(value)})."


def _verdicts(task: TaskSummary) -> Iterator[tuple[str, str, float]]:
    """Where the model stands: against chance first, and only if it clears that, against the best shortcut."""
    mark = task.headline
    if task.reads_nothing:
        return
    if mark.value is None or mark.low is None or mark.high is None:
        return
    rivals = [("chance", task.chance), *_ranked(task)[:1]]
    for name, rival in rivals:
        if rival is None or rival.value is None or mark.low > rival.value:
            continue
        yield "is below" if mark.high < rival.value else "is not distinguishable from", name, rival.value
        return


def _ranked(task: TaskSummary) -> list[tuple[str, Estimate]]:
    """Shortcuts, best first."""
    shortcuts = [(name, mark) for name, mark in task.baselines.items() if _short(name) not in NOT_A_SHORTCUT]
    return sorted(shortcuts, key=lambda pair: -(pair[1].value or 0.0))


def _habit(name: str, task: TaskSummary) -> str:
    if name == "chance":
        return name
    if _short(name) == "majority" and (task.classes or task.chance is None):
        return f"always giving the {'class' if task.classes else 'answer'} that is right most often"
    return HABITS.get(_short(name), f"the baseline {_short(name)}")


def _short(name: str) -> str:
    return name.removeprefix("baseline/")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
