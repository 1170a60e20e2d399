"""Which items a run uses. What is left out never changes the prompt of what stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sotaque.errors import UsageError
from sotaque.prompts.hashes import rank
from sotaque.records import Item, RunSpec

_SHOWN = 10


def select(items: Mapping[str, Sequence[Item]], spec: RunSpec) -> dict[str, tuple[Item, ...]]:
    """Choose items per task, in the order of the source.

    Args:
        items: all items, by task.
        spec: ``items`` (ids, as "task/id" or "id" in every task), ``limit`` (a sample by seeded hash of the id) and
            ``first``. A limit applies to what the ids leave.

    Raises:
        UsageError: an id that no task has, ``limit`` and ``first`` together, or one of them below 1.
    """
    _check(items, spec)
    return {task: _some(_named(task, some, items, spec), spec) for task, some in items.items()}


def _check(items: Mapping[str, Sequence[Item]], spec: RunSpec) -> None:
    if spec.limit is not None and spec.first is not None:
        raise UsageError("--limit and --first exclude each other", "--limit draws at random, --first takes the first")
    for option, value in (("--limit", spec.limit), ("--first", spec.first)):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value}: not a number of items", "give 1 or more")
    known = {item.id for some in items.values() for item in some}
    known |= {f"{task}/{item.id}" for task, some in items.items() for item in some}
    unknown = sorted(spec.items - known)
    if unknown:
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        message = f"no such items: {', '.join(unknown[:_SHOWN])}{more}"
        raise UsageError(message, f"write ids as in the source, or TASK/ID; tasks of this run: {', '.join(items)}")


def _named(task: str, some: Sequence[Item], items: Mapping[str, Sequence[Item]], spec: RunSpec) -> Sequence[Item]:
    if not spec.items:
        return some
    elsewhere = {f"{other}/{item.id}" for other, others in items.items() if other != task for item in others}
    wanted = {name for name in spec.items if name not in elsewhere}
    return [item for item in some if item.id in wanted or f"{task}/{item.id}" in wanted]


def _some(items: Sequence[Item], spec: RunSpec) -> tuple[Item, ...]:
    if spec.first is not None:
        return tuple(items[: spec.first])
    if spec.limit is None or spec.limit >= len(items):
        return tuple(items)
    drawn = set(sorted((item.id for item in items), key=lambda name: rank(spec.seed, "limit", name))[: spec.limit])
    return tuple(item for item in items if item.id in drawn)
