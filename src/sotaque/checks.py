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

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

Read = Literal["sentence", "text", "list", "verses", "answer"]
Stress = Literal["oxytone", "paroxytone", "proparoxytone"]
Syllables = Literal["metrical", "grammatical"]

_STRICT = {"extra": "forbid"}


def as_json(check: Check) -> dict[str, object]:
    """The check as its row writes it, every field spelt out."""
    return asdict(check)


def described(check: Check) -> str:
    """One line for people: the rule and what it asks for."""
    wanted = {name: value for name, value in asdict(check).items() if name not in ("rule", "read")}
    parts = [f"{name} {_shown(value)}" for name, value in wanted.items() if value not in (None, False)]
    return " ".join([check.rule, *([f"({', '.join(parts)})"] if parts else []), f"of the {check.read}"])


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _range(low: int, high: int | None) -> None:
    if low < 0 or (high is not None and high < max(low, 1)) or (low == 0 and high is None):
        raise ValueError("'min' and 'max' are whole numbers, and 'max' is not below 'min'; one of them is needed")


def _texts(name: str, *texts: str) -> None:
    if not texts or not all(text.strip() for text in texts):
        raise ValueError(f"'{name}' is empty")


def _counts(name: str, counts: tuple[int, ...]) -> None:
    if not counts or min(counts) < 1:
        raise ValueError(f"'{name}' holds whole numbers from 1 up")


def _letter(letter: str) -> None:
    if len(letter) != 1 or not letter.isalpha():
        raise ValueError("'letter' is one letter")


# ---------------------------------------------------------------- how many, how long


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range:
    """From ``min`` to ``max``, both included; without ``max`` there is no upper bound."""

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        _range(self.min, self.max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(_Range):
    """How many words the sentence or text has; what is joined by hyphens is one."""

    __pydantic_config__ = _STRICT
    rule: Literal["words"] = "words"
    read: Literal["sentence", "text"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(_Range):
    """How many different entries the list has."""

    __pydantic_config__ = _STRICT
    rule: Literal["listed"] = "listed"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(_Range):
    """How many lines there are."""

    __pydantic_config__ = _STRICT
    rule: Literal["lines"] = "lines"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordLetters(_Range):
    """How many letters each word has (counted on NFC)."""

    __pydantic_config__ = _STRICT
    rule: Literal["each_word_letters"] = "each_word_letters"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordSyllables(_Range):
    """How many grammatical syllables each word has; undecided for history-like endings (*his-tó-ri-a*)."""

    __pydantic_config__ = _STRICT
    rule: Literal["each_word_syllables"] = "each_word_syllables"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLengths:
    """The letters of the first word, the second ...: as many words as ``lengths``."""

    __pydantic_config__ = _STRICT
    lengths: tuple[int, ...]
    rule: Literal["word_lengths"] = "word_lengths"
    read: Literal["sentence"] = "sentence"

    def __post_init__(self) -> None:
        _counts("lengths", self.lengths)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsPerLine:
    """The words of the first line, the second ...: as many lines as ``counts``."""

    __pydantic_config__ = _STRICT
    counts: tuple[int, ...]
    rule: Literal["words_per_line"] = "words_per_line"
    read: Literal["verses"] = "verses"

    def __post_init__(self) -> None:
        _counts("counts", self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyllablesPerLine:
    """Syllables of each line; one count holds for every line, several are for as many lines, in order.

    Metrical ones are counted up to the last stressed syllable, and vowels that meet between words may run together.
    """

    __pydantic_config__ = _STRICT
    counts: tuple[int, ...]
    kind: Syllables = "metrical"
    rule: Literal["syllables_per_line"] = "syllables_per_line"
    read: Literal["verses"] = "verses"

    def __post_init__(self) -> None:
        _counts("counts", self.counts)


# ---------------------------------------------------------------- beginnings, endings, letters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A piece of text; case never counts, and beginnings, endings and insides compare without accents."""

    text: str

    def __post_init__(self) -> None:
        _texts("text", self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordStartsWith(_Text):
    """Every word begins with it."""

    __pydantic_config__ = _STRICT
    rule: Literal["each_word_starts_with"] = "each_word_starts_with"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordEndsWith(_Text):
    """Every word ends in it."""

    __pydantic_config__ = _STRICT
    rule: Literal["each_word_ends_with"] = "each_word_ends_with"
    read: Literal["sentence", "list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordContains(_Text):
    """Every word has it inside, at an edge or not."""

    __pydantic_config__ = _STRICT
    rule: Literal["each_word_contains"] = "each_word_contains"
    read: Literal["sentence", "list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class EachLineStartsWith(_Text):
    """Every line begins with these words."""

    __pydantic_config__ = _STRICT
    rule: Literal["each_line_starts_with"] = "each_line_starts_with"
    read: Literal["verses"] = "verses"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsStartingWith:
    """At least ``min`` words begin with the text (alliteration)."""

    __pydantic_config__ = _STRICT
    text: str
    min: int
    rule: Literal["words_starting_with"] = "words_starting_with"
    read: Literal["sentence", "text"] = "sentence"

    def __post_init__(self) -> None:
        _texts("text", self.text)
        _range(self.min, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrences:
    """A group of letters occurs at least ``min`` times."""

    __pydantic_config__ = _STRICT
    text: str
    min: int
    rule: Literal["occurrences"] = "occurrences"
    read: Literal["sentence", "text"] = "text"

    def __post_init__(self) -> None:
        _texts("text", self.text)
        _range(self.min, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutLetter:
    """A letter does not occur, with or without accent."""

    __pydantic_config__ = _STRICT
    letter: str
    rule: Literal["without_letter"] = "without_letter"
    read: Literal["sentence", "text"] = "sentence"

    def __post_init__(self) -> None:
        _letter(self.letter)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyVowel:
    """No other vowel occurs, with or without accent."""

    __pydantic_config__ = _STRICT
    letter: str
    rule: Literal["only_vowel"] = "only_vowel"
    read: Literal["sentence", "text"] = "sentence"

    def __post_init__(self) -> None:
        _letter(self.letter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Initials:
    """The words begin with these letters, in order, one word for each."""

    __pydantic_config__ = _STRICT
    letters: str
    rule: Literal["initials"] = "initials"
    read: Literal["sentence"] = "sentence"

    def __post_init__(self) -> None:
        _texts("letters", self.letters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acrostic:
    """The lines begin with the letters of the word, one line for each, accents aside."""

    __pydantic_config__ = _STRICT
    word: str
    rule: Literal["acrostic"] = "acrostic"
    read: Literal["verses"] = "verses"

    def __post_init__(self) -> None:
        _texts("word", self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Palindrome:
    """The letters read the same from both ends; accents, spaces and punctuation aside."""

    __pydantic_config__ = _STRICT
    rule: Literal["palindrome"] = "palindrome"
    read: Literal["sentence", "list"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pangram:
    """All 26 letters occur; with ``accented``, á à â ã ç é ê í ó ô õ ú as well."""

    __pydantic_config__ = _STRICT
    accented: bool = False
    rule: Literal["pangram"] = "pangram"
    read: Literal["sentence"] = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Isogram:
    """No word uses a letter twice; é and e are one letter."""

    __pydantic_config__ = _STRICT
    rule: Literal["isogram"] = "isogram"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnagramOf:
    """Each entry has the letters of the word, in another order, accents aside."""

    __pydantic_config__ = _STRICT
    word: str
    rule: Literal["anagram_of"] = "anagram_of"
    read: Literal["list"] = "list"

    def __post_init__(self) -> None:
        _texts("word", self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """A chain of words of one length from the first to the last, each differing from the one before in one letter."""

    __pydantic_config__ = _STRICT
    first: str
    last: str
    rule: Literal["ladder"] = "ladder"
    read: Literal["list"] = "list"

    def __post_init__(self) -> None:
        _texts("first", self.first, self.last)


# ---------------------------------------------------------------- sound


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhyme:
    """The lines rhyme as the scheme says, one letter for each line; different letters do not rhyme."""

    __pydantic_config__ = _STRICT
    scheme: str
    rule: Literal["rhyme"] = "rhyme"
    read: Literal["verses"] = "verses"

    def __post_init__(self) -> None:
        if not self.scheme.isascii() or not self.scheme.isalpha() or not self.scheme.isupper():
            raise ValueError("'scheme' is a row of capital letters, such as ABAB")


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordRhymesWith:
    """Every entry rhymes with the word, and is another word."""

    __pydantic_config__ = _STRICT
    word: str
    rule: Literal["each_word_rhymes_with"] = "each_word_rhymes_with"
    read: Literal["list"] = "list"

    def __post_init__(self) -> None:
        _texts("word", self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWordStress:
    """Where each word is stressed; undecided for history-like endings."""

    __pydantic_config__ = _STRICT
    on: Stress
    rule: Literal["each_word_stress"] = "each_word_stress"
    read: Literal["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Divided:
    """Words are divided into syllables as here, syllables joined by hyphens: "bor-bo-le-ta"."""

    __pydantic_config__ = _STRICT
    words: tuple[str, ...]
    rule: Literal["divided"] = "divided"
    read: Literal["answer"] = "answer"

    def __post_init__(self) -> None:
        _texts("words", *self.words)


# ---------------------------------------------------------------- what is said


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """All of these words or phrases occur, accents and all; "a|b" stands for either. Case does not count."""

    __pydantic_config__ = _STRICT
    all: tuple[str, ...]
    rule: Literal["names"] = "names"
    read: Literal["answer"] = "answer"

    def __post_init__(self) -> None:
        _texts("all", *(each for entry in self.all for each in entry.split("|")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoids:
    """None of these words or phrases occurs."""

    __pydantic_config__ = _STRICT
    texts: tuple[str, ...]
    rule: Literal["avoids"] = "avoids"
    read: Literal["text"] = "text"

    def __post_init__(self) -> None:
        _texts("texts", *self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """These words or phrases occur in this order."""

    __pydantic_config__ = _STRICT
    texts: tuple[str, ...]
    rule: Literal["in_order"] = "in_order"
    read: Literal["text"] = "text"

    def __post_init__(self) -> None:
        _texts("texts", *self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsesWords:
    """The sentence is made of exactly these words, each as often as here, in any order."""

    __pydantic_config__ = _STRICT
    words: tuple[str, ...]
    rule: Literal["uses_words"] = "uses_words"
    read: Literal["sentence"] = "sentence"

    def __post_init__(self) -> None:
        _texts("words", *self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """The number that the answer arrives at, in digits or words; ``units`` are the words it counts ("letras")."""

    __pydantic_config__ = _STRICT
    value: int
    units: tuple[str, ...] = ()
    rule: Literal["number"] = "number"
    read: Literal["answer"] = "answer"


Check: TypeAlias = (
    Words
    | Listed
    | Lines
    | EachWordLetters
    | EachWordSyllables
    | WordLengths
    | WordsPerLine
    | SyllablesPerLine
    | EachWordStartsWith
    | EachWordEndsWith
    | EachWordContains
    | EachLineStartsWith
    | WordsStartingWith
    | Occurrences
    | WithoutLetter
    | OnlyVowel
    | Initials
    | Acrostic
    | Palindrome
    | Pangram
    | Isogram
    | AnagramOf
    | Ladder
    | Rhyme
    | EachWordRhymesWith
    | EachWordStress
    | Divided
    | Names
    | Avoids
    | InOrder
    | UsesWords
    | Number
)
