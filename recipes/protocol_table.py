"""The protocol of a family of tasks as a table: what was published, what we do, what is reconstructed, and where it is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sotaque.evaluate.record import PROTOCOL_FIELDS, protocol_fields
from sotaque.suites.schema import Protocol, Task

COVERS = {"decoding": ("temperature", "top_p"), "stop sequence": ("stop",)}
"""What ``reconstructed`` calls several fields, or one field by another name."""

OF_CHOICE = ("shots", "pick", "exclude")
MEANS = {
    ("generate", "label"): "the model writes a label",
    ("generate", "option"): "the model writes an option's text",
    ("generate", "text"): "the model writes a text",
}


@dataclass(frozen=True)
class Row:
    """One line; ``stated`` is whether the paper says it, ``None`` where nothing was published."""

    field: str
    published: str
    default: str
    stated: bool | None
    remark: str = ""


def protocol_table(task: Task) -> str:
    """Every field of the protocols of a task, and what else its paper leaves open."""
    published = task.protocol.published
    paper = published.paper if published else ""
    lines = [
        "| field | published | by default | reconstructed | stated in |",
        "| --- | --- | --- | --- | --- |",
        *(_line(row, paper) for row in _rows(task)),
    ]
    why = f"\nWhy ours: {task.protocol.default.why}.\n" if task.protocol.default.why else ""
    return "\n".join(lines) + f"\n{why}"


def _line(row: Row, paper: str) -> str:
    if row.stated is None:
        cells = [row.field, "nothing", row.default, "no: ours", "nowhere"]
    elif row.stated:
        cells = [row.field, row.published, _unless_same(row), "no", row.remark or paper]
    else:
        cells = [row.field, f"not stated; ours: {row.published}", _unless_same(row), "**yes**", "nowhere"]
    return f"| {' | '.join(cells)} |"


def _unless_same(row: Row) -> str:
    return "the same" if row.published == row.default else row.default


def _rows(task: Task) -> Iterator[Row]:
    published = task.protocol.published
    opened = _opened(published)
    yield _of_task(task, "mode", _mode(task), opened)
    yield _of_task(task, "metric", ", ".join(f"`{metric}`" for metric in task.metrics), opened)
    yield from _items_and_prompt(task)
    for name in _shown(task):
        stated = None if published is None else name in published.model_fields_set and name not in opened
        yield Row(name, _value(published, name), _value(task.protocol.default, name), stated)
    fields = {"mode", "metric", *PROTOCOL_FIELDS, *COVERS}
    for entry in published.reconstructed if published else ():
        if _head(entry) not in fields:
            yield Row(entry, "as here", "as here", False)


def _of_task(task: Task, name: str, value: str, opened: set[str]) -> Row:
    return Row(name, value, value, None if task.protocol.published is None else name not in opened)


def _items_and_prompt(task: Task) -> Iterator[Row]:
    if task.protocol.published is None:
        yield Row("items", "", "those of its twin", None)
        yield Row("prompt", "", "ours", None)
        return
    yield Row("items", "the authors' (`--source official`)", "our own (`bundled`)", True, "the data")
    if "official" in task.prompts:
        same = task.prompts["official"] == task.prompt
        given = "part of the published items"
        yield Row("prompt", given, "the item's own text" if same else "ours, with our items", True, "the data")
    else:
        yield Row("prompt", "wording", "wording", False)


def _opened(published: Protocol | None) -> set[str]:
    """The fields that the paper leaves open."""
    heads = [_head(entry) for entry in published.reconstructed] if published else []
    return {name for head in heads for name in COVERS.get(head, (head,))}


def _head(entry: str) -> str:
    return entry.split(" (", 1)[0]


def _mode(task: Task) -> str:
    if task.mode == "judge":
        return "the model writes, a judge rates 1 to 5"
    if task.mode == "choose":
        return f"log-probability of each option's {task.choose}"
    return MEANS[task.mode, task.answer]


def _shown(task: Task) -> Iterator[str]:
    both = [each for each in (task.protocol.published, task.protocol.default) if each]
    known = {name for each in both for name in protocol_fields(each)}
    return (name for name in PROTOCOL_FIELDS if name in known and (task.mode != "choose" or name in OF_CHOICE))


def _value(protocol: Protocol | None, name: str) -> str:
    if protocol is None or name not in protocol_fields(protocol):
        return "none"
    value = getattr(protocol, name)
    if isinstance(value, tuple):
        return " ".join(f"`{each!r}`" for each in value) or "none"
    return value if isinstance(value, str) else f"{value:g}"
