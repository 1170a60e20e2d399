"""European or Brazilian Portuguese? A curated table of weighted cues, and where in a text they stand.

No spelling checker can tell: each accepts words of the other country. The table, ``variety.tsv`` beside this file, is
meant to be read and edited by people who know the language; ``cues`` says how its forms are written.

Most sentences, and most proverbs, are good Portuguese in both countries: *undecided* is a fine answer.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from math import fsum

from sotaque.language.cue_forms import Form, first_words, pattern_of

TABLE = "variety.tsv"
EUROPEAN, BRAZILIAN, BOTH = "pt-PT", "pt-BR", "both"
INITIAL = "initial"

ENOUGH = 1.0
"""The weight that decides. A cue of this weight is enough alone; weaker ones must add up to it."""

CONTAMINATED = 0.1
"""In a text with evidence for both varieties, the weaker one counts from this share of the whole weight up."""

_WORD = re.compile(r"\w+")
_QUOTATION = re.compile('«[^«»]*»|“[^“”]*”|"[^"\n]*"')
_BEFORE_A_CLAUSE = frozenset('.!?…:;—–\n"«“‘([{')


class Verdict(StrEnum):
    """What a text is written in, as far as the cues tell."""

    EUROPEAN = EUROPEAN
    BRAZILIAN = BRAZILIAN
    MIXED = "mixed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Cue:
    """One row of the table.

    Attributes:
        form: how it is written, see ``cues``; unique.
        variety: "pt-PT" or "pt-BR"; "both" for what says nothing and keeps the cues inside it from counting.
        weight: above 0, up to 1, which is enough alone; 0 for "both".
        kind: "lexicon", "spelling", "accent", "grammar" or "phrase".
        flags: "initial" (only where a clause begins), "homograph" (means something else in the other country), "old"
            (a spelling of before 1990, or one that the other country gave up then), "regional".
        reason: what it means, and what the other country has instead.
    """

    form: str
    variety: str
    weight: float
    kind: str
    flags: frozenset[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A cue in a text: ``text[start:end]`` is what was found."""

    start: int
    end: int
    cue: str
    variety: str
    weight: float


@dataclass(frozen=True, slots=True)
class Identified:
    """A text's variety, with what says so in the order of the text."""

    verdict: Verdict
    evidence: tuple[Evidence, ...]

    def weight_of(self, variety: str) -> float:
        """How much speaks for a variety. A cue counts once, however often it occurs: repeating proves nothing."""
        return fsum({each.cue: each.weight for each in self.evidence if each.variety == variety}.values())


def variety_of(text: str, *, quoted: bool = True) -> Identified:
    """Which variety of Portuguese a text is written in.

    Args:
        text: in any Unicode form; case does not matter. Spans refer to it as it is given.
        quoted: whether what stands in « », “ ” or "…" counts; items quote the other variety on purpose.
    """
    composed, places = _composed(text)
    found = _Found(composed, () if quoted else tuple(match.span() for match in _QUOTATION.finditer(composed)))
    spans = [(places[start], places[end], cue) if places else (start, end, cue) for start, end, cue in found.spans()]
    evidence = tuple(Evidence(start, end, cue.form, cue.variety, cue.weight) for start, end, cue in spans)
    return Identified(_verdict(Identified(Verdict.UNDECIDED, evidence)), evidence)


@lru_cache(maxsize=1)
def cues() -> tuple[Cue, ...]:
    """The table. A form is one or more words; white space in a text may be of any kind and length.

    ``(s)`` may be absent, ``(o|a)`` is one of several, ``{estar}`` is one of the words of a class in ``cue_forms``.
    """
    text = (files("sotaque.language") / TABLE).read_text(encoding="utf-8")
    return tuple(_cue(line.split("\t")) for line in text.splitlines()[1:])


def _cue(cells: list[str]) -> Cue:
    form, variety, weight, kind, flags, reason = cells
    return Cue(form, variety, float(weight), kind, frozenset(flags.split(",")) - {""}, reason)


def _verdict(found: Identified) -> Verdict:
    european, brazilian = found.weight_of(EUROPEAN), found.weight_of(BRAZILIAN)
    least = max(ENOUGH, CONTAMINATED * (european + brazilian))
    if min(european, brazilian) >= least:
        return Verdict.MIXED
    if max(european, brazilian) < ENOUGH:
        return Verdict.UNDECIDED
    return Verdict.EUROPEAN if european > brazilian else Verdict.BRAZILIAN


# ---------------------------------------------------------------- looking

_Span = tuple[int, int, Cue]


@dataclass(frozen=True, slots=True)
class _Entry:
    form: Form
    cue: Cue


@lru_cache(maxsize=1)
def _index() -> tuple[dict[str, tuple[_Entry, ...]], tuple[_Entry, ...]]:
    """The cues by the first word of what they match, and those that may begin with any word."""
    by_word: dict[str, list[_Entry]] = {}
    anywhere: list[_Entry] = []
    for cue in cues():
        entry = _Entry(pattern_of(cue.form, one_line=INITIAL in cue.flags), cue)
        words = first_words(cue.form)
        for word in words:
            by_word.setdefault(word, []).append(entry)
        if not words:
            anywhere.append(entry)
    return {word: tuple(entries) for word, entries in by_word.items()}, tuple(anywhere)


@dataclass(frozen=True, slots=True)
class _Found:
    """A composed text, and the parts of it that do not count, in order."""

    text: str
    left_out: tuple[tuple[int, int], ...]

    def spans(self) -> list[_Span]:
        """What counts, in order; a cue inside a longer one does not, unless that one is grammar around it."""
        ordered = sorted(self._all(), key=lambda span: (span[0], -span[1]))
        kept: list[_Span] = []
        covered: list[_Span] = []
        for span in ordered:
            covered = [other for other in covered if other[1] > span[0]]
            if not any(_swallows(other, span) for other in covered):
                kept.append(span)
                covered.append(span)
        return [span for span in kept if span[2].variety != BOTH and not self._is_left_out(span[0])]

    def _all(self) -> Iterator[_Span]:
        lowered = _lowered(self.text)
        by_word, anywhere = _index()
        for word in _WORD.finditer(lowered):
            for entry in by_word.get(word[0], ()):
                match = entry.form.match(lowered, word.start())
                if match and self._may_stand(entry.cue, match.start()):
                    yield *match.span(), entry.cue
        for entry in anywhere:
            yield from ((*match.span(), entry.cue) for match in entry.form.finditer(lowered))

    def _may_stand(self, cue: Cue, start: int) -> bool:
        if INITIAL not in cue.flags:
            return True
        before = start - 1
        while before >= 0 and self.text[before] in " \t\u00a0":
            before -= 1
        return before < 0 or self.text[before] in _BEFORE_A_CLAUSE

    def _is_left_out(self, start: int) -> bool:
        at = bisect_right(self.left_out, (start, len(self.text)))
        return at > 0 and start < self.left_out[at - 1][1]


def _swallows(outer: _Span, inner: _Span) -> bool:
    if not outer[0] <= inner[0] <= inner[1] <= outer[1]:
        return False
    return outer[2].kind != "grammar" or inner[2].kind == "grammar"


# ---------------------------------------------------------------- forms of the text


def _lowered(text: str) -> str:
    """In small letters, each at the place of its capital: ``lower`` may lengthen a text (İ)."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def _composed(text: str) -> tuple[str, list[int]]:
    """A text with its accents composed, and where each place of it is in the given one; no places if they agree."""
    if unicodedata.is_normalized("NFC", text):
        return text, []
    composed: list[str] = []
    places: list[int] = []
    start = 0
    for cluster in _clusters(text):
        letters = unicodedata.normalize("NFC", cluster)
        composed.append(letters)
        places += [start] * len(letters)
        start += len(cluster)
    return "".join(composed), [*places, start]


def _clusters(text: str) -> Iterable[str]:
    """A letter with the marks that belong to it."""
    start = 0
    for at in range(1, len(text)):
        if not unicodedata.combining(text[at]):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]
