"""Label alphabets: which signs stand before the options, and which other signs mean the same one.

The same label: full-width, circled and mathematical letters (Ｂ Ⓑ 𝐁), lower case where the alphabet has one case,
Persian, Arabic and ASCII digits (۲ ٢ 2), Arabic for Persian letters, harakat and tatweel (هـ). Persian الف may also be
written ا, آ or أ, as lists in Persian and Arabic books do, and ج and د may be named (جیم, دال).

Not the same label: a letter of another script with the same rank (B for ب) or the same look (Cyrillic В for B), and a
rank for a letter (۲ for ب): taking those would be guessing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from sotaque.language.normalize import plain

ALIASES: dict[str, tuple[str, ...]] = {"الف": ("ا", "آ", "أ"), "ج": ("جیم",), "د": ("دال",)}

# One-letter words of the Latin script: articles, conjunctions and pronouns of one language or another.
WORDS = frozenset("aeiouy")


class Need(IntEnum):
    """What must follow a label token before it may be taken for a label."""

    BOUNDARY = 0
    CLAUSE_END = 1
    TIGHT_END = 2


@dataclass(frozen=True, slots=True)
class Token:
    """A label found in a plain text, as a whole token; whether it is an answer is for others to decide."""

    position: int
    start: int
    end: int
    need: Need


@lru_cache(maxsize=256)
def labels_for(spec: str, n: int) -> tuple[str, ...]:
    """The first ``n`` labels of an alphabet written as in suite.toml: ``"A B C D"``, ``"الف ب ج د"``.

    Raises:
        ValueError: fewer labels than options, or two labels that cannot be told apart.
    """
    labels = tuple(spec.split())
    if len(labels) < n:
        raise ValueError(
            f"the labels '{spec}' name {len(labels)} options, but there are {n}: add {n - len(labels)} more, "
            "separated by spaces"
        )
    seen: dict[str, str] = {}
    for label in labels:
        form = plain(label)
        if not form.strip() or form in seen:
            raise ValueError(f"the label '{label}' is empty or the same as '{seen.get(form, '')}': labels must differ")
        seen[form] = label
    return labels[:n]


class Alphabet:
    """The labels of one item, ready to be looked for."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self.needs: dict[str, tuple[int, Need]] = {}
        own = [plain(label) for label in labels]
        for position, label in enumerate(own):
            if not label.strip():
                continue
            self.needs[label] = (position, _need(label, label))
        for position, label in enumerate(own):
            for other in (label.lower(), label.upper(), *ALIASES.get(label, ())) if label.strip() else ():
                self.needs.setdefault(other, (position, _need(other, label)))
        self.numeric = any(label.strip().isdigit() for label in own)
        signs = sorted(self.needs, key=len, reverse=True)
        self.pattern = "|".join(re.escape(sign) for sign in signs) or r"(?!)"
        self._token = re.compile(rf"(?<!\w)(?<!\w['’.,/-])(?:{self.pattern})(?!\w|['’]\w|\.?[+#%°²]|[.,٫:/-]\d)")

    def __len__(self) -> int:
        return len(self.labels)

    def position(self, sign: str) -> int | None:
        """Which label a sign (plain form) means, if any."""
        found = self.needs.get(sign)
        return found[0] if found else None

    def tokens(self, text: str) -> Iterator[Token]:
        """Every whole-token label in a plain text, in order."""
        for match in self._token.finditer(text):
            start, end = match.span()
            if _marked(text, start - 1) or _marked(text, end) or _compound(text, start, end):
                continue
            position, need = self.needs[match.group()]
            yield Token(position, start, end, need)

    def unfinished(self, sign: str) -> bool:
        """Whether a text cut off right after this sign may have been about to write something else.

        "1" may become "10", ا may become این, "a" may be an article; B and ب are what they are.
        """
        position, need = self.needs[sign]
        if sign in WORDS or (need is Need.CLAUSE_END and sign.lower() == sign.upper()):
            return True
        return any(other.startswith(sign) and at != position for other, (at, _) in self.needs.items())


@lru_cache(maxsize=256)
def alphabet(labels: tuple[str, ...]) -> Alphabet:
    """The (cached) alphabet of these labels."""
    return Alphabet(labels)


def _need(sign: str, label: str) -> Need:
    cased = sign.lower() != sign.upper()
    word = sign.lower() in WORDS
    if cased and sign == sign.lower():
        return Need.TIGHT_END if word and sign != label else Need.CLAUSE_END
    alias = not cased and sign != label
    return Need.CLAUSE_END if word or alias else Need.BOUNDARY


def _marked(text: str, index: int) -> bool:
    """A combining mark belongs to a letter, so a label beside one is part of a word (Devanagari क in का)."""
    return 0 <= index < len(text) and unicodedata.category(text[index])[0] == "M"


def _compound(text: str, start: int, end: int) -> bool:
    """E-mail, D.C., A/C: Latin letters glued to more text by a hyphen, a stop or a slash are part of it.

    In Persian lists the text often follows its sign without a space ("ب-متن"); in Latin ones so does a word after a
    stop at the head of a line ("B.Devagar").
    """
    glue, following = text[end : end + 1], text[end + 1 : end + 4]
    if not glue or glue not in ".-/" or not following[:1].isalnum():
        return False
    if glue == "." and len(following) == 3 and following.isalpha() and text[:start].rpartition("\n")[2].strip() == "":
        return False
    return glue == "/" or text[start].isascii()
