"""What a summary must know of a task besides its samples: chance, and what reading nothing is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum

from sotaque.models.baselines import PREFIX, Baseline, baseline
from sotaque.prompts.views import crowd_of, view
from sotaque.records import Item, ItemView, Metric, Outcome, Reply, RunSpec, Sample, Score
from sotaque.scoring.score import score_reply
from sotaque.stats.intervals import Estimate, exact, no_items
from sotaque.suites.asked import SuiteItems
from sotaque.suites.schema import Protocol, Suite, Task
from sotaque.summary.credits import Cluster, Credits, cluster_of, credits_of, estimate_of
from sotaque.summary.results import AverageFacts, TaskFacts

BESIDE = ("longest", "shortest", "first", "rarest", "majority")
"""Baselines that every result is held against."""


Seen = Sequence[tuple[Sample, Item, ItemView]]
"""What was asked, about which item, and what a baseline sees of it."""


def task_facts(
    tasks: Mapping[str, tuple[Task, Protocol]], loaded: SuiteItems, samples: Sequence[Sample], spec: RunSpec
) -> dict[str, TaskFacts]:
    """Facts by task, on the items (and option orders) that the samples asked about."""
    by_task: dict[str, dict[tuple[str, tuple[int, ...]], Sample]] = {name: {} for name in tasks}
    for sample in samples:
        by_task[sample.task].setdefault((sample.item, sample.order), sample)
    return {
        name: _facts(task, protocol, loaded, list(by_task[name].values()), spec)
        for name, (task, protocol) in tasks.items()
    }


def average_facts(suite: Suite) -> dict[str, AverageFacts]:
    """The averages that a suite declares."""
    return {name: AverageFacts(each.about, each.of, each.group) for name, each in suite.averages.items()}


def _facts(task: Task, protocol: Protocol, loaded: SuiteItems, asked: Sequence[Sample], spec: RunSpec) -> TaskFacts:
    view_of = loaded.tasks[task.name]
    items = {item.id: item for item in view_of.items}
    bare = TaskFacts(
        mode=task.mode,
        metrics=task.metrics,
        about=task.about,
        max_tokens=None if task.mode == "choose" else protocol.max_tokens,
        stop=protocol.stop,
        reads_nothing=spec.model.startswith(PREFIX),
        source=task.source,
        cluster=task.cluster,
        classes=task.classes,
        not_applicable=view_of.asked.not_applicable,
        shots=protocol.shots,
        twin=task.twin,
    )
    everyone = crowd_of(task, view_of.items, spec.shuffle)
    seen = [(sample, items[sample.item], view(everyone, items[sample.item], sample.order)) for sample in asked]
    beside = () if Metric.BERTSCORE_F1 in task.metrics else BESIDE  # no encoder is loaded for what nobody answered
    rules = {PREFIX + name: baseline(name) for name in beside if speaks(name, task)}
    estimates = _estimates(rules, task, seen, bare)
    return replace(
        bare, chance=_chance(task, [items[name] for name in {s.item: None for s in asked}]), baselines=estimates
    )


def speaks(rule: str, task: Task) -> bool:
    """Whether a baseline has something to say on a task: those that only look at options have not on open questions."""
    return not task.is_open or (task.mode == "generate" and baseline(rule).writes_answers)


def _chance(task: Task, items: Sequence[Item]) -> Estimate | None:
    """Of guessing blindly among the options: known exactly, so it has no interval.

    For weighted F1 it is the F1 of the expected confusion matrix, in which each class is predicted equally often.
    """
    if task.is_open:
        return None
    if not items:
        return no_items()
    if task.metrics[0] is Metric.WEIGHTED_F1:
        return exact(_blind_f1([item.gold for item in items], len(task.classes)), len(items))
    return exact(fsum(1 / len(item.options) for item in items) / len(items), len(items))


def _blind_f1(golds: Sequence[int | None], classes: int) -> float:
    n = len(golds)
    support = Counter(golds).values()
    return fsum(count / n * (2 * count / classes) / (n / classes + count) for count in support)


def _estimates(rules: Mapping[str, Baseline], task: Task, seen: Seen, facts: TaskFacts) -> dict[str, Estimate]:
    """What baselines score on these items, by the task's headline."""
    headline = task.metrics[0]
    if task.is_open or headline is Metric.WEIGHTED_F1:
        return {name: _estimate(rule, task, seen, facts) for name, rule in rules.items()}
    return {name: estimate_of(each, headline, facts) for name, each in _credits(rules, seen, facts).items()}


def _estimate(rule: Baseline, task: Task, seen: Seen, facts: TaskFacts) -> Estimate:
    """A baseline's answers are scored as any model's are."""
    headline = task.metrics[0]
    scored = [replace(sample, score=_score(rule, task, sample, item, what)) for sample, item, what in seen]
    return estimate_of(credits_of(scored, headline, facts), headline, facts)


def _credits(rules: Mapping[str, Baseline], seen: Seen, facts: TaskFacts) -> dict[str, Credits]:
    """1/k where the right option is among the k picked: as ``_score``, without making 100,000 samples for each rule."""
    earned: dict[str, dict[str, list[float]]] = {name: {} for name in rules}
    clusters: dict[str, Cluster] = {}
    for sample, _, what in seen:
        right = -1 if sample.gold is None else sample.order.index(sample.gold)
        if sample.item not in clusters:
            clusters[sample.item] = cluster_of(sample, facts)
        for name, rule in rules.items():
            picked = rule.picks(what)
            earned[name].setdefault(sample.item, []).append(1 / len(picked) if right in picked else 0.0)
    items, places = tuple(clusters), tuple(clusters.values())
    return {
        name: Credits(items, tuple(fsum(some) / len(some) for some in by_item.values()), places)
        for name, by_item in earned.items()
    }


def _score(rule: Baseline, task: Task, sample: Sample, item: Item, seen: ItemView) -> Score:
    if task.is_open:
        return score_reply(item, sample.order, Reply(text=rule.writes(seen)), task.reading(0))
    picked = [sample.order[at] for at in rule.picks(seen)]
    credit = 1 / len(picked) if sample.gold in picked else 0.0
    outcome = Outcome.TIE if len(picked) > 1 and credit else Outcome.CORRECT if credit else Outcome.WRONG
    alone = picked[0] if len(picked) == 1 else None
    tied = tuple(picked) if len(picked) > 1 else ()
    return Score(outcome, alone, values={task.metrics[0]: credit}, ties=len(picked), tied=tied)
