"""What must fit together in a suite's averages: their parts exist, and none is a part of itself."""

from __future__ import annotations

from collections.abc import Iterator

from sotaque.suites.faults import Fault, did_you_mean
from sotaque.suites.schema import Suite


def average_faults(suite: Suite) -> Iterator[Fault]:
    """All faults of all averages."""
    for name, average in suite.averages.items():
        path = ("averages", name, "of")
        if name in suite.tasks:
            yield Fault(("averages", name), f"'{name}' is a task", "give the average another name")
        for part in average.of:
            if part not in suite.tasks and part not in suite.averages:
                known = [*suite.tasks, *suite.averages]
                yield Fault(path, f"there is no task or average '{part}'", did_you_mean(part, known))
        if len(set(average.of)) < len(average.of):
            yield Fault(path, "a part is named twice", "name each part once")
        if _contains(suite, name, name, frozenset()):
            yield Fault(path, f"'{name}' is a part of itself", "let averages be made of tasks and smaller averages")


def _contains(suite: Suite, name: str, wanted: str, seen: frozenset[str]) -> bool:
    """Whether an average has another as a part, or as a part of a part."""
    parts = [part for part in suite.averages[name].of if part in suite.averages]
    later = seen | {name}
    return wanted in parts or any(_contains(suite, part, wanted, later) for part in parts if part not in later)
