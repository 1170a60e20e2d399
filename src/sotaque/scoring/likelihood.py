"""Picks an option by the log-probability of its continuation: raw, or per character, byte or token.

Raw sums favour short options; each normalisation is another measure and has its own name (``Metric``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sotaque.language.normalize import display
from sotaque.records import Metric, OptionScore

NEAR = 2e-4
"""Nats. Two summed log-probabilities this close are equal: as far as the same option's value moves between two correct
ways of computing it (batched or alone, cached or not) in float32."""

OF_SUMS = frozenset({Metric.ACCURACY, Metric.WEIGHTED_F1})
"""Metrics whose pick is the option with the highest sum."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Pick:
    """The options that share the top, as positions in the order shown; exactly one is a clear answer.

    Attributes:
        problem: why nothing could be picked ("the log-probability of option 2 is not a number"); then ``top`` is empty.
    """

    top: tuple[int, ...]
    problem: str = ""


def pick(scores: Sequence[OptionScore], options: Sequence[str], metric: Metric) -> Pick:
    """The most likely options by one metric.

    A value is the continuation's log-probability, divided by the option's length in that metric's unit. Characters and
    bytes (UTF-8) are counted on the NFC form of the option's text, without the delimiter that precedes it in the
    continuation; tokens are those the log-probability was summed over, delimiter included. A score over 0 tokens is no
    likelihood but a baseline's preference, and is never divided.

    Two options tie when a change of ``NEAR`` in one of their *sums* could change their order: their values then differ
    by at most ``NEAR`` / the smaller of their lengths (raw: all lengths are 1). An option of probability zero (-inf)
    loses to any other.
    """
    problem = _problem(scores, options)
    if problem:
        return Pick((), problem)
    sizes = [_size(score, text, metric) for score, text in zip(scores, options, strict=True)]
    values = [score.logprob / size for score, size in zip(scores, sizes, strict=True)]
    best = max(range(len(values)), key=values.__getitem__)
    top = tuple(
        position
        for position, value in enumerate(values)
        if position == best or values[best] - value <= NEAR / min(sizes[best], sizes[position]) + _ROUNDING
    )
    return Pick(top)


def _problem(scores: Sequence[OptionScore], options: Sequence[str]) -> str:
    if len(scores) != len(options) or not scores:
        return f"{len(scores)} option scores for {len(options)} options"
    for position, score in enumerate(scores, start=1):
        if not _is_log_probability(score.logprob):
            return f"the log-probability of option {position} is {score.logprob}"
    if all(score.logprob == -math.inf for score in scores):
        return "every option has probability zero"
    return ""


def _is_log_probability(value: object) -> bool:
    return isinstance(value, int | float) and not math.isnan(value) and value != math.inf


def _size(score: OptionScore, text: str, metric: Metric) -> int:
    if metric in OF_SUMS or score.tokens < 1:
        return 1
    if metric is Metric.ACCURACY_PER_TOKEN:
        return score.tokens
    shown = display(text)
    return max(1, len(shown) if metric is Metric.ACCURACY_PER_CHARACTER else len(shown.encode("utf-8", "replace")))
