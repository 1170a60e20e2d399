"""Rules on sound: syllables, stress, rhyme. Where spelling does not show what is heard, they are undecided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

from sotaque import checks
from sotaque.language.syllables import is_doubtful, stress_position, syllables
from sotaque.language.verse import measure, rhymes
from sotaque.scoring.passages import Passage, words
from sotaque.scoring.rules import Ruling, Verdict, gathered, ruled, spoken, within

_BETWEEN = r"\s?[-‐‑–·•.|/]\s?"


def _each_word_syllables(check: checks.EachWordSyllables, passage: Passage) -> Ruling:
    def each() -> Iterator[tuple[str, bool | None, str]]:
        for word in words(passage.text):
            count = len(syllables(word))
            holds = within(count, check.min, check.max)
            unsure = is_doubtful(word) and within(count + 1, check.min, check.max) != holds
            yield word, None if unsure else holds, f"has {count} syllables: {'-'.join(syllables(word))}"

    return gathered(each(), "word")


def _each_word_stress(check: checks.EachWordStress, passage: Passage) -> Ruling:
    def each() -> Iterator[tuple[str, bool | None, str]]:
        for word in words(passage.text):
            if is_doubtful(word):
                yield word, None if check.on in ("paroxytone", "proparoxytone") else False, "can be divided in two ways"
            else:
                position = stress_position(word)
                yield word, position == check.on, f"is {position or 'stressed where no word can be'}"

    return gathered(each(), "word")


def _syllables_per_line(check: checks.SyllablesPerLine, passage: Passage) -> Ruling:
    counts = check.counts * len(passage.parts) if len(check.counts) == 1 else check.counts
    if len(counts) != len(passage.parts):
        return ruled(False, f"{len(passage.parts)} lines, not {len(counts)}")
    count = _metrical if check.kind == "metrical" else _grammatical
    return gathered(((line, *count(line, wanted)) for line, wanted in zip(passage.parts, counts, strict=True)), "line")


def _metrical(line: str, wanted: int) -> tuple[bool | None, str]:
    try:
        found = measure(line)
    except ValueError:
        return False, "has no words"
    if any(letter.isdigit() for letter in line):
        return None, "has digits, which can be read in several ways"
    said = f"can be read with {found.low}" + (f" to {found.high}" if found.high > found.low else "") + " syllables"
    if found.low <= wanted <= found.high:
        return True, said
    return (None if found.least <= wanted <= found.most else False), said


def _grammatical(line: str, wanted: int) -> tuple[bool | None, str]:
    count = sum(len(syllables(word)) for word in words(line))
    doubtful = sum(is_doubtful(word) for word in words(line))
    holds = count == wanted
    return (None if not holds and count < wanted <= count + doubtful else holds), f"has {count} syllables"


def _rhyme(check: checks.Rhyme, passage: Passage) -> Ruling:
    if len(passage.parts) != len(check.scheme):
        return ruled(False, f"{len(passage.parts)} lines for the scheme {check.scheme}")
    ends = [words(line)[-1] for line in passage.parts]
    undecided = ""
    for (one, first), (other, second) in combinations(zip(check.scheme, ends, strict=True), 2):
        heard = rhymes(first, second)
        if heard is not None and heard != (one == other):
            return ruled(False, f"«{first}» and «{second}» {'rhyme' if heard else 'do not rhyme'}")
        if heard is None and one == other:
            undecided = undecided or f"whether «{first}» and «{second}» rhyme in full, spelling does not show"
    return Ruling(Verdict.UNDECIDED, undecided) if undecided else ruled(True, ", ".join(ends))


def _each_word_rhymes_with(check: checks.EachWordRhymesWith, passage: Passage) -> Ruling:
    """The word itself is overlooked among others: answers say what they rhyme with."""
    itself = spoken(check.word)
    entries = [entry for entry in passage.parts if spoken(entry) != itself]
    if not entries:
        return ruled(False, f"only «{check.word}» itself")
    return gathered(((entry, rhymes(words(entry)[-1], check.word), "by its ending") for entry in entries), "word")


def _divided(check: checks.Divided, passage: Passage) -> Ruling:
    text = spoken(passage.text)
    return gathered((_division(entry, text) for entry in check.words), "word")


def _division(entry: str, text: str) -> tuple[str, bool | None, str]:
    """Whether a word stands divided as wanted, or in some other way; undecided where it is never divided."""
    parts = spoken(entry).split("-")
    word = "".join(parts)
    if re.search(rf"(?<!\w){_BETWEEN.join(map(re.escape, parts))}(?!\w)", text):
        return word, True, f"is divided {entry}"
    anyhow = rf"(?<!\w){f'(?:{_BETWEEN})?'.join(map(re.escape, word))}(?!\w)"
    other = next((found[0] for found in re.finditer(anyhow, text) if found[0] != word), "")
    return word, (False if other else None), f"is divided {other}" if other else "is not divided"


SOUND_RULES: Mapping[type[Any], Callable[[Any, Passage], Ruling]] = {
    checks.EachWordSyllables: _each_word_syllables,
    checks.EachWordStress: _each_word_stress,
    checks.SyllablesPerLine: _syllables_per_line,
    checks.Rhyme: _rhyme,
    checks.EachWordRhymesWith: _each_word_rhymes_with,
    checks.Divided: _divided,
}
