"""Several tests at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values, in the order of the given ones: those at most alpha are rejected at family-wise level alpha.

    Holm 1979, Scandinavian Journal of Statistics 6, 65-70: step-down, valid however the tests depend on one another.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return tuple(adjusted)
