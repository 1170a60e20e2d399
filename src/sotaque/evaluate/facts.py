"""What a summary must know of a task besides its samples: chance, and what reading nothing is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from sotaque.data.sources import Loaded
from sotaque.models.baselines import PREFIX, baseline
from sotaque.prompts.views import Crowd, crowd, view
from sotaque.records import Guess, Item, Reply, RunSpec, Sample
from sotaque.scoring.score import score_reply
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
    return TaskFacts(
        mode=task.mode,
        metrics=task.metrics,
        about=task.about,
        chance=_chance(items, asked),
        baselines={PREFIX + name: _estimate(name, task, items, everyone, asked) for name in BESIDE},
        max_tokens=protocol.max_tokens if task.mode == "generate" else None,
        stop=protocol.stop,
        reads_nothing=spec.model.startswith(PREFIX),
    )


def _chance(items: Mapping[str, Item], asked: Sequence[Sample]) -> Estimate:
    """Of guessing blindly: known exactly, so it has no interval."""
    shares = [1 / len(items[item].options) for item in {sample.item for sample in asked}]
    return exact(fsum(shares) / len(shares), len(shares)) if shares else no_items()


def _estimate(name: str, task: Task, items: Mapping[str, Item], everyone: Crowd, asked: Sequence[Sample]) -> Estimate:
    """A baseline's credit on the asked items; several orders of one item are averaged first, as for any model."""
    rule = baseline(name)
    credits: dict[str, list[float]] = {}
    for sample in asked:
        item = items[sample.item]
        ((_, reply),) = rule.answer([Guess(view(everyone, item, sample.order))])
        assert isinstance(reply, Reply)
        score = score_reply(item, sample.order, reply, task.reading(len(item.options)))
        credits.setdefault(item.id, []).append(score.values[task.metrics[0]])
    clusters = [task.cluster_of(items[item]) for item in credits]
    return proportion([sum(values) / len(values) for values in credits.values()], clusters)
