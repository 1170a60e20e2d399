"""Verse in Portuguese: which words rhyme, and how many metrical syllables a line can have. From spelling.

Spelling does not show everything that is heard (open and closed vowels, *ei* and *ê* in Lisbon), and poets count with
licence. So both answers have a middle: a rhyme may be ``None`` (spelling cannot tell), a count is a range.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sotaque.language.syllables import VOWELS, is_doubtful, nucleus, stressed, syllables

_PLAIN = str.maketrans("áàâéêíóôú", "aaaeeioou")

_SOUNDS = (
    (r"h(?=[aeiouáâãéêíóôõú])", ""),
    (r"ç|ss|sc(?=[eiéêí])|xc(?=[eiéêí])|sç|c(?=[eiéêí])", "S"),
    (rf"(?<=[{VOWELS}])s(?=[{VOWELS}])", "z"),
    (r"z$", "s"),
    (r"g(?=[eiéêí])", "j"),
    (r"gu(?=[eiéêí])", "g"),
    (r"qu(?=[eiéêí])|c", "k"),
    (r"n(?=[^aeiouáâãéêíóôõúh]|$)", "m"),
)
"""Spellings of one sound, so that *cresce* and *desse*, *voz* and *cós* are compared by what is heard."""

_UNSTRESSED = ((r"e(s?)$", r"i\1"), (r"o(s?)$", r"u\1"))
_ENDINGS = ({"em", "ãe"}, {"ems", "ães"})
_ALIKE = ({"ei", "e"}, {"ou", "o"}, {"ãi", "ei"}, {"ãe", "e"}, {"ai", "ei"}, {"ui", "u"}, {"iu", "i"})
"""Stressed vowels that some speakers rhyme, so spelling is not enough to say that they do not."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How many metrical syllables a line can be read with.

    Attributes:
        low, high: with the vowels that meet between words run together wherever they may, and nowhere.
        least, most: with licence inside words as well (*su-a-ve* in two, *sau-da-de* in four).
    """

    low: int
    high: int
    least: int
    most: int


def rhymes(first: str, second: str) -> bool | None:
    """Whether two words rhyme in full (all sounds from the stressed vowel on); ``None`` where spelling cannot say.

    Words that only share their vowels (*lume*, *lua* not; *pinho*, *linho* in full; *fonte*, *longe*) are ``None``:
    popular verse takes them, and stricter readers do not.
    """
    one, other = _ending(first), _ending(second)
    if one.sound == other.sound:
        return None if one.quality and other.quality and one.quality != other.quality else True
    if one.skeleton == other.skeleton:
        return None
    if {one.sound, other.sound} in _ENDINGS:
        return None
    alike = one.vowel == other.vowel or any({one.vowel, other.vowel} == pair for pair in _ALIKE)
    return None if alike and one.rest == other.rest else False


def measure(line: str) -> Measure:
    """The metrical syllables of a line, counted up to its last stressed one.

    Raises:
        ValueError: the line has no word.
    """
    words = [word for word in re.findall(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", unicodedata.normalize("NFC", line))]
    words = [word for word in words if any(letter in VOWELS for letter in word.lower())]
    if not words:
        raise ValueError("a line without words has no metre")
    *before, last = words
    total = sum(len(syllables(word)) for word in before) + _up_to_stress(last)
    meetings = sum(_meet(one, other) for one, other in pairwise(words))
    inside = sum(_hiatuses(word) for word in words)
    doubtful = sum(is_doubtful(word) for word in before)
    glides = sum(_diphthongs(word) for word in words)
    low = total - meetings
    return Measure(low, total + doubtful, max(1, low - inside), total + doubtful + glides)


@dataclass(frozen=True, slots=True)
class _Ending:
    """A word from its stressed vowel on."""

    sound: str
    vowel: str
    rest: str
    skeleton: str
    quality: str


@lru_cache(maxsize=4096)
def _ending(word: str) -> _Ending:
    parts = [part.lower() for piece in re.split(r"[-'’]", word) for part in syllables(piece)]
    at = stressed(word)
    _, vowel, after = nucleus(parts[at])
    rest = after + "".join(parts[at + 1 :])
    quality = "".join(letter for letter in vowel if letter in "éêóô")
    for pattern, sound in _UNSTRESSED:
        rest = re.sub(pattern, sound, rest)
    whole = vowel + rest
    for pattern, sound in _SOUNDS:
        whole = re.sub(pattern, sound, whole)
    whole = whole.translate(_PLAIN)
    vowel = vowel.translate(_PLAIN)
    skeleton = re.sub(r"[^aeiouãõ]", "", whole)
    return _Ending(whole, vowel, whole[len(vowel) :], skeleton, quality[:1])


def _up_to_stress(word: str) -> int:
    return stressed(word) + 1


def _meet(one: str, other: str) -> int:
    """1 where the end of a word can run together with the beginning of the next."""
    ends, begins = one.lower()[-1], other.lower().removeprefix("h")[:1]
    return int(ends in VOWELS and begins in VOWELS)


def _hiatuses(word: str) -> int:
    parts = [part.lower() for part in syllables(word)]
    return sum(one[-1:] in VOWELS and other[:1] in VOWELS for one, other in pairwise(parts))


def _diphthongs(word: str) -> int:
    return sum(len(nucleus(part)[1]) > 1 for part in syllables(word))
