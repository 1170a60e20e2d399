"""How likely a rule that knows nothing is to earn as much as it did.

An item's credit is 1/k when the rule picks k options and the right one is among them, else 0. Where the rule knows
nothing, the right one is among them with the probability that k of the item's options have.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum, lcm

from sotaque.stats.intervals import clustered_error, naive_error

CLUSTERED, EXACT = "t, clustered", "exact"


@dataclass(frozen=True, slots=True)
class Draw:
    """One item: what the rule would earn if it is right, how likely that is, and whether it was.

    Attributes:
        picked: options that the rule cannot tell apart.
        chance: the probability that one of them is right, if the rule knows nothing.
        hit: whether one of them is.
    """

    picked: int
    chance: float
    hit: bool

    @property
    def credit(self) -> float:
        """What it earned."""
        return 1 / self.picked if self.hit else 0.0


@dataclass(frozen=True, slots=True)
class Luck:
    """One-sided p-value of the credits, and how it was found."""

    p: float
    method: str


def luck(draws: Sequence[Draw], clusters: Sequence[Hashable]) -> Luck:
    """The probability of credits as high as these, or higher, for a rule that knows nothing.

    Exact where all items are independent. Items of one cluster share what makes a rule right (a proverb that is long
    is the right answer to all its stories), so with clusters the mean credit is compared with what is expected by a
    one-sided t test on its CR1 standard error with C - 1 degrees of freedom, design effect at least 1, as for the
    intervals; where that error is 0, each cluster counts as one item, by the exact way.

    Raises:
        ValueError: no items, or as many clusters as items are not given.
    """
    if not draws or len(clusters) != len(draws):
        raise ValueError(f"{len(draws)} items, {len(clusters)} clusters")
    count = len(set(clusters))
    if count == len(draws):
        return Luck(at_least(draws), EXACT)
    excess = [draw.credit - draw.chance / draw.picked for draw in draws]
    error = max(clustered_error(excess, clusters), naive_error(excess)) if count > 1 else 0.0
    if error == 0.0:
        firsts = dict(zip(reversed(clusters), reversed(draws), strict=True))
        return Luck(at_least(tuple(firsts.values())), EXACT)
    return Luck(_t_above(fsum(excess) / len(excess) / error, count - 1), CLUSTERED)


def at_least(draws: Sequence[Draw]) -> float:
    """The exact probability of a sum of credits at least as high, for independent items.

    The sum is counted in parts of 1 over the least common multiple of the numbers of picks, and its distribution built
    up item by item.
    """
    import numpy as np

    unit = lcm(*(draw.picked for draw in draws))
    worth = [unit // draw.picked for draw in draws]
    distribution = np.zeros(sum(worth) + 1)
    distribution[0] = 1.0
    reached = 0
    for draw, step in zip(draws, worth, strict=True):
        before = distribution[: reached + 1].copy()
        distribution[: reached + 1] *= 1 - draw.chance
        distribution[step : reached + step + 1] += draw.chance * before
        reached += step
    earned = sum(step for draw, step in zip(draws, worth, strict=True) if draw.hit)
    return min(1.0, float(distribution[earned:].sum()))


def _t_above(t: float, freedom: int) -> float:
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    return float(stdtr(freedom, -t))  # pyright: ignore[reportUnknownArgumentType]
