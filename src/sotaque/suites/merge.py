"""Templates: what several tasks of a suite have in common, put into each of them before anything is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sotaque.suites.faults import Fault, did_you_mean
from sotaque.suites.schema import KeyPath, Origins

Table = dict[str, Any]

_BY_KEY: tuple[KeyPath, ...] = (("protocol",), ("protocol", "published"), ("protocol", "default"))
"""Tables of a task that are merged key by key; any other value is taken whole."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A suite whose tasks have the keys of their templates.

    Attributes:
        origins: for each key that a task took over, where it stands.
    """

    suite: Table
    origins: Origins
    faults: tuple[Fault, ...]


def merge_templates(raw: Table) -> Merged:
    """Give each task what its template says, where it says nothing itself.

    What is not a table is left as it is: the check of shapes names it.
    """
    templates, tasks = _tables(raw.get("templates")), _tables(raw.get("tasks"))
    origins: dict[KeyPath, KeyPath] = {}
    merged: Table = {}
    for name, task in tasks.items():
        used = task.get("template", "")
        template = templates.get(used, {}) if isinstance(used, str) else {}
        merged[name] = _merged(task, template, (), origins, (("tasks", name), ("templates", str(used))))
    faults = (*_unknown(templates, tasks), *_nested(templates), *_unused(templates, tasks))
    known = raw["tasks"] | merged if isinstance(raw.get("tasks"), dict) else raw.get("tasks")
    return Merged({**raw, "tasks": known} if "tasks" in raw else raw, origins, faults)


def placed(faults: list[Fault], origins: Origins) -> list[Fault]:
    """The same faults at the keys that a writer can see; what several tasks took from one template is said once."""
    moved = (Fault(_origin(fault.path, origins), fault.message, fault.remedy) for fault in faults)
    first: dict[tuple[KeyPath, str], Fault] = {}
    for fault in moved:
        first.setdefault((fault.path, fault.message), fault)
    return list(first.values())


def _merged(task: Table, template: Table, inside: KeyPath, origins: dict[KeyPath, KeyPath], roots: Any) -> Table:  # noqa: ANN401
    own, theirs = roots
    found: Table = dict(task)
    for key, value in template.items():
        path = (*inside, key)
        if key not in task:
            found[key] = value
            origins[(*own, *path)] = (*theirs, *path)
        elif path in _BY_KEY and isinstance(task[key], dict) and isinstance(value, dict):
            found[key] = _merged(cast(Table, task[key]), cast(Table, value), path, origins, roots)
    return found


def _origin(path: KeyPath, origins: Origins) -> KeyPath:
    for end in range(len(path), 0, -1):
        if path[:end] in origins:
            return (*origins[path[:end]], *path[end:])
    return path


def _tables(value: object) -> dict[str, Table]:
    if not isinstance(value, dict):
        return {}
    return {name: cast(Table, each) for name, each in cast(Table, value).items() if isinstance(each, dict)}


def _unknown(templates: Mapping[str, Table], tasks: Mapping[str, Table]) -> Iterator[Fault]:
    for name, task in tasks.items():
        used = task.get("template", "")
        if isinstance(used, str) and used and used not in templates:
            remedy = did_you_mean(used, templates, "" if templates else "write it: [templates.NAME]")
            yield Fault(("tasks", name, "template"), f"there is no template '{used}'", remedy)


def _nested(templates: Mapping[str, Table]) -> Iterator[Fault]:
    for name, template in templates.items():
        if "template" in template:
            path = ("templates", name, "template")
            yield Fault(path, "a template takes nothing from another template", "write its keys out")


def _unused(templates: Mapping[str, Table], tasks: Mapping[str, Table]) -> Iterator[Fault]:
    used = {str(task.get("template", "")) for task in tasks.values()}
    for name in templates:
        if name not in used:
            path = ("templates", name)
            yield Fault(path, "no task uses this template", f'write template = "{name}" in a task, or drop it')
