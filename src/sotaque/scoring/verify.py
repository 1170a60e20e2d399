"""Rule-based checks of an answer: each says whether the rule holds, fails or cannot be decided, and what it found.

A check reads the parts of an answer that may be meant (``passages``). It holds or fails only where it says the same of
all of them; otherwise, and where nothing can be read, it is undecided: rather no verdict than a wrong one. A check is
about its rule alone: an answer can keep to it and be poor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sotaque.checks import Check
from sotaque.scoring.passages import Passage, passages
from sotaque.scoring.rules import Ruling, Verdict
from sotaque.scoring.rules_answer import ANSWER_RULES
from sotaque.scoring.rules_sound import SOUND_RULES
from sotaque.scoring.rules_words import WORD_RULES

RULES: Mapping[type[Any], Callable[[Any, Passage], Ruling]] = {**WORD_RULES, **SOUND_RULES, **ANSWER_RULES}
"""The function of every rule: (check, what is read) -> ruling."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check.

    Attributes:
        found: what was found and where, for people: "word 3, «azul», begins with «a»".
        read: the parts of the answer that were looked at.
    """

    check: Check
    verdict: Verdict
    found: str
    read: tuple[str, ...] = ()


def verify(checks: Sequence[Check], answer: str) -> tuple[Finding, ...]:
    """One finding for each check, in order.

    Args:
        checks: of an item.
        answer: as the model wrote it, reasoning removed (``scoring.score.written_answer``).
    """
    return tuple(_finding(check, answer) for check in checks)


def overall(findings: Sequence[Finding]) -> Verdict:
    """Of all checks of an item: fails where one fails, holds where all hold; an item without checks is undecided."""
    verdicts = [finding.verdict for finding in findings]
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.HOLDS if verdicts and set(verdicts) == {Verdict.HOLDS} else Verdict.UNDECIDED


def _finding(check: Check, answer: str) -> Finding:
    read = passages(answer, check.read)
    if not read:
        return Finding(check, Verdict.UNDECIDED, f"no {check.read} is found in the answer")
    rule = cast("Callable[[Check, Passage], Ruling]", RULES[type(check)])
    rulings = [rule(check, passage) for passage in read]
    texts = tuple(passage.text for passage in read)
    verdicts = {ruling.verdict for ruling in rulings}
    if len(verdicts) == 1:
        return Finding(check, rulings[0].verdict, rulings[0].found, texts)
    said = "; ".join(
        f"{ruling.verdict} for «{text}»: {ruling.found}" for ruling, text in zip(rulings, texts, strict=True)
    )
    return Finding(check, Verdict.UNDECIDED, f"several parts may be meant: {said}", texts)
