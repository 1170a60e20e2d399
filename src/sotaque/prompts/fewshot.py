"""Worked examples before the question: they depend on (seed, item) only, so a limit never changes an item's prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from sotaque.errors import SuiteError
from sotaque.language.normalize import key
from sotaque.prompts.hashes import rank, shuffled
from sotaque.records import Item
from sotaque.suites.asked import TaskItems
from sotaque.suites.schema import Protocol, Task
from sotaque.suites.template import OPTIONS, placeholders


@dataclass(frozen=True, slots=True)
class Traits:
    """What decides whether an item may be an example for another: what it asks, and the cluster it belongs to."""

    content: str
    cluster: str


@dataclass(frozen=True)
class Pool:
    """The items that a task's examples are picked from: all of a file, whatever part of it a run asks about.

    Attributes:
        template: the prompt, whose fields decide whether two items ask the same.
    """

    task: Task
    source: TaskItems
    template: str
    seed: int

    def shots(self, item: Item, protocol: Protocol) -> tuple[Item, ...]:
        """As many examples for an item as the protocol wants, in the order in which they are shown.

        Never the item itself, whatever it is called: not the one with its id in the same file, none with its content,
        and none of its cluster unless the protocol excludes the item only.

        Raises:
            SuiteError: the pool is too small.
        """
        if not protocol.shots:
            return ()
        may = self._allowed(item, protocol)
        picked = list(islice(_PICKS[protocol.pick](self, item, may), protocol.shots))
        if len(picked) < protocol.shots:
            raise self._too_small(item, len(picked), protocol)
        if protocol.pick == "balanced":  # picked class by class: shown in an order that gives no class away
            picked = [picked[at] for at in shuffled(len(picked), self.seed, "order", item.id)]
        return tuple(self.source.pool[at] for at in picked)

    @cached_property
    def classes(self) -> Mapping[int, Sequence[int]]:
        """For each right class (or place of the right option, where options vary), which items of the pool have it."""
        members: dict[int, list[int]] = {}
        for at, item in enumerate(self.source.pool):
            if item.gold is not None:
                members.setdefault(item.gold, []).append(at)
        return members

    def _allowed(self, item: Item, protocol: Protocol) -> Callable[[int], bool]:
        own = self._traits_of(item)
        own_id = item.id if self.source.examples is None else None
        cluster = own.cluster if protocol.exclude == "cluster" else ""

        def may(at: int) -> bool:
            other = self._traits[at]
            same = self.source.pool[at].id == own_id or other.content == own.content
            return not same and not (cluster and other.cluster == cluster)

        return may

    def _too_small(self, item: Item, found: int, protocol: Protocol) -> SuiteError:
        what = f"examples in '{self.task.examples}'" if self.source.examples else "items"
        differ = "content and cluster" if protocol.exclude == "cluster" else "content"
        message = f"{protocol.shots} shots, but only {found} {what} differ from '{item.id}' in {differ}"
        remedy = "lower 'shots', or add examples" if self.source.examples else "lower 'shots', or add items"
        return SuiteError(message, file="suite.toml", place=f"tasks.{self.task.name}.protocol", remedy=remedy)

    @cached_property
    def _fields(self) -> tuple[str, ...]:
        used = [*placeholders(self.template), *placeholders(self.task.system)]
        return tuple(name for name in dict.fromkeys(used) if name != OPTIONS)

    @cached_property
    def _traits(self) -> Sequence[Traits]:
        return [self._traits_of(item) for item in self.source.pool]

    def _traits_of(self, item: Item) -> Traits:
        """Content is what a reader takes for the same question, whatever its spelling and order of options."""
        language = self.task.language
        fields = [key(item.fields[name], language) for name in self._fields]
        options = () if self.task.classes else sorted(key(option.text, language) for option in item.options)
        content = "\n".join([*fields, "", *options])
        return Traits(content, key(item.metadata.get(self.task.cluster, ""), language))


# ---------------------------------------------------------------- ways to pick, as places in the pool

_May = Callable[[int], bool]


def _first(pool: Pool, item: Item, may: _May) -> Iterator[int]:
    return filter(may, range(len(pool.source.pool)))


def _random(pool: Pool, item: Item, may: _May) -> Iterator[int]:
    return filter(may, shuffled(len(pool.source.pool), pool.seed, "shot", item.id))


def _balanced(pool: Pool, item: Item, may: _May) -> Iterator[int]:
    """One of each class in turn, the classes in an order drawn for the item; a class without examples left is passed.

    So after any number of shots two classes differ by at most one, unless the smaller has no more examples.
    """
    turns = sorted(pool.classes, key=lambda each: rank(pool.seed, "class", item.id, each))
    queues = [_members(pool, item, each, may) for each in turns]
    while queues:
        taken = [next(queue, None) for queue in queues]
        queues = [queue for queue, at in zip(queues, taken, strict=True) if at is not None]
        yield from _present(taken)


def _members(pool: Pool, item: Item, each: int, may: _May) -> Iterator[int]:
    members = pool.classes[each]
    drawn = shuffled(len(members), pool.seed, "shot", item.id, each)
    return (members[at] for at in drawn if may(members[at]))


def _present(places: Iterable[int | None]) -> Iterator[int]:
    return (at for at in places if at is not None)


_PICKS: Mapping[str, Callable[[Pool, Item, _May], Iterator[int]]] = {
    "first": _first,
    "random": _random,
    "balanced": _balanced,
}
