"""Estimates with 95 % intervals, for items that may share a story, a proverb or a dialogue.

Clustered items are not independent: their standard error is CR1, the square root of

    C / (C - 1) * sum over clusters of (sum of residuals)^2 / n^2

(Miller 2024, arXiv 2411.00640, with the small-sample factor C / (C - 1)). A proportion gets the Wilson interval with
an effective n = n / deff, where deff = CR1^2 / naive^2 is Kish's design effect, never below 1.

Importing this module costs nothing: scipy, which has the t quantiles, is loaded for the first clustered interval.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum, isnan, sqrt

Z95 = 1.959963984540054
FEW_CLUSTERS = 20
FEW_ON_ONE_SIDE = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and how far it can be trusted.

    Attributes:
        value: ``None`` when there was nothing to estimate from.
        low: lower end of the 95 % interval; ``None`` when no interval can be had.
        high: upper end, likewise.
        n: items.
        clusters: independent groups among them; equal to ``n`` when no two items belong together.
        method: how the interval was made, in words.
        deff: design effect; n / deff independent items would be worth as much.
        warnings: why the interval is rougher than it looks.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str
    deff: float = 1.0
    warnings: tuple[str, ...] = ()


def proportion(values: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Estimate:
    """Mean of credits in [0, 1], with a Wilson interval.

    Fractional credits (a tie's 1/k, the mean over an item's repeats) vary less than zeros and ones with the same mean,
    so the interval is then somewhat too wide, never too narrow.

    Where all credits are equal, the data cannot show how alike the items of one cluster are; each cluster then counts
    as one item.

    Args:
        values: one credit per item.
        clusters: to which cluster each item belongs; ``None`` when all are independent.

    Raises:
        ValueError: a credit outside [0, 1], or as many clusters as items are not given.
    """
    if not all(0.0 <= value <= 1.0 for value in values):
        raise ValueError("credits must lie in [0, 1]")
    names = _cluster_names(values, clusters)
    n, count = len(values), len(set(names))
    if n == 0:
        return no_items()
    share = fsum(values) / n
    if count == n:
        low, high = wilson(share, n)
        return Estimate(share, low, high, n, n, "Wilson", 1.0, _cautions(share, n, n, n))
    if count == 1:
        return Estimate(share, 0.0, 1.0, n, 1, "none", float(n), (one_cluster(n),))
    deff = design_effect(values, names)
    low, high = wilson(share, n / deff, t95(count - 1))
    return Estimate(share, low, high, n, count, "Wilson, clustered", deff, _cautions(share, n / deff, n, count))


def mean(values: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Estimate:
    """Mean of values of any size, with a t interval on the CR1 standard error.

    Raises:
        ValueError: a value is not a number, or as many clusters as items are not given.
    """
    if any(isnan(value) for value in values):
        raise ValueError("a value is not a number")
    names = _cluster_names(values, clusters)
    n, count = len(values), len(set(names))
    if n == 0:
        return no_items()
    centre = fsum(values) / n
    if count == 1:
        return Estimate(centre, None, None, n, 1, "none", float(n), (one_cluster(n),))
    half = t95(count - 1) * clustered_error(values, names)
    deff = design_effect(values, names)
    few = few_clusters(n, count)
    return Estimate(centre, centre - half, centre + half, n, count, "t" if count == n else "t, clustered", deff, few)


def exact(value: float, n: int) -> Estimate:
    """A number that is known, not estimated (the analytic chance level of n items)."""
    return Estimate(value, value, value, n, n, "exact")


def no_items() -> Estimate:
    """What is known when nothing was measured."""
    return Estimate(None, None, None, 0, 0, "none", 1.0, ("no items",))


def wilson(share: float, n: float, quantile: float = Z95) -> tuple[float, float]:
    """Wilson's score interval for a share of ``n`` items; ``n`` may be an effective, fractional number above 0."""
    square = quantile * quantile
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


def naive_error(values: Sequence[float]) -> float:
    """Standard error of the mean of two or more independent values."""
    n = len(values)
    centre = fsum(values) / n
    return sqrt(fsum((value - centre) ** 2 for value in values) / (n * (n - 1)))


def clustered_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """CR1 standard error of the mean over two or more clusters; equals ``naive_error`` when each item is its own."""
    n = len(values)
    centre = fsum(values) / n
    residuals: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        residuals.setdefault(cluster, []).append(value - centre)
    count = len(residuals)
    return sqrt(count / (count - 1) * fsum(fsum(group) ** 2 for group in residuals.values())) / n


def design_effect(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """By how much clustering inflates the variance of the mean: at least 1; n / C where all values are equal."""
    naive = naive_error(values)
    if naive == 0.0:
        return len(values) / len(set(clusters))
    return max(1.0, (clustered_error(values, clusters) / naive) ** 2)


def t95(freedom: int) -> float:
    """Two-sided 95 % quantile of Student's t."""
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    return float(stdtrit(freedom, 0.975))  # pyright: ignore[reportUnknownArgumentType]


def few_clusters(n: int, clusters: int) -> tuple[str, ...]:
    """The warning that an interval over few clusters deserves, or nothing."""
    if clusters >= FEW_CLUSTERS:
        return ()
    if n == clusters:
        return (f"only {n} item{'s' if n > 1 else ''}: the interval is rough",)
    return (f"only {clusters} independent groups of items: the interval is rough",)


def one_cluster(n: int) -> str:
    """Why there is no interval where everything belongs together."""
    return "a single item" if n == 1 else f"all {n} items belong to one group: no interval can be estimated"


def _cluster_names(values: Sequence[float], clusters: Sequence[Hashable] | None) -> Sequence[Hashable]:
    if clusters is None:
        return range(len(values))
    if len(clusters) != len(values):
        raise ValueError(f"{len(values)} values, but {len(clusters)} clusters")
    return clusters


def _cautions(share: float, effective: float, n: int, clusters: int) -> tuple[str, ...]:
    found = list(few_clusters(n, clusters))
    side = min(share, 1 - share)
    if side < 0.1 and side * effective < FEW_ON_ONE_SIDE:
        found.append(f"close to {'0' if share < 0.5 else '100'} %: the interval is rough")
    return tuple(found)
