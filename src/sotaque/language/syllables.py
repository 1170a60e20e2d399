"""Syllables and stress of Portuguese words, from their spelling (1990 agreement).

Syllables are the grammatical ones, as dictionaries divide words: *ru-í-na*, *car-ro*, *pás-sa-ro*, *ad-vo-ga-do*.
*história* has an end that grammars divide in two ways (*-ria*, *-ri-a*): it is kept whole, and ``is_doubtful`` says so.

Spelling decides nearly everything; what it does not (*sub-li-nhar*, *re-u-nir*) is a short table of exceptions.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

VOWELS = "aeiouáàâãéêíóôõú"
_GLIDES = "iu"
_OPEN = "aeoáàâãéêóôõ"
_NASAL = ("ãe", "ão", "õe", "ãi")
_FALLING = {first + glide for first in "aeoáâéêóô" for glide in _GLIDES} | {"iu", "ui", *_NASAL}
_WHOLE = {"ao": "ao", "aos": "aos"}

_BEGINNINGS = (
    ("sublinh", ("sub", "linh")),
    ("subloc", ("sub", "loc")),
    ("subleg", ("sub", "leg")),
    ("sublun", ("sub", "lun")),
    ("subrog", ("sub", "rog")),
    ("reuni", ("re", "uni")),
    ("reutil", ("re", "util")),
    ("reuso", ("re", "uso")),
    ("proib", ("pro", "ib")),
)
"""Words whose prefix keeps its own syllable, which spelling alone does not show."""

_DIGRAPHS = ("ch", "lh", "nh")
_CLUSTERS = frozenset(stop + liquid for stop in "pbtdcgfv" for liquid in "rl")
_CODA = "lmnrz"

Position = Literal["oxytone", "paroxytone", "proparoxytone"]


@lru_cache(maxsize=4096)
def syllables(word: str) -> tuple[str, ...]:
    """The grammatical syllables of a word; parts joined by hyphens are divided each for itself.

    Args:
        word: letters, hyphens and apostrophes only; case is kept.
    """
    word = unicodedata.normalize("NFC", word)
    return tuple(part for piece in re.split(r"[-'’]", word) if piece for part in _divided(piece))


def is_doubtful(word: str) -> bool:
    """Whether grammars differ on how many syllables the word has: *his-tó-ria* or *his-tó-ri-a*, *á-gua* not."""
    parts = syllables(word)
    return len(parts) > 1 and bool(re.search(r"(?<![qg])[eiou][aeo]s?$", parts[-1].lower()))


@lru_cache(maxsize=4096)
def stressed(word: str) -> int:
    """Index of the stressed syllable in ``syllables(word)``; of the first part, where a pronoun hangs on a verb.

    Raises:
        ValueError: the word has no syllable.
    """
    first = re.split(r"[-'’]", unicodedata.normalize("NFC", word))[0]
    parts = [part.lower() for part in syllables(first)]
    if not parts:
        raise ValueError(f"'{word}' has no syllable")
    for marks in ("áéíóúâêô", "ãõ"):
        marked = [index for index, part in enumerate(parts) if any(mark in part for mark in marks)]
        if marked:
            return marked[-1]
    return max(0, len(parts) - (2 if re.search(r"(?:[aeo]s?|[ae]m|ens)$", parts[-1]) and not _glides(parts[-1]) else 1))


def stress_position(word: str) -> Position | None:
    """Where a word is stressed; ``None`` where that lies further back than Portuguese has it."""
    back = len(syllables(re.split(r"[-'’]", word)[0])) - 1 - stressed(word)
    names: tuple[Position, ...] = ("oxytone", "paroxytone", "proparoxytone")
    return names[back] if back < len(names) else None


def nucleus(syllable: str) -> tuple[str, str, str]:
    """(what is before the vowel, the vowels, what follows), in lower case; the u of *que*, *gua* is before them."""
    found = re.fullmatch(rf"((?:[qg]u(?=[{VOWELS}])|[^{VOWELS}])*)([{VOWELS}]*)(.*)", syllable.lower(), re.DOTALL)
    return (found[1], found[2], found[3]) if found else (syllable.lower(), "", "")


def _glides(syllable: str) -> bool:
    return nucleus(syllable)[1] in _FALLING


def _divided(piece: str) -> tuple[str, ...]:
    low = piece.lower()
    if low in _WHOLE:
        return (piece,)
    for beginning, parts in _BEGINNINGS:
        if low.startswith(beginning):
            cut = len(parts[0])
            return (*_divided(piece[:cut]), *_divided(piece[cut:]))
    nuclei = _nuclei(low)
    if len(nuclei) < 2:
        return (piece,)
    cuts = [0]
    for (_, end), (start, _) in zip(nuclei, nuclei[1:], strict=False):
        cuts.append(start - _onset(low[end:start]))
    return tuple(piece[start:end] for start, end in zip(cuts, [*cuts[1:], len(piece)], strict=True))


def _nuclei(word: str) -> list[tuple[int, int]]:
    """Spans of the vowels of each syllable."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(word):
        if word[at] not in VOWELS or _is_onset_u(word, at):
            at += 1
            continue
        size = 2 if _is_diphthong(word, at) else 1
        if _is_doubtful_end(word, at, size):
            size = 2
        found.append((at, at + size))
        at += size
    return found


def _is_onset_u(word: str, at: int) -> bool:
    """The u of *que*, *água*: silent or a glide before the vowel, so part of the onset."""
    return word[at] == "u" and at > 0 and word[at - 1] in "qg" and word[at + 1 : at + 2] in (*VOWELS,)


def _is_diphthong(word: str, at: int) -> bool:
    pair, after = word[at : at + 2], word[at + 2 :]
    if pair not in _FALLING:
        return False
    if pair == "õe":
        return not after.startswith("m")
    if pair in _NASAL:
        return True
    if after.startswith("nh") or after[:2] in ("iu", "ui") or (pair[1] == "i" and after in ("u", "us")):
        return False  # mo-i-nho, cons-ti-tu-iu, ca-iu
    if pair == "ui" and after.startswith("ç"):
        return False  # cons-ti-tu-i-ção
    closes = after[:1] and after[0] in _CODA and after[1:2] not in (*VOWELS, "h")
    return not closes or (pair == "ui" and after.startswith("nt"))  # ru-im, ca-ir, a-in-da


def _is_doubtful_end(word: str, at: int, size: int) -> bool:
    """*-ia*, *-ua*, *-ea* ... at the end of a word that has its accent on an earlier vowel."""
    if size != 1 or not re.fullmatch(r"(?:[iu][aeo]|ea|eo|oa)s?", word[at:]):
        return False
    return any(letter in "áéíóúâêô" for letter in word[:at])


def _onset(consonants: str) -> int:
    """How many of the letters between two vowels open the second syllable."""
    last = consonants
    if last.endswith(("qu", "gu")):
        return 2
    if last[-2:] in _DIGRAPHS or last[-2:] in _CLUSTERS:
        return 2
    return min(1, len(last))
