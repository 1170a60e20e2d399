"""The protocol of a family of tasks as a table: what was published and where, what we do, what is reconstructed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill

from sotaque.evaluate.record import PROTOCOL_FIELDS, protocol_fields
from sotaque.suites.schema import Protocol, Task

COVERS = {"decoding": ("temperature", "top_p"), "stop sequence": ("stop",)}
"""What ``reconstructed`` calls several fields, or one field by another name."""

OF_CHOICE = ("shots", "pick", "exclude")
MEANS = {
    "label": "the model writes a label",
    "option": "the model writes an option's text",
    "text": "the model writes a text",
}


@dataclass(frozen=True)
class Row:
    """One line.

    Attributes:
        published, default: values; empty where the field's name says all.
        stated: whether the paper says it; ``None`` where nothing was published.
        remark: where it is stated, if not in the paper; or in what way it is left open.
    """

    field: str
    published: str
    default: str
    stated: bool | None
    remark: str = ""


def same_way(task: Task) -> str:
    """Equal for tasks that are run in the same way; what their papers leave open may differ."""
    protocols = [each.model_copy(update={"reconstructed": ()}) for each in _both(task)]
    return repr((task.template, task.mode, task.answer, task.metrics, protocols))


def protocol_table(tasks: Sequence[Task]) -> str:
    """Every field of the protocols of tasks that are run in the same way, and what else their paper leaves open."""
    published, why = tasks[0].protocol.published, tasks[0].protocol.default.why
    paper = published.paper if published else ""
    lines = [
        "| field | published | by default | reconstructed | stated in |",
        "| --- | --- | --- | --- | --- |",
        *(_line(row, paper) for row in [*_rows(tasks[0]), *_left_open(tasks)]),
    ]
    reason = f"\n{fill(f'Why ours: {why}.', 120, break_on_hyphens=False)}\n" if why else ""
    return "\n".join(lines) + f"\n{reason}"


def _line(row: Row, paper: str) -> str:
    default = "the same" if row.published == row.default else row.default
    if row.stated is None:
        cells = [row.field, "nothing", row.default, "no: ours alone", "nowhere"]
    elif row.stated:
        cells = [row.field, row.published, default, "no", row.remark or paper]
    else:
        remark = f"left open ({row.remark})" if row.remark else "left open"
        ours = f"{remark}; ours: {row.published}" if row.published else f"{remark}; ours"
        cells = [row.field, ours, default, "**yes**", "nowhere"]
    return f"| {' | '.join(cells)} |"


def _rows(task: Task) -> Iterator[Row]:
    published, opened = task.protocol.published, _opened(task)
    metrics = [f"`{metric}`" for metric in task.metrics]
    of_task = {"mode": (_mode(task), _mode(task)), "metric": (metrics[0], ", ".join(metrics))}
    for name, (theirs, ours) in of_task.items():
        yield Row(name, theirs, ours, None if published is None else name not in opened)
    yield from _items_and_prompt(task)
    for name in _shown(task):
        stated = None if published is None else name in published.model_fields_set and name not in opened
        yield Row(name, _value(published, name), _value(task.protocol.default, name), stated, opened.get(name, ""))


def _items_and_prompt(task: Task) -> Iterator[Row]:
    if task.protocol.published is None:
        yield Row("items", "", "those of the other tasks", None)
        yield Row("prompt", "", "ours", None)
        return
    yield Row("items", "the authors' (`--source official`)", "our own (`bundled`)", True, "the data")
    if "official" in task.prompts:
        same = task.prompts["official"] == task.prompt
        ours = "the item's own text" if same else "ours, around our items"
        yield Row("prompt", "part of the published items", ours, True, "the data")
    else:
        yield Row("prompt", "", "", False)


def _left_open(tasks: Sequence[Task]) -> Iterator[Row]:
    """What a paper leaves open beside the fields; with the tasks, where it is not all of them."""
    fields = {"mode", "metric", *PROTOCOL_FIELDS, *COVERS}
    entries = {task.name: published.reconstructed for task in tasks if (published := task.protocol.published)}
    for entry in dict.fromkeys(each for listed in entries.values() for each in listed):
        if _head(entry) not in fields:
            having = [f"`{name}`" for name, listed in entries.items() if entry in listed]
            where = "" if len(having) == len(tasks) else f", of {', '.join(having)}"
            yield Row(f"{entry}{where}", "", "", False)


def _opened(task: Task) -> dict[str, str]:
    """The fields that the paper leaves open, with what is said about how."""
    published = task.protocol.published
    found: dict[str, str] = {}
    for entry in published.reconstructed if published else ():
        remark = entry.partition(" (")[2].removesuffix(")")
        found |= dict.fromkeys(COVERS.get(_head(entry), (_head(entry),)), remark)
    return found


def _head(entry: str) -> str:
    return entry.partition(" (")[0]


def _mode(task: Task) -> str:
    if task.mode == "judge":
        return "the model writes, a judge rates 1 to 5"
    if task.mode == "choose":
        return f"log-probability of each option's {task.choose}"
    return MEANS[task.answer]


def _both(task: Task) -> list[Protocol]:
    return [each for each in (task.protocol.published, task.protocol.default) if each]


def _shown(task: Task) -> Iterator[str]:
    known = {name for each in _both(task) for name in protocol_fields(each)}
    return (name for name in PROTOCOL_FIELDS if name in known and (task.mode != "choose" or name in OF_CHOICE))


def _value(protocol: Protocol | None, name: str) -> str:
    if protocol is None or name not in protocol_fields(protocol):
        return "none"
    value = getattr(protocol, name)
    if isinstance(value, tuple):
        return " ".join(f"`{each!r}`" for each in value) or "none"
    return value if isinstance(value, str) else f"{value:g}"
