"""What a summary must know of a task besides its samples: chance, and what reading nothing is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from sotaque.data.sources import Loaded
from sotaque.models.baselines import PREFIX, Baseline, baseline
from sotaque.prompts.views import crowd, view
from sotaque.records import Item, ItemView, RunSpec, Sample
from sotaque.stats.intervals import Estimate, exact, no_items, proportion
from sotaque.suites.schema import Protocol, Task
from sotaque.summary.results import TaskFacts

BESIDE = ("longest", "shortest", "first", "rarest", "majority")
"""Baselines that every result is held against."""


def task_facts(
    tasks: Mapping[str, tuple[Task, Protocol]], loaded: Loaded, samples: Sequence[Sample], spec: RunSpec
) -> dict[str, TaskFacts]:
    """Facts by task, on the items (and option orders) that the samples asked about."""
    by_task: dict[str, dict[tuple[str, tuple[int, ...]], Sample]] = {name: {} for name in tasks}
    for sample in samples:
        by_task[sample.task].setdefault((sample.item, sample.order), sample)
    return {
        name: _facts(task, protocol, loaded, list(by_task[name].values()), spec)
        for name, (task, protocol) in tasks.items()
    }


def _facts(task: Task, protocol: Protocol, loaded: Loaded, asked: Sequence[Sample], spec: RunSpec) -> TaskFacts:
    items = {item.id: item for item in loaded.files[task.source].items}
    everyone = crowd(tuple(items.values()), task.language, spec.shuffle)
    views = [(sample, view(everyone, items[sample.item], sample.order)) for sample in asked]
    return TaskFacts(
        mode=task.mode,
        metrics=task.metrics,
        about=task.about,
        chance=_chance([items[name] for name in {sample.item: None for sample in asked}]),
        baselines={PREFIX + name: _estimate(baseline(name), views) for name in BESIDE},
        max_tokens=protocol.max_tokens if task.mode == "generate" else None,
        stop=protocol.stop,
        reads_nothing=spec.model.startswith(PREFIX),
    )


def _chance(items: Sequence[Item]) -> Estimate:
    """Of guessing blindly: known exactly, so it has no interval."""
    shares = [1 / len(item.options) for item in items]
    return exact(fsum(shares) / len(shares), len(shares)) if shares else no_items()


def _estimate(rule: Baseline, views: Sequence[tuple[Sample, ItemView]]) -> Estimate:
    """A baseline's credit: 1/k where the right option is among the k it picks.

    Several orders of one item are averaged first, as for any model.
    """
    credits: dict[str, list[float]] = {}
    clusters: dict[str, str] = {}
    for sample, seen in views:
        picked = rule.picks(seen)
        right = sample.gold is not None and sample.order.index(sample.gold) in picked
        credits.setdefault(sample.item, []).append(1 / len(picked) if right else 0.0)
        clusters[sample.item] = sample.cluster
    return proportion([fsum(values) / len(values) for values in credits.values()], list(clusters.values()))
