"""Rules on what an answer says: words it names, avoids or puts in order, and the number it arrives at."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sotaque import checks
from sotaque.scoring.passages import QUOTED, Passage
from sotaque.scoring.rules import Ruling, Verdict, place_of, ruled, spoken

_NUMBERS = (
    "zero",
    "um|uma",
    "dois|duas",
    "três",
    "quatro",
    "cinco",
    "seis",
    "sete",
    "oito",
    "nove",
    "dez",
    "onze",
    "doze",
    "treze",
    "catorze|quatorze",
    "quinze",
    "dezasseis|dezesseis",
    "dezassete|dezessete",
    "dezoito",
    "dezanove|dezenove",
    "vinte",
)
_VALUES = {word: value for value, entry in enumerate(_NUMBERS) for word in entry.split("|")}
_NUMBER = re.compile(rf"(?<![\w.,])(?:\d+|{'|'.join(_VALUES)})(?![\w-]|[.,]\d)")
_QUOTES = '«»“”„"'
_ARTICLES = frozenset({"um", "uma"})


def _names(check: checks.Names, passage: Passage) -> Ruling:
    text = spoken(passage.text)
    missing = [entry for entry in check.all if all(place_of(spoken(each), text) < 0 for each in entry.split("|"))]
    return ruled(not missing, f"not named: {', '.join(missing)}" if missing else "all are named")


def _avoids(check: checks.Avoids, passage: Passage) -> Ruling:
    """What is only mentioned, alone in quotes (sem dizer «água»), does not count as used: this is undecided then."""
    phrases = {spoken(phrase) for phrase in check.texts}
    text = spoken(passage.text)
    used = QUOTED.sub(lambda match: "" if match[0].strip(_QUOTES) in phrases else match[0], text)
    found = [phrase for phrase in check.texts if place_of(spoken(phrase), used) >= 0]
    if not found and used != text:
        return Ruling(Verdict.UNDECIDED, "only mentioned in quotes")
    return ruled(not found, f"occurs: {', '.join(found)}" if found else "none occurs")


def _in_order(check: checks.InOrder, passage: Passage) -> Ruling:
    """By where each is said first; undecided where one is not said, or in other words."""
    text = spoken(passage.text)
    places = [place_of(spoken(phrase), text) for phrase in check.texts]
    missing = [phrase for phrase, place in zip(check.texts, places, strict=True) if place < 0]
    if missing:
        return Ruling(Verdict.UNDECIDED, f"not there: {', '.join(missing)}")
    order = [phrase for _, phrase in sorted(zip(places, check.texts, strict=True))]
    return ruled(order == list(check.texts), f"order: {', '.join(order)}")


_DIGITS = 18


def _number(check: checks.Number, passage: Passage) -> Ruling:
    """By the numbers that stand before a unit; without such, by all numbers, articles left out."""
    text = spoken(passage.text)
    found = [(match[0], match.end()) for match in _NUMBER.finditer(text)]
    units = "|".join(re.escape(spoken(unit)) for unit in check.units)
    counted = [word for word, end in found if units and re.match(rf"\s+(?:\w+\s+)?(?:{units})\b", text[end:])]
    said = counted or [word for word, _ in found if word not in _ARTICLES or check.value == 1]
    # A model that loops writes thousands of digits; no count has more than a few.
    values = {int(word[:_DIGITS]) if word.isdigit() else _VALUES[word] for word in said}
    listed = ", ".join(map(str, sorted(values)))
    if not values:
        return Ruling(Verdict.UNDECIDED, "no number is said")
    if check.value in values and len(values) > 1:
        return Ruling(Verdict.UNDECIDED, f"several numbers are said: {listed}")
    return ruled(check.value in values, f"said: {listed}")


ANSWER_RULES: Mapping[type[Any], Callable[[Any, Passage], Ruling]] = {
    checks.Names: _names,
    checks.Avoids: _avoids,
    checks.InOrder: _in_order,
    checks.Number: _number,
}
