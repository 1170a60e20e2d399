"""A task's view of the items of its file: which it asks about, with which options, and what is right.

One file can serve several tasks, each of which takes another field for its answer. An item as a task sees it is a new
``Item``; what the file holds is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sotaque.data.broken import BrokenRows, RowFault
from sotaque.data.sources import Loaded, LoadedFile
from sotaque.language.normalize import key
from sotaque.records import Item, Option
from sotaque.suites.schema import Task


@dataclass(frozen=True, slots=True)
class Asked:
    """The items of one file as one task sees them.

    Attributes:
        lines: for each item the line it begins in, from 1.
        not_applicable: items of the file that have no answer to this task's question.
    """

    file: LoadedFile
    items: tuple[Item, ...]
    lines: tuple[int, ...]
    not_applicable: int = 0


@dataclass(frozen=True, slots=True)
class TaskItems:
    """What a task asks about, and the pool that its examples come from.

    Attributes:
        examples: of a file of its own, or ``None`` where the examples are other items of the same file.
    """

    asked: Asked
    examples: Asked | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that are asked about."""
        return self.asked.items

    @property
    def pool(self) -> tuple[Item, ...]:
        """The items that examples are picked from."""
        return (self.examples or self.asked).items


@dataclass(frozen=True, slots=True)
class SuiteItems(Loaded):
    """A source as it was read, and what each task makes of it."""

    tasks: Mapping[str, TaskItems]


def task_items(task: Task, loaded: Loaded) -> TaskItems:
    """A task's view of its file, and of its file of examples where the source has one.

    Raises:
        ItemError: rows that the task cannot ask about, all of them at once for each file.
    """
    examples = loaded.files.get(task.examples) if task.examples else None
    return TaskItems(asked(task, loaded.files[task.source]), asked(task, examples) if examples else None)


def asked(task: Task, file: LoadedFile) -> Asked:
    """A task's view of one file.

    Raises:
        ItemError: a gold that is none of the classes or options, or an item without what it takes to answer it; names
            file and line of each.
    """
    if not task.gold and not task.is_open:
        return _checked(task, file)
    broken = BrokenRows(file.path, file.unit)
    found = list(_seen(task, file, broken))
    broken.check()
    return Asked(file, tuple(item for item, _ in found), tuple(line for _, line in found), len(file.items) - len(found))


def _seen(task: Task, file: LoadedFile, broken: BrokenRows) -> Iterator[tuple[Item, int]]:
    see, shared = _way(task), tuple(map(Option, task.classes))
    for item, line in zip(file.items, file.lines, strict=True):
        gold = _gold_text(task, item)
        if task.gold and not gold.strip():
            continue
        try:
            yield see(task, item, gold, shared), line
        except RowFault as fault:
            broken.add(line, fault.message, fault.remedy)


def _checked(task: Task, file: LoadedFile) -> Asked:
    """The items as they are; each must have options, and one of them must be right."""
    broken = BrokenRows(file.path, file.unit)
    for item, line in zip(file.items, file.lines, strict=True):
        if not item.options:
            broken.add(line, f"item '{item.id}' has no options, and task '{task.name}' chooses", 'add "options"')
        elif item.gold is None:
            remedy = "give \"gold\", or one option the role 'correct'"
            broken.add(line, f"item '{item.id}' has no right option", remedy)
    broken.check()
    return Asked(file, file.items, file.lines)


_See = Callable[[Task, Item, str, tuple[Option, ...]], Item]


def _way(task: Task) -> _See:
    if task.mode == "judge":
        return _judged
    if task.is_open:
        return _open
    return _of_a_class if task.classes else _of_its_own_options


def _judged(task: Task, item: Item, gold: str, classes: tuple[Option, ...]) -> Item:
    return replace(item, options=(), gold=None, answers=(gold,) if gold else item.answers)


def _open(task: Task, item: Item, gold: str, classes: tuple[Option, ...]) -> Item:
    answers = (gold,) if gold else item.answers
    if not answers and item.gold is not None:
        answers = (item.options[item.gold].text,)
    if not answers:
        remedy = 'add "answers", or name the field that holds the answer: gold = "FIELD" in the task'
        raise RowFault(f"item '{item.id}' has no answer, and task '{task.name}' asks for one", remedy)
    return replace(item, options=(), gold=None, answers=answers)


def _of_a_class(task: Task, item: Item, gold: str, classes: tuple[Option, ...]) -> Item:
    return replace(item, options=classes, gold=_index(task, item, gold, classes, "classes"), answers=())


def _of_its_own_options(task: Task, item: Item, gold: str, classes: tuple[Option, ...]) -> Item:
    if not item.options:
        remedy = 'add "options", or give the task its classes'
        raise RowFault(f"item '{item.id}' has no options, and task '{task.name}' chooses", remedy)
    return replace(item, gold=_index(task, item, gold, item.options, "options"), answers=())


def _index(task: Task, item: Item, gold: str, options: tuple[Option, ...], what: str) -> int:
    wanted = key(gold, task.language)
    hits = [index for index, option in enumerate(options) if key(option.text, task.language) == wanted]
    if len(hits) == 1:
        return hits[0]
    known = ", ".join(option.text for option in options)
    if hits:
        raise RowFault(f"item '{item.id}': {len(hits)} options read '{gold}'", "an item names each option once")
    message = f"item '{item.id}': '{gold}' (its '{task.gold}') is none of the {what} of task '{task.name}'"
    raise RowFault(message, f"{what}: {known}")


def _gold_text(task: Task, item: Item) -> str:
    return item.fields.get(task.gold) or item.metadata.get(task.gold, "") if task.gold else ""
