"""Worked examples before the question: chosen by (seed, item), so that a limit never changes an item's prompt."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sotaque.errors import SuiteError
from sotaque.language.normalize import key
from sotaque.prompts.hashes import rank
from sotaque.records import Item
from sotaque.suites.schema import Task


@dataclass(frozen=True)
class Pool:
    """All items of a task's file, whatever part of them a run uses."""

    task: Task
    items: Sequence[Item]
    seed: int

    def shots(self, item: Item, count: int) -> tuple[Item, ...]:
        """That many other items: none with the item's id, its content, or its cluster.

        Raises:
            SuiteError: the pool is too small.
        """
        if not count:
            return ()
        content, cluster = self._traits[item.id]
        others = [
            other
            for other in self.items
            if other.id != item.id and self._traits[other.id][0] != content and self._traits[other.id][1] != cluster
        ]
        if len(others) < count:
            message = f"{count} shots, but only {len(others)} items differ from '{item.id}' in content and cluster"
            remedy = "lower 'shots', or add items"
            raise SuiteError(message, file="suite.toml", place=f"tasks.{self.task.name}.protocol", remedy=remedy)
        return tuple(heapq.nsmallest(count, others, key=lambda other: rank(self.seed, "shot", item.id, other.id)))

    @cached_property
    def _traits(self) -> Mapping[str, tuple[str, str]]:
        return {item.id: (_content(item, self.task.language), self.task.cluster_of(item)) for item in self.items}


def _content(item: Item, language: str) -> str:
    """What a reader would take for the same question: fields and options, whatever their order and spelling."""
    options = sorted(key(option.text, language) for option in item.options)
    fields = [key(item.fields[name], language) for name in sorted(item.fields)]
    return "\n".join([*fields, "", *options])
