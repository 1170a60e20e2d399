"""Rules on words and letters: how many, how long, how they begin and end, which letters they have."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from sotaque import checks
from sotaque.language.syllables import VOWELS
from sotaque.scoring.passages import Passage, words
from sotaque.scoring.rules import Ruling, bare, bare_letters, gathered, letters, ruled, spoken, within

ACCENTED = "áàâãçéêíóôõú"


def _words(check: checks.Words, passage: Passage) -> Ruling:
    return ruled(within(len(passage.parts), check.min, check.max), f"{len(passage.parts)} words")


def _listed(check: checks.Listed, passage: Passage) -> Ruling:
    count = len({spoken(entry) for entry in passage.parts})
    return ruled(within(count, check.min, check.max), f"{count} entries")


def _lines(check: checks.Lines, passage: Passage) -> Ruling:
    return ruled(within(len(passage.parts), check.min, check.max), f"{len(passage.parts)} lines")


def _each_word_letters(check: checks.EachWordLetters, passage: Passage) -> Ruling:
    counts = [(word, len(letters(word))) for word in passage.parts]
    return gathered(((word, within(n, check.min, check.max), f"has {n} letters") for word, n in counts), "word")


def _word_lengths(check: checks.WordLengths, passage: Passage) -> Ruling:
    return _row(tuple(len(letters(word)) for word in passage.parts), check.lengths, "letters of the words")


def _words_per_line(check: checks.WordsPerLine, passage: Passage) -> Ruling:
    return _row(tuple(len(words(line)) for line in passage.parts), check.counts, "words of the lines")


def _row(found: tuple[int, ...], wanted: tuple[int, ...], what: str) -> Ruling:
    return ruled(found == wanted, f"{what}: {', '.join(map(str, found))}")


def _each_word_starts_with(check: checks.EachWordStartsWith, passage: Passage) -> Ruling:
    wanted = bare(check.text)
    return gathered(
        ((word, bare(word).startswith(wanted), f"begins with «{word[:1]}»") for word in passage.parts), "word"
    )


def _each_word_ends_with(check: checks.EachWordEndsWith, passage: Passage) -> Ruling:
    wanted, size = bare(check.text), len(check.text)
    return gathered(
        ((word, bare(word).endswith(wanted), f"ends in «{word[-size:]}»") for word in passage.parts), "word"
    )


def _each_word_contains(check: checks.EachWordContains, passage: Passage) -> Ruling:
    wanted = bare(check.text)
    return gathered(((word, wanted in bare(word), f"against «{check.text}»") for word in passage.parts), "word")


def _each_line_starts_with(check: checks.EachLineStartsWith, passage: Passage) -> Ruling:
    wanted = [bare(word) for word in words(check.text)]
    begins = ((line, [bare(word) for word in words(line)][: len(wanted)] == wanted) for line in passage.parts)
    return gathered(((line, holds, "by its beginning") for line, holds in begins), "line")


def _words_starting_with(check: checks.WordsStartingWith, passage: Passage) -> Ruling:
    found = [word for word in passage.parts if bare(word).startswith(bare(check.text))]
    return ruled(len(found) >= check.min, f"{len(found)} words begin with «{check.text}»: {', '.join(found)}")


def _occurrences(check: checks.Occurrences, passage: Passage) -> Ruling:
    count = bare(passage.text).count(bare(check.text))
    return ruled(count >= check.min, f"«{check.text}» occurs {count} times")


def _without_letter(check: checks.WithoutLetter, passage: Passage) -> Ruling:
    found = [word for word in passage.parts if bare(check.letter) in bare(word)]
    return ruled(not found, f"«{check.letter}» is in: {', '.join(found)}" if found else f"no «{check.letter}»")


def _only_vowel(check: checks.OnlyVowel, passage: Passage) -> Ruling:
    others = set(bare(VOWELS)) - {bare(check.letter)}
    found = [word for word in passage.parts if others & set(bare(word))]
    return ruled(not found, f"other vowels in: {', '.join(found)}" if found else f"no vowel but «{check.letter}»")


def _initials(check: checks.Initials, passage: Passage) -> Ruling:
    found = "".join(bare(word)[:1] for word in passage.parts)
    return ruled(found == bare(check.letters), f"initials «{found}»")


def _acrostic(check: checks.Acrostic, passage: Passage) -> Ruling:
    found = "".join(bare_letters(line)[:1] for line in passage.parts)
    return ruled(found == bare_letters(check.word), f"the lines begin with «{found}»")


def _palindrome(check: checks.Palindrome, passage: Passage) -> Ruling:
    found = bare_letters(passage.text)
    return ruled(found == found[::-1], f"«{found}» is «{found[::-1]}» from the end")


def _pangram(check: checks.Pangram, passage: Passage) -> Ruling:
    wanted = string.ascii_lowercase + (ACCENTED if check.accented else "")
    found = set(letters(passage.text)) | set(bare_letters(passage.text))
    missing = [letter for letter in wanted if letter not in found]
    return ruled(not missing, f"missing: {' '.join(missing)}" if missing else "every letter occurs")


def _isogram(check: checks.Isogram, passage: Passage) -> Ruling:
    twice = [(word, [n for n, count in Counter(bare_letters(word)).items() if count > 1]) for word in passage.parts]
    return gathered(((word, not more, f"repeats: {' '.join(more) or 'none'}") for word, more in twice), "word")


def _anagram_of(check: checks.AnagramOf, passage: Passage) -> Ruling:
    """The word itself is overlooked among others: answers say what they are anagrams of."""
    itself = bare_letters(check.word)
    entries = [entry for entry in passage.parts if bare_letters(entry) != itself] or passage.parts
    same = ((entry, bare_letters(entry)) for entry in entries)
    judged = (
        (entry, sorted(own) == sorted(itself) and own != itself, f"against «{check.word}»") for entry, own in same
    )
    return gathered(judged, "word")


def _ladder(check: checks.Ladder, passage: Passage) -> Ruling:
    chain = [letters(word) for word in passage.parts]
    if (chain[0], chain[-1]) != (letters(check.first), letters(check.last)):
        return ruled(False, f"the chain goes from «{chain[0]}» to «{chain[-1]}»")
    for one, other in pairwise(chain):
        if len(one) != len(other) or sum(a != b for a, b in zip(one, other, strict=True)) != 1:
            return ruled(False, f"«{one}» and «{other}» do not differ in exactly one letter")
    return ruled(True, " → ".join(chain))


def _uses_words(check: checks.UsesWords, passage: Passage) -> Ruling:
    wanted, found = Counter(map(spoken, check.words)), Counter(map(spoken, passage.parts))
    missing, added = wanted - found, found - wanted
    said = [f"{name}: {', '.join(each.elements())}" for name, each in (("missing", missing), ("added", added)) if each]
    return ruled(not said, "; ".join(said) or "the same words")


WORD_RULES: Mapping[type[Any], Callable[[Any, Passage], Ruling]] = {
    checks.Words: _words,
    checks.Listed: _listed,
    checks.Lines: _lines,
    checks.EachWordLetters: _each_word_letters,
    checks.WordLengths: _word_lengths,
    checks.WordsPerLine: _words_per_line,
    checks.EachWordStartsWith: _each_word_starts_with,
    checks.EachWordEndsWith: _each_word_ends_with,
    checks.EachWordContains: _each_word_contains,
    checks.EachLineStartsWith: _each_line_starts_with,
    checks.WordsStartingWith: _words_starting_with,
    checks.Occurrences: _occurrences,
    checks.WithoutLetter: _without_letter,
    checks.OnlyVowel: _only_vowel,
    checks.Initials: _initials,
    checks.Acrostic: _acrostic,
    checks.Palindrome: _palindrome,
    checks.Pangram: _pangram,
    checks.Isogram: _isogram,
    checks.AnagramOf: _anagram_of,
    checks.Ladder: _ladder,
    checks.UsesWords: _uses_words,
}
