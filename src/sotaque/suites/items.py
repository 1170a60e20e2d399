"""The items of a suite's tasks, checked against the prompts that will use them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from sotaque.data.broken import BrokenRows
from sotaque.data.sources import Loaded, Place, in_folder, load
from sotaque.errors import UsageError
from sotaque.records import RunSpec
from sotaque.suites.asked import Asked, SuiteItems, task_items
from sotaque.suites.check import applies, templates
from sotaque.suites.faults import Fault, did_you_mean, raise_faults
from sotaque.suites.merge import placed
from sotaque.suites.schema import Suite, Task
from sotaque.suites.template import OPTIONS, placeholders

ROLE = "role"


def load_items(suite: Suite, source: str, tasks: Sequence[str] = ()) -> SuiteItems:
    """Read the items that some tasks need, from one source.

    Args:
        suite: the suite.
        source: as ``find_source`` takes it.
        tasks: their names; empty for all, or, where the source lacks files for that, for the suite's default tasks.

    Raises:
        UsageError: no such source or task.
        DataError, ChecksumError, ItemError: see ``data.sources.load``; ItemError also for items that lack a field
            some prompt needs, have more options than the task has labels, or no answer.
        SuiteError: a prompt, breakdown or cluster refers to something that no item has.
    """
    chosen = {name: task_named(suite, name) for name in tasks or _all_tasks(suite, source)}
    keys = frozenset(task.source for task in chosen.values())
    place = find_source(suite, source, keys)
    loaded = load(place, suite.languages[0], keys | _examples(suite, place, chosen.values()))
    faults = [fault for name, task in chosen.items() for fault in _unknown_names(name, task, loaded)]
    if faults:
        file = suite.folder / "suite.toml"
        raise_faults(placed(faults, suite.origins), file, file.read_text(encoding="utf-8-sig"))
    found = {name: task_items(task, loaded) for name, task in chosen.items()}
    for name, task in chosen.items():
        for view in (found[name].asked, found[name].examples):
            if view is not None:
                _check_rows(task, loaded, view)
    return SuiteItems(loaded.source, loaded.declared, loaded.spec, loaded.files, found)


def find_source(suite: Suite, source: str, keys: Collection[str] = ()) -> Place:
    """A source by its name in suite.toml, or by a folder that holds its files.

    "bundled" (and nothing at all) means the suite's default source where no source has that name.

    Raises:
        UsageError: no such source, or it lacks a file that is needed.
    """
    if source in ("", "bundled") and source not in suite.sources:
        source = suite.first_source
    if source not in suite.sources:
        folder = Path(source).expanduser()  # run folders write the user's home as ~
        if "/" not in source and not folder.exists():
            raise UsageError(f"'{suite.name}' has no source '{source}'", did_you_mean(source, suite.sources))
        usable = {name: spec for name, spec in suite.sources.items() if set(keys) <= spec.files.keys()}
        return in_folder(usable, folder, keys, suite.ref)
    spec = suite.sources[source]
    for key in sorted(set(keys) - spec.files.keys()):
        raise UsageError(f"source '{source}' of '{suite.name}' has no file '{key}'", f"it has: {', '.join(spec.files)}")
    return Place(source, source, spec, suite.folder, suite.ref)


def tasks_for(suite: Suite, spec: RunSpec) -> tuple[str, ...]:
    """The tasks that a run is about: the named ones, else the suite's default tasks; with a mode, those of the mode.

    A mode without names means all tasks of that mode, default or not.

    Raises:
        UsageError: no such task, or none of the wanted mode.
    """
    default = tuple(suite.tasks) if spec.mode else suite.default_tasks or tuple(suite.tasks)
    names = tuple(dict.fromkeys(spec.tasks)) or default
    wanted = tuple(name for name in names if spec.mode in (None, task_named(suite, name).mode))
    if not wanted:
        modes = ", ".join(f"{name} ({task.mode})" for name, task in suite.tasks.items())
        raise UsageError(f"none of these tasks has mode {spec.mode}", f"tasks of '{suite.name}': {modes}")
    return wanted


def task_named(suite: Suite, name: str) -> Task:
    """One task.

    Raises:
        UsageError: no such task.
    """
    if name not in suite.tasks:
        raise UsageError(f"'{suite.name}' has no task '{name}'", did_you_mean(name, suite.tasks))
    return suite.tasks[name]


def _all_tasks(suite: Suite, source: str) -> Sequence[str]:
    """Published sources lack the files of tasks of our own, which no run asks by default."""
    names = tuple(suite.tasks)
    if not suite.default_tasks:
        return names
    try:
        find_source(suite, source, frozenset(task.source for task in suite.tasks.values()))
    except UsageError:
        return suite.default_tasks
    return names


def _examples(suite: Suite, place: Place, tasks: Iterable[Task]) -> frozenset[str]:
    """The files of examples that this place has; a user's folder need not hold them."""
    wanted = {task.examples for task in tasks} & place.spec.files.keys()
    if place.source in suite.sources:
        return frozenset(wanted)
    return frozenset(key for key in wanted if (place.folder / place.spec.files[key].name).is_file())


def _unknown_names(name: str, task: Task, loaded: Loaded) -> Iterator[Fault]:
    items = loaded.files[task.source].items
    fields = dict.fromkeys(field for item in items for field in item.fields)
    metadata = dict.fromkeys(field for item in items for field in item.metadata)
    for place, template in templates(task).items():
        if not applies(task, place, loaded.declared):
            continue
        for field in placeholders(template):
            if field != OPTIONS and field not in fields:
                message = f"unknown placeholder {{{field}}}: no item of source '{loaded.source}' has such a field"
                yield Fault(("tasks", name, *place), message, did_you_mean(field, [*fields, OPTIONS]))
    for field in task.by:
        if field != ROLE and field not in metadata:
            yield Fault(("tasks", name, "by"), f"no item has '{field}'", did_you_mean(field, [*metadata, ROLE]))
    if task.gold and task.gold not in fields and task.gold not in metadata:
        known = dict.fromkeys([*fields, *metadata])
        yield Fault(("tasks", name, "gold"), f"no item has '{task.gold}'", did_you_mean(task.gold, known))
    if task.cluster and task.cluster not in metadata:
        yield Fault(("tasks", name, "cluster"), f"no item has '{task.cluster}'", did_you_mean(task.cluster, metadata))


def _check_rows(task: Task, loaded: Loaded, view: Asked) -> None:
    broken = BrokenRows(view.file.path, view.file.unit)
    prompts = {place: text for place, text in templates(task).items() if applies(task, place, loaded.declared)}
    needed = dict.fromkeys(field for text in prompts.values() for field in placeholders(text) if field != OPTIONS)
    for item, line in zip(view.items, view.lines, strict=True):
        missing = [field for field in needed if field not in item.fields]
        if missing:
            message = f"item '{item.id}' has no '{missing[0]}', which the prompt of task '{task.name}' needs"
            broken.add(line, message, _mended(missing[0], [field for field in item.fields if field not in needed]))
    _check_labels(task, view, broken)
    broken.check()


def _mended(missing: str, others: Sequence[str]) -> str:
    close = difflib.get_close_matches(missing, others, n=1)
    return f"rename its '{close[0]}' to '{missing}'" if close else f'add "{missing}" to the item'


def _check_labels(task: Task, view: Asked, broken: BrokenRows) -> None:
    for count in sorted({len(item.options) for item in view.items if item.options}):
        try:
            task.labels_of(count)
        except ValueError:
            at = next(index for index, item in enumerate(view.items) if len(item.options) == count)
            message = f"{count} options, and task '{task.name}' has too few labels ('{task.labels}')"
            broken.add(view.lines[at], message, "name more labels in suite.toml, or drop options")
