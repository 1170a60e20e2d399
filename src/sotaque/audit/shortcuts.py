"""Shortcuts: rules that pick an option without answering the question, and how much more they earn than they should.

Where options vary, a rule that knows nothing earns what chance earns. Where all items have the same classes, picking
the class that is right most often is no knowledge either, so rules are compared with that (``majority``).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

from sotaque.audit.choices import Choice
from sotaque.models.baselines import RULES as BASELINES
from sotaque.records import Shortcut
from sotaque.stats.guessing import Draw, luck
from sotaque.stats.intervals import Estimate, proportion
from sotaque.stats.multiple import holm

ENOUGH_ITEMS = 150
"""With fewer items a rate is reported, and not judged."""

MARGIN = 0.10
ALPHA = 0.01


@dataclass(frozen=True, slots=True)
class Rule:
    """How a shortcut picks: options with the highest value share the top."""

    about: str
    value: Callable[[Choice, int], float]


def _baseline(name: str) -> Rule:
    rule = BASELINES[name]
    return Rule(rule.about, lambda choice, at: rule.value(choice.view, at))


RULES: dict[Shortcut, Rule] = {
    Shortcut.LONGEST: _baseline("longest"),
    Shortcut.SHORTEST: _baseline("shortest"),
    Shortcut.FIRST: _baseline("first"),
    Shortcut.RAREST: _baseline("rarest"),
    Shortcut.PUNCTUATION: Rule(
        "the option with most punctuation marks",
        lambda choice, at: sum(unicodedata.category(letter)[0] == "P" for letter in choice.view.options[at]),
    ),
    Shortcut.OVERLAP: Rule(
        "the option that shares most words with the question",
        lambda choice, at: len(choice.words[at] & choice.question),
    ),
}


@dataclass(frozen=True, slots=True)
class Found:
    """What one rule earns on one task.

    Attributes:
        rate: mean credit, with its interval.
        expected: what a rule that knows nothing earns: ``against`` says whether that is chance or the majority.
        p: one-sided, of earning that much without knowing anything.
        method: how ``p`` was found.
        adjusted: ``p`` after Holm's correction over the rules of the task.
        reason: why the subject makes the rule right, where the suite declares it; else empty.
    """

    rule: Shortcut
    rate: Estimate
    expected: float
    against: Literal["chance", "majority"]
    p: float
    method: str
    adjusted: float
    reason: str = ""

    @property
    def excess(self) -> float:
        """How much more it earns than it should."""
        return (self.rate.value or 0.0) - self.expected

    @property
    def judged(self) -> bool:
        """Whether there are enough items to tell."""
        return self.rate.n >= ENOUGH_ITEMS

    @property
    def shows(self) -> bool:
        """Whether it is a shortcut: far above what it should earn, or above it by more than luck explains."""
        return self.judged and (self.excess > MARGIN or (self.excess > 0 and self.adjusted <= ALPHA))


def shortcuts_of(
    choices: Sequence[Choice], declared: Mapping[Shortcut, str], *, fixed_classes: bool
) -> tuple[Found, ...]:
    """What every rule earns on one task.

    Args:
        choices: all items of the task, at least one.
        declared: shortcuts that belong to the subject, with the reason.
        fixed_classes: whether all items have the same options.
    """
    found = [_found(rule, choices, declared.get(rule, ""), fixed_classes=fixed_classes) for rule in RULES]
    adjusted = holm([each.p for each in found])
    return tuple(replace(each, adjusted=p) for each, p in zip(found, adjusted, strict=True))


def picks(rule: Shortcut, choice: Choice) -> tuple[int, ...]:
    """The positions that share the top: one, or all that the rule cannot tell apart."""
    value = RULES[rule].value
    values = [value(choice, at) for at in range(len(choice.view.options))]
    top = max(values)
    return tuple(at for at, each in enumerate(values) if each == top)


def _found(rule: Shortcut, choices: Sequence[Choice], reason: str, *, fixed_classes: bool) -> Found:
    picked = [picks(rule, choice) for choice in choices]
    expected = _majority(choices) if fixed_classes else fsum(1 / len(c.view.options) for c in choices) / len(choices)
    draws = [
        Draw(
            len(at),
            min(1.0, len(at) * (expected if fixed_classes else 1 / len(choice.view.options))),
            choice.view.gold in at,
        )
        for at, choice in zip(picked, choices, strict=True)
    ]
    clusters = [choice.cluster for choice in choices]
    found = luck(draws, clusters)
    rate = proportion([draw.credit for draw in draws], clusters)
    against = "majority" if fixed_classes else "chance"
    return Found(rule, rate, expected, against, found.p, found.method, found.p, reason)


def _majority(choices: Sequence[Choice]) -> float:
    golds = Counter(choice.view.options[choice.view.gold] for choice in choices if choice.view.gold is not None)
    return max(golds.values(), default=0) / len(choices)
