"""What a report says about a run before it shows a number: items, protocol, subset, model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from sotaque.records import RunSpec
from sotaque.runs import Manifest, SourceRecord, TaskRecord

MANY_NAMES = 8
UNITS = {"max_tokens": "tokens", "shots": "shots"}


def heading(manifest: Manifest) -> str:
    """The suite, by title, name and version."""
    return f"{manifest.suite.title} ({manifest.suite.name} {manifest.suite.version})"


def facts(manifest: Manifest) -> dict[str, str]:
    """All that runs must share to stand in one table."""
    lines = {"items": items_line(manifest.source), "protocol": protocol_line(manifest)}
    if subset := subset_line(manifest.spec):
        lines["subset"] = subset
    return lines


def items_line(source: SourceRecord) -> str:
    """Whose items these are, and what that means for the numbers."""
    revision = f"revision {source.revision[:12]}" if source.revision else ""
    name = "" if source.name == "bundled" and source.provenance.notice else source.name
    return ", ".join(part for part in (name, revision, source.provenance.notice) if part)


def protocol_line(manifest: Manifest) -> str:
    """How near the run is to the paper: what was reconstructed, where we differ, and why."""
    lines = {name: _task_protocol(task) for name, task in manifest.tasks.items()}
    start = "protocol as published" if manifest.protocol == "published" else "default protocol"
    return start + _said_once(lines)


def subset_line(spec: RunSpec) -> str:
    """Which part of the items was asked, and how, where it was not all of them once."""
    parts = {
        f"{spec.limit} items per task, drawn by seed {spec.seed}": spec.limit is not None,
        f"the first {spec.first} items of each task": spec.first is not None,
        f"{len(spec.items)} named items": bool(spec.items),
        f"options reordered by seed {spec.shuffle}": spec.shuffle is not None,
        "each item in every rotation of its options": spec.permute,
        f"{spec.repeat} answers per item": spec.repeat > 1,
        f"{spec.shots} shots, by --shots": spec.shots is not None,
    }
    return ", ".join(part for part, holds in parts.items() if holds)


def model_line(manifest: Manifest) -> str:
    """The model, what it is, and how prompts were rendered."""
    model = manifest.model
    tasks: dict[str, list[str]] = {}
    for name, task in manifest.tasks.items():
        if task.rendering:
            tasks.setdefault(task.rendering, []).append(name)
    about = f"{model.name}: {model.about}" if model.about and model.about != model.name else model.name
    if len(tasks) <= 1:
        return f"{about} ({next(iter(tasks))} prompts)" if tasks else about
    used = "; ".join(f"as {rendering}: {names_line(names)}" for rendering, names in tasks.items())
    return f"{about} ({used})"


def names_line(names: Sequence[str]) -> str:
    """Names in a row; of many, the first three and how many more."""
    if len(names) <= MANY_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} more"


def private_line(manifest: Manifest) -> str:
    """The mark that every rendering of a private copy bears; empty for others."""
    if not manifest.private:
        return ""
    share = manifest.source.provenance.share
    return f"PRIVATE COPY: holds texts of items that may not be passed on (share = {share})"


def _task_protocol(task: TaskRecord) -> str:
    said = f", {_list(task.reconstructed)} reconstructed" if task.reconstructed else ""
    if task.published:
        differences = (_difference(name, task.fields.get(name), theirs) for name, theirs in task.published.items())
        said += f": {_list(differences)}" + (f" ({task.why})" if task.why else "")
    return said


def _difference(name: str, ours: object, theirs: object) -> str:
    if name in UNITS:
        return f"{_value(ours)} {UNITS[name]} where the paper has {_value(theirs)}"
    return f"{name} {_value(ours)} where the paper has {_value(theirs)}"


def _value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return "[" + ", ".join(_value(part) for part in cast(list[object], value)) + "]"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _said_once(lines: Mapping[str, str]) -> str:
    """One clause for all tasks, or each distinct clause with its tasks."""
    tasks: dict[str, list[str]] = {}
    for name, line in lines.items():
        tasks.setdefault(line, []).append(name)
    if len(tasks) <= 1:
        return next(iter(tasks), "")
    return "; " + "; ".join(f"{names_line(names)}{line or ' as it is'}" for line, names in tasks.items())


def _list(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
