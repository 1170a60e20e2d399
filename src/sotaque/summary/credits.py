"""What the items of one task earned: the form in which estimates are made from samples.

An item that was asked several times (repeats, permuted options) is one item: its samples are averaged first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING

from sotaque.records import Metric, Outcome, Sample
from sotaque.stats.intervals import Estimate, mean, proportion
from sotaque.summary.results import TaskFacts

if TYPE_CHECKING:
    from sotaque.stats.bootstrap import Measure

Cluster = tuple[str, str]
Vote = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Credits:
    """Items of one task that have a score, in the order in which they were asked.

    Attributes:
        items: ids.
        values: credit of each, in [0, 1].
        clusters: what each belongs to, by a name that other tasks of the run may share.
        golds: the right option of each; only where the task has classes.
        votes: what was picked, as shares of options; what they lack to 1 could not be read; likewise.
    """

    items: tuple[str, ...]
    values: tuple[float, ...]
    clusters: tuple[Cluster, ...]
    golds: tuple[int, ...] = ()
    votes: tuple[Vote, ...] = ()


def credits_of(counted: Iterable[Sample], metric: str, facts: TaskFacts) -> Credits:
    """Average an item's samples.

    Raises:
        ValueError: a scored sample has no value for the metric.
    """
    groups: dict[str, list[Sample]] = {}
    for sample in counted:
        if metric not in sample.score.values:
            raise ValueError(f"{sample.task}/{sample.item} is scored, but has no value for {metric}")
        groups.setdefault(sample.item, []).append(sample)
    values = tuple(fsum(s.score.values[metric] for s in group) / len(group) for group in groups.values())
    clusters = tuple(cluster_of(group[0], facts) for group in groups.values())
    if metric != Metric.WEIGHTED_F1:
        return Credits(tuple(groups), values, clusters)
    golds = tuple(_gold(group[0]) for group in groups.values())
    return Credits(tuple(groups), values, clusters, golds, tuple(_vote(group) for group in groups.values()))


def estimate_of(credits: Credits, metric: str, facts: TaskFacts) -> Estimate:
    """The metric with its interval: a proportion of credits, the mean of similarities, or F1 of what was picked."""
    if metric == Metric.BERTSCORE_F1:
        return _within_0_and_1(mean(credits.values, credits.clusters))
    if metric != Metric.WEIGHTED_F1:
        return proportion(credits.values, credits.clusters)
    from sotaque.stats import bootstrap

    return bootstrap.estimate(measure_of(credits, metric, facts), credits.values)


def _within_0_and_1(estimate: Estimate) -> Estimate:
    """Credits are never outside, so an interval that reaches there says nothing more."""
    if estimate.low is None or estimate.high is None:
        return estimate
    return replace(estimate, low=max(0.0, estimate.low), high=min(1.0, estimate.high))


def measure_of(credits: Credits, metric: str, facts: TaskFacts) -> Measure:
    """The metric in the form that is resampled."""
    from sotaque.stats import bootstrap

    if metric != Metric.WEIGHTED_F1:
        return bootstrap.mean_measure(credits.values, credits.clusters)
    return bootstrap.weighted_f1_measure(credits.golds, credits.votes, len(facts.classes), credits.clusters)


def confusion_of(credits: Credits, classes: int) -> tuple[tuple[float, ...], ...]:
    """Rows: right class; columns: class that was read, and last what could not be read. In items."""
    table = [[0.0] * (classes + 1) for _ in range(classes)]
    for gold, vote in zip(credits.golds, credits.votes, strict=True):
        for picked, share in vote.items():
            table[gold][picked] += share
        table[gold][classes] += max(0.0, 1.0 - fsum(vote.values()))
    return tuple(tuple(round(cell, 9) for cell in row) for row in table)


def cluster_of(sample: Sample, facts: TaskFacts) -> Cluster:
    """A name that says of what kind it is, so that an item without a cluster is never taken for a cluster's name."""
    if sample.cluster and sample.cluster != sample.item:
        return (f"cluster:{facts.cluster}", sample.cluster)
    return (f"item:{facts.source}", sample.item)


def _vote(samples: Sequence[Sample]) -> Vote:
    shares: dict[int, float] = {}
    for sample in samples:
        for picked, share in _picked(sample).items():
            shares[picked] = shares.get(picked, 0.0) + share / len(samples)
    return shares


def _picked(sample: Sample) -> Vote:
    score = sample.score
    if score.picked is not None:
        return {score.picked: 1.0}
    if score.outcome in (Outcome.TIE, Outcome.WRONG) and score.tied:
        return {each: 1 / len(score.tied) for each in score.tied}
    return {}


def _gold(sample: Sample) -> int:
    if sample.gold is None:
        raise ValueError(f"{sample.task}/{sample.item} has no right class")
    return sample.gold
