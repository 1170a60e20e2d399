"""What the rules share: verdicts, and the forms in which letters are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Of one rule."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Ruling:
    """Verdict of a rule on one passage, and what was found where."""

    verdict: Verdict
    found: str


def ruled(holds: bool, found: str) -> Ruling:
    """A ruling without a middle."""
    return Ruling(Verdict.HOLDS if holds else Verdict.FAILS, found)


def gathered(parts: Iterable[tuple[str, bool | None, str]], what: str) -> Ruling:
    """Of each part: (text, whether the rule holds, what was found); the first that fails, else that is undecided."""
    undecided = ""
    for number, (text, holds, found) in enumerate(parts, start=1):
        said = f"{what} {number}, «{text}», {found}"
        if holds is False:
            return Ruling(Verdict.FAILS, said)
        if holds is None:
            undecided = undecided or said
    return Ruling(Verdict.UNDECIDED, undecided) if undecided else Ruling(Verdict.HOLDS, f"every {what} keeps to it")


def within(count: int, low: int, high: int | None) -> bool:
    """Whether a count lies in a range; without ``high`` there is no upper bound."""
    return low <= count and (high is None or count <= high)


def letters(text: str) -> str:
    """The letters of a text, accents kept, counted on NFC, in lower case."""
    return "".join(letter for letter in unicodedata.normalize("NFC", text).lower() if letter.isalpha())


def bare(text: str) -> str:
    """In lower case and without accents; ç is c."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def bare_letters(text: str) -> str:
    """The letters alone, without accents: the form of palindromes and anagrams."""
    return letters(bare(text))


def spoken(text: str) -> str:
    """The form in which words and phrases are looked for: NFC, lower case, single spaces, one hyphen, accents kept."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return " ".join(re.sub("[‐‑]", "-", folded).split())


def place_of(phrase: str, text: str) -> int:
    """Where a phrase stands as whole words in a text (both ``spoken``), or -1."""
    found = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-]*\w)", text)
    return found.start() if found else -1
