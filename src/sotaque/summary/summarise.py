"""Scored samples -> estimates.

An item that was asked several times (repeats, permuted options) is one item: its credits are averaged first, over the
samples that have a score, and the items then enter the estimate with equal weight, clustered as the suite says. So
asking more often makes an item's credit firmer; it never makes the interval pretend to more items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import median

from sotaque.records import OUTSIDE_DENOMINATOR, Outcome, Reply, Sample, Usage
from sotaque.stats.intervals import Estimate, proportion
from sotaque.summary.cautions import run_cautions, task_cautions
from sotaque.summary.results import CORRECT, NO_ANSWER, NO_ROLE, TIED, Summary, TaskFacts, TaskSummary


def summarise(samples: Sequence[Sample], tasks: Mapping[str, TaskFacts]) -> Summary:
    """Summarise one run.

    Args:
        samples: of all tasks, in any order.
        tasks: facts by task name, in the order to report; a task without samples gets "no items".

    Raises:
        ValueError: a sample of a task without facts, or a scored sample without one of its task's metrics.
    """
    by_task: dict[str, list[Sample]] = {name: [] for name in tasks}
    for sample in samples:
        if sample.task not in by_task:
            raise ValueError(f"a sample of task '{sample.task}', which is not among {', '.join(tasks) or 'no tasks'}")
        by_task[sample.task].append(sample)
    reported = Counter(sample.reply.model for sample in samples if isinstance(sample.reply, Reply))
    del reported[""]
    return Summary(
        tasks={name: _task(by_task[name], facts) for name, facts in tasks.items()},
        reported=dict(sorted(reported.items())),
        usage=_usage(samples),
        warnings=run_cautions(reported),
    )


def _task(samples: Sequence[Sample], facts: TaskFacts) -> TaskSummary:
    counted = [sample for sample in samples if sample.score.outcome not in OUTSIDE_DENOMINATOR]
    headline = facts.metrics[0]
    tally = Counter(sample.score.outcome for sample in samples)
    seconds = [sample.reply.seconds for sample in samples if isinstance(sample.reply, Reply)]
    return TaskSummary(
        about=facts.about,
        mode=facts.mode,
        items=len({sample.item for sample in samples}),
        samples=len(samples),
        counted=len(counted),
        metrics={metric.value: _estimate(counted, metric) for metric in facts.metrics},
        outcomes={outcome: tally[outcome] for outcome in Outcome},
        ties=sum(sample.score.ties > 1 for sample in samples),
        roles=_roles(counted),
        groups=_groups(counted, headline),
        chance=facts.chance,
        baselines=dict(facts.baselines),
        median_seconds=median(seconds) if seconds else None,
        usage=_usage(samples),
        irregular=len({sample.item for sample in samples if sample.irregular}),
        warnings=task_cautions(samples, facts),
        reads_nothing=facts.reads_nothing,
    )


def _estimate(counted: Iterable[Sample], metric: str) -> Estimate:
    credits: dict[str, list[float]] = {}
    clusters: dict[str, tuple[str, str]] = {}
    for sample in counted:
        if metric not in sample.score.values:
            raise ValueError(f"{sample.task}/{sample.item} is scored, but has no value for {metric}")
        credits.setdefault(sample.item, []).append(sample.score.values[metric])
        # The tag keeps an item without a cluster apart from a cluster that happens to bear its name.
        clusters[sample.item] = ("cluster", sample.cluster) if sample.cluster else ("item", sample.item)
    means = [fsum(values) / len(values) for values in credits.values()]
    return proportion(means, list(clusters.values()))


def _groups(counted: Sequence[Sample], metric: str) -> dict[str, dict[str, Estimate]]:
    members: dict[str, dict[str, list[Sample]]] = {}
    for sample in counted:
        for by, value in sample.groups.items():
            members.setdefault(by, {}).setdefault(value, []).append(sample)
    return {
        by: {value: _estimate(group, metric) for value, group in sorted(values.items())}
        for by, values in members.items()
    }


def _roles(counted: Sequence[Sample]) -> dict[str, float]:
    if not any(role for sample in counted for role in sample.roles):
        return {}
    gold = [_role(sample, sample.gold) for sample in counted if sample.gold is not None]
    others = [_role(sample, index) for sample in counted for index in range(len(sample.roles))]
    tally = Counter(_picked_role(sample) for sample in counted)
    tied = [TIED] if tally[TIED] else []
    names: dict[str, None] = dict.fromkeys([*gold, *others, *tied, NO_ANSWER])
    return {name: tally[name] / len(counted) for name in names}


def _picked_role(sample: Sample) -> str:
    if sample.score.picked is not None:
        return _role(sample, sample.score.picked)
    return TIED if sample.score.ties > 1 else NO_ANSWER


def _role(sample: Sample, index: int) -> str:
    """The right option needs no role to be called correct."""
    return sample.roles[index] or (CORRECT if index == sample.gold else NO_ROLE)


def _usage(samples: Iterable[Sample]) -> Usage:
    return sum((sample.reply.usage for sample in samples if isinstance(sample.reply, Reply)), Usage())
