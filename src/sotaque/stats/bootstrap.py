"""Intervals by resampling clusters, for measures that are no plain mean: weighted F1, means over tasks.

A measure is a function of sums over items. So one resample needs only how often each cluster was drawn, and all of
them are a few matrix products: clusters with equal sums are counted, not listed, which makes the cost of unclustered
items independent of their number. Percentile intervals (Efron & Tibshirani 1993, chapter 13), 2,000 resamples, seeded.

Importing this module loads numpy; nothing on the way to a plain accuracy needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotaque.stats.intervals import Estimate, few_clusters, no_items, one_cluster, proportion

RESAMPLES = 2000
SEED = 0
METHOD = "bootstrap of clusters"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A number that depends on items through sums only.

    Attributes:
        rows: one row per item, of what is summed.
        of: sums, one row per resample -> the measure of each; NaN where a resample holds no item.
        clusters: to which cluster each item belongs. Measures that are resampled together share clusters by name.
    """

    rows: Floats
    of: Callable[[Floats], Floats]
    clusters: tuple[Hashable, ...]

    @property
    def value(self) -> float:
        """The measure of the items as they are."""
        return float(self.of(self.rows.sum(axis=0, keepdims=True))[0])


def mean_measure(values: Sequence[float], clusters: Sequence[Hashable]) -> Measure:
    """The mean of one value per item."""
    rows = np.array([[value, 1.0] for value in values], dtype=np.float64).reshape(len(values), 2)
    return Measure(rows, _ratio, tuple(clusters))


def weighted_f1_measure(
    golds: Sequence[int], votes: Sequence[Mapping[int, float]], classes: int, clusters: Sequence[Hashable]
) -> Measure:
    """F1 of each class, weighted by how many items have it: scikit-learn's ``f1_score(average="weighted")``.

    Args:
        golds: the right class of each item, from 0.
        votes: what was predicted for each item, as weights of classes; what they lack to 1 was unreadable. That is one
            more class of predictions, which no item has, so that it costs recall and has no F1 of its own.
        classes: how many there are.
        clusters: as in ``Measure``.
    """
    rows = np.zeros((len(golds), 3 * classes))
    for at, (gold, vote) in enumerate(zip(golds, votes, strict=True)):
        rows[at, gold] = vote.get(gold, 0.0)
        for predicted, weight in vote.items():
            rows[at, classes + predicted] = weight
        rows[at, 2 * classes + gold] = 1.0
    return Measure(rows, lambda sums: _weighted_f1(sums, classes), tuple(clusters))


def estimate(measure: Measure, credits: Sequence[float], *, resamples: int = RESAMPLES) -> Estimate:
    """A measure in [0, 1] with its interval.

    Args:
        measure: of the items.
        credits: of the same items. Where all of them are equal, resampling shows no spread, and the interval is that
            of their proportion.
        resamples: how many.
    """
    n, count = len(measure.rows), len(set(measure.clusters))
    if n == 0:
        return no_items()
    value = measure.value
    if len(set(credits)) == 1 or count == 1:
        return replace(proportion(credits, measure.clusters), value=value)
    draws = draw_jointly({"it": measure}, resamples=resamples)["it"]
    return _estimate(value, draws, n, count)


def mean_of(
    measures: Mapping[str, Measure], draws: Mapping[str, Floats], weights: Mapping[str, float], value: float
) -> Estimate:
    """A weighted mean of several measures, whose resamples were drawn jointly.

    Args:
        measures: its parts, and perhaps others.
        draws: of these measures, as ``draw_jointly`` gives them.
        weights: of its parts; they add up to 1.
        value: the mean itself.
    """
    parts = [measures[name] for name in weights]
    names = {cluster for measure in parts for cluster in measure.clusters}
    drawn: Floats = np.sum([weight * draws[name] for name, weight in weights.items()], axis=0)
    return _estimate(value, drawn, sum(len(measure.rows) for measure in parts), len(names))


def draw_jointly(measures: Mapping[str, Measure], *, resamples: int = RESAMPLES) -> dict[str, Floats]:
    """Resamples of each measure: in each, a cluster that several measures share is drawn equally often for all.

    Measures that share no cluster, directly or through others, are resampled independently.
    """
    found: dict[str, Floats] = {}
    rng = np.random.default_rng(SEED)
    for group in _groups(measures):
        found |= _drawn({name: measures[name] for name in group}, rng, resamples)
    return {name: found[name] for name in measures}


def _drawn(measures: Mapping[str, Measure], rng: np.random.Generator, resamples: int) -> dict[str, Floats]:
    places = {name: at for at, name in enumerate(dict.fromkeys(c for m in measures.values() for c in m.clusters))}
    blocks: list[Floats] = []
    for measure in measures.values():
        block = np.zeros((len(places), measure.rows.shape[1]))
        np.add.at(block, [places[cluster] for cluster in measure.clusters], measure.rows)
        blocks.append(block)
    kinds, counts = np.unique(np.hstack(blocks), axis=0, return_counts=True)
    drawn = rng.multinomial(len(places), counts / len(places), size=resamples).astype(np.float64)
    sums, start = drawn @ kinds, 0
    found: dict[str, Floats] = {}
    for (name, measure), block in zip(measures.items(), blocks, strict=True):
        found[name] = measure.of(sums[:, start : start + block.shape[1]])
        start += block.shape[1]
    return found


def _groups(measures: Mapping[str, Measure]) -> list[list[str]]:
    """The names of measures that share clusters, directly or through others."""
    groups: list[tuple[set[Hashable], list[str]]] = []
    for name, measure in measures.items():
        clusters, names, apart = set(measure.clusters), [name], list[tuple[set[Hashable], list[str]]]()
        for group in groups:
            if group[0] & clusters:
                clusters, names = clusters | group[0], [*group[1], *names]
            else:
                apart.append(group)
        groups = [*apart, (clusters, names)]
    return [names for _, names in groups]


def _estimate(value: float, draws: Floats, n: int, clusters: int) -> Estimate:
    known: Floats = draws[~np.isnan(draws)]
    if clusters == 1 or not known.size or float(known.min()) == float(known.max()):
        why = one_cluster(n) if clusters == 1 else "all items came out alike: no interval can be estimated"
        return Estimate(value, None, None, n, clusters, "none", 1.0, (why,))
    low, high = (float(end) for end in np.percentile(known, (2.5, 97.5)))
    few = few_clusters(n, clusters)
    return Estimate(value, min(low, value), max(high, value), n, clusters, METHOD, 1.0, few)


def _ratio(sums: Floats) -> Floats:
    return _divided(sums[:, 0], sums[:, 1], np.nan)


def _weighted_f1(sums: Floats, classes: int) -> Floats:
    right, predicted, support = (sums[:, at * classes : (at + 1) * classes] for at in range(3))
    f1 = _divided(2 * right, predicted + support, 0.0)
    return _divided((f1 * support).sum(axis=1), support.sum(axis=1), np.nan)


def _divided(above: Floats, below: Floats, otherwise: float) -> Floats:
    found: Any = np.divide(above, below, out=np.full_like(above, otherwise), where=below > 0)
    return found
