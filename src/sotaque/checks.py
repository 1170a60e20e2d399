"""What an answer must keep to where that can be decided by rule: a closed vocabulary, pure data.

An item of a suite carries its checks in its JSONL row; ``data.checks`` reads them and ``scoring.verify`` applies them.

    {"rule": "words", "min": 6}, {"rule": "each_word_starts_with", "text": "p"}, {"rule": "rhyme", "scheme": "ABAB"}

A check says that the answer keeps to one rule, not that it is good: what a rule cannot see is a judge's. ``read`` names
the part of an answer that a check is about (docs/alba.md says how each is found):

    sentence    one sentence that was asked for     its words
    text        all that was written as the answer  its words
    list        words that were asked for           its entries
    verses      a poem                              its lines
    answer      everything, explanations included
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from typing import Literal, TypeAlias, cast

Read = Literal["sentence", "text", "list", "verses", "answer"]
Stress = Literal["oxytone", "paroxytone", "proparoxytone"]
Syllables = Literal["metrical", "grammatical"]


def as_json(check: Check) -> dict[str, object]:
    """The check as its row writes it, every field spelt out."""
    return asdict(check)


def described(check: Check) -> str:
    """One line for people: the rule and what it asks for."""
    wanted = {name: value for name, value in asdict(check).items() if name not in ("rule", "read")}
    parts = [f"{name} {_shown(value)}" for name, value in wanted.items() if value not in (None, False)]
    return " ".join([check.rule, *([f"({', '.join(parts)})"] if parts else []), f"of the {check.read}"])


def _shown(value: object) -> str:
    each = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    return " ".join(map(str, each))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """What all have in common: no unknown keys, no empty texts, counts from 1 up.

    Raises:
        ValueError: a value that the rule cannot have.
    """

    __pydantic_config__ = {"extra": "forbid"}

    def __post_init__(self) -> None:
        for field in fields(self):
            _sound(field.name, getattr(self, field.name))


def _sound(name: str, value: object) -> None:
    each = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    if (not each and name != "units") or any(
        isinstance(one, str) and not all(part.strip() for part in one.split("|")) for one in each
    ):
        raise ValueError(f"'{name}' is empty")
    if name == "min" and cast(int, value) < 1:
        raise ValueError("'min' is a whole number from 1 up")
    if name in ("lengths", "counts") and min(cast("tuple[int, ...]", each)) < 1:
        raise ValueError(f"'{name}' holds whole numbers from 1 up")
    if name == "letter" and not (isinstance(value, str) and len(value) == 1 and value.isalpha()):
        raise ValueError("'letter' is one letter")
    if name == "scheme" and not (isinstance(value, str) and re.fullmatch("[A-Z]+", value)):
        raise ValueError("'scheme' is a row of capital letters, such as ABAB")


# ---------------------------------------------------------------- how many, how long


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range(_Rule):
    """From ``min`` to ``max``, both included; without ``max`` there is no upper bound."""

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        if self.min < 0 or (self.max is not None and self.max < max(self.min, 1)) or (not self.min and not self.max):
            raise ValueError("'min' and 'max' are whole numbers, and 'max' is not below 'min'; one of them is needed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(_Range):
    """How many words the sentence or text has; what is joined by hyphens is one."""

    rule: Literal["words"] = "words"
    read: Literal["sentence", "text"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(_Range):
    """How many different entries the list has."""

    rule: Literal["listed"] = "listed"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(_Range):
    """How many lines there are."""

    rule: Literal["lines"] = "lines"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordLetters(_Range):
    """How many letters each word has (counted on NFC)."""

    rule: Literal["each_word_letters"] = "each_word_letters"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordSyllables(_Range):
    """How many grammatical syllables each word has; undecided for history-like endings (*his-tó-ri-a*)."""

    rule: Literal["each_word_syllables"] = "each_word_syllables"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLengths(_Rule):
    """The letters of the first word, the second ...: as many words as ``lengths``."""

    lengths: tuple[int, ...]
    rule: Literal["word_lengths"] = "word_lengths"
    read: Literal["sentence"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsPerLine(_Rule):
    """The words of the first line, the second ...: as many lines as ``counts``."""

    counts: tuple[int, ...]
    rule: Literal["words_per_line"] = "words_per_line"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyllablesPerLine(_Rule):
    """Syllables of each line; one count holds for every line, several are for as many lines, in order.

    Metrical ones are counted up to the last stressed syllable, and vowels that meet between words may run together.
    """

    counts: tuple[int, ...]
    kind: Syllables = "metrical"
    rule: Literal["syllables_per_line"] = "syllables_per_line"
    read: Literal["verses"] = "verses"


# ---------------------------------------------------------------- beginnings, endings, letters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text(_Rule):
    """A piece of text; case never counts, and beginnings, endings and insides compare without accents."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordStartsWith(_Text):
    """Every word begins with it."""

    rule: Literal["each_word_starts_with"] = "each_word_starts_with"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordEndsWith(_Text):
    """Every word ends in it."""

    rule: Literal["each_word_ends_with"] = "each_word_ends_with"
    read: Literal["sentence", "list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordContains(_Text):
    """Every word has it inside, at an edge or not."""

    rule: Literal["each_word_contains"] = "each_word_contains"
    read: Literal["sentence", "list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachLineStartsWith(_Text):
    """Every line begins with these words."""

    rule: Literal["each_line_starts_with"] = "each_line_starts_with"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsStartingWith(_Rule):
    """At least ``min`` words begin with the text (alliteration)."""

    text: str
    min: int
    rule: Literal["words_starting_with"] = "words_starting_with"
    read: Literal["sentence", "text"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrences(_Rule):
    """A group of letters occurs at least ``min`` times."""

    text: str
    min: int
    rule: Literal["occurrences"] = "occurrences"
    read: Literal["sentence", "text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutLetter(_Rule):
    """A letter does not occur, with or without accent."""

    letter: str
    rule: Literal["without_letter"] = "without_letter"
    read: Literal["sentence", "text"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyVowel(_Rule):
    """No other vowel occurs, with or without accent."""

    letter: str
    rule: Literal["only_vowel"] = "only_vowel"
    read: Literal["sentence", "text"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Initials(_Rule):
    """The words begin with these letters, in order, one word for each."""

    letters: str
    rule: Literal["initials"] = "initials"
    read: Literal["sentence"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acrostic(_Rule):
    """The lines begin with the letters of the word, one line for each, accents aside."""

    word: str
    rule: Literal["acrostic"] = "acrostic"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Palindrome(_Rule):
    """The letters read the same from both ends; accents, spaces and punctuation aside."""

    rule: Literal["palindrome"] = "palindrome"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pangram(_Rule):
    """All 26 letters occur; with ``accented``, á à â ã ç é ê í ó ô õ ú as well."""

    accented: bool = False
    rule: Literal["pangram"] = "pangram"
    read: Literal["sentence"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Isogram(_Rule):
    """No word uses a letter twice; é and e are one letter."""

    rule: Literal["isogram"] = "isogram"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnagramOf(_Rule):
    """Each entry has the letters of the word, in another order, accents aside."""

    word: str
    rule: Literal["anagram_of"] = "anagram_of"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder(_Rule):
    """A chain of words of one length from the first to the last, each differing from the one before in one letter."""

    first: str
    last: str
    rule: Literal["ladder"] = "ladder"
    read: Literal["list"] = "list"


# ---------------------------------------------------------------- sound


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhyme(_Rule):
    """The lines rhyme as the scheme says, one letter for each line; different letters do not rhyme."""

    scheme: str
    rule: Literal["rhyme"] = "rhyme"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordRhymesWith(_Rule):
    """Every entry rhymes with the word, and is another word."""

    word: str
    rule: Literal["each_word_rhymes_with"] = "each_word_rhymes_with"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordStress(_Rule):
    """Where each word is stressed; undecided for history-like endings."""

    on: Stress
    rule: Literal["each_word_stress"] = "each_word_stress"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Divided(_Rule):
    """Words are divided into syllables as here, syllables joined by hyphens: "bor-bo-le-ta"."""

    words: tuple[str, ...]
    rule: Literal["divided"] = "divided"
    read: Literal["answer"] = "answer"


# ---------------------------------------------------------------- what is said


@dataclass(frozen=True, slots=True, kw_only=True)
class Names(_Rule):
    """All of these words or phrases occur, accents and all; "a|b" stands for either. Case does not count."""

    all: tuple[str, ...]
    rule: Literal["names"] = "names"
    read: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoids(_Rule):
    """None of these words or phrases occurs."""

    texts: tuple[str, ...]
    rule: Literal["avoids"] = "avoids"
    read: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder(_Rule):
    """These words or phrases occur in this order."""

    texts: tuple[str, ...]
    rule: Literal["in_order"] = "in_order"
    read: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsesWords(_Rule):
    """The sentence is made of exactly these words, each as often as here, in any order."""

    words: tuple[str, ...]
    rule: Literal["uses_words"] = "uses_words"
    read: Literal["sentence"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(_Rule):
    """The number that the answer arrives at, in digits or words; ``units`` are the words it counts ("letras")."""

    value: int
    units: tuple[str, ...] = ()
    rule: Literal["number"] = "number"
    read: Literal["answer"] = "answer"


_Counted: TypeAlias = Words | Listed | Lines | EachWordLetters | EachWordSyllables | WordLengths | WordsPerLine
_Edged: TypeAlias = EachWordStartsWith | EachWordEndsWith | EachWordContains | EachLineStartsWith | WordsStartingWith
_Lettered: TypeAlias = Occurrences | WithoutLetter | OnlyVowel | Initials | Acrostic | Palindrome | Pangram | Isogram
_Sounded: TypeAlias = SyllablesPerLine | Rhyme | EachWordRhymesWith | EachWordStress | Divided
_Said: TypeAlias = AnagramOf | Ladder | Names | Avoids | InOrder | UsesWords | Number

Check: TypeAlias = _Counted | _Edged | _Lettered | _Sounded | _Said
