"""How firmly a label in a text is announced as the answer, by what stands before and after it."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from sotaque.language.answers import NOTHING, Answering, answering
from sotaque.language.labels import Alphabet, Need, Token

BEFORE, AFTER = 200, 120  # characters of context that are looked at

# Brackets and quotes in either direction: bidirectional text swaps them.
BRACKETS = r"()\[\]{}«»\"'“”„‟‘’‚‹›<>「」『』〈〉《》【】"
_GAP = r"[^.!?؟:;\n]{0,100}?"
_QUESTION = re.compile(rf"[ \t{BRACKETS}]*[?؟]")
_TIGHT = re.compile(r"[\])}»”.\"']*\s*(?:\Z|\n)|[)\]}»”\"'](?!\w)|[.,;](?=\s)")
_ASKED = re.compile(r"[^.!?؟;؛:,،\n]{0,100}[?؟]")
_CLAUSE = re.compile(r"[^.!?؟;؛:,،\n]*\Z")
_CLOSED = re.compile(r"\s*[)\]}»”\"'](?!\w)")


class Firmness(IntEnum):
    """MENTIONED is no answer; LEANING is one when nothing firmer is said; ANNOUNCED is one, and the last one counts."""

    MENTIONED = 0
    LEANING = 1
    ANNOUNCED = 2


class Cues:
    """The compiled tables of some languages.

    Attributes:
        either: what joins two labels of which none was chosen.
        opening: matches the start of a reply up to a label, when an option noun mentions it ("A alternativa ").
        unsure: matches an announcement that declines ("Resposta: não sei").
        function: matches words that are no evidence inside running text.
    """

    def __init__(self, tables: tuple[Answering, ...]) -> None:
        def words(*fields: str) -> str:
            found = [getattr(table, name) for name in fields for table in tables if getattr(table, name) != NOTHING]
            return rf"(?<!\w)(?>(?:{'|'.join(found) or NOTHING})(?!\w))"

        # Every word and every round of a loop is atomic: tables overlap, and backtracking into them is exponential.
        # Small letters only: a capital A between noun and label is a label itself, not an article.
        noun, option, copula, right = words("answer", "option"), words("option"), words("copula"), words("right")
        small = rf"(?-i:{words('filler')})|{words('article')}\s+{option}|{option}|{right}"
        fill = rf"(?>\n\s*[-–•]\s|[\s{BRACKETS}]|{small})*"
        link = rf"(?P<link>:|=|->|→|[–—-](?=\s)|{copula})"
        self._linked = _compiled(rf"{noun}(?P<gap>{_GAP}){link}\s*,?\s*(?:{words('intro')}\s*,?)?{fill}\Z")
        self._hedged = _compiled(rf"{noun}{_GAP}(?P<link>{words('hedged')}){fill}\Z")
        self._hedged_alone = _compiled(rf"(?:\A|\n)\s*(?P<link>{words('hedged')}){fill}\Z")
        self._verdict = _compiled(rf"(?:\A|\n)\s*{right}\s*:{fill}\Z")
        self._titled = _compiled(
            rf"(?:{words('answer')}(?>\s|{right}|{option})*|{option}(?>\s|{words('filler')})*{right}(?>\s|{right})*"
            rf"|{right}\s+{option})[,،]?{fill}\Z"
        )
        self._noun_before = _compiled(rf"{noun}[^.!?؟;\n]{{0,100}}?{fill}\Z")
        self._is_option = _compiled(rf"(?P<link>{copula}){fill}{option}{fill}\Z")
        self._is = _compiled(rf"(?P<link>{copula}){fill}\Z")
        self._chosen_before = _compiled(rf"(?P<link>{words('choose')}){fill}\Z")
        self._contrast = _compiled(rf"{words('no')}[^.!?؟\n]{{0,80}}?{words('contrast')}{fill}\Z")
        self._intro = _compiled(rf"{words('intro')}\s*[,:،!.]?{fill}\Z")
        self._alone = _compiled(rf"(?:\A|[\n.,;:!?؟،])\s*{fill}(?:{option}|{right}\s*:){fill}\Z")
        self._option_before = _compiled(rf"{option}{fill}\Z")
        self._option_just_before = _compiled(rf"{option}[\s{BRACKETS}]*\Z")
        self._no = _compiled(rf"{words('no')}\s*\Z")
        self._no_before = _compiled(rf"{words('no')}{fill}\Z")
        self._lists = _compiled(words("lists"))

        close = rf"(?>[^\S\n]|[{BRACKETS}])*"
        verb, praise = words("copula", "hedged"), words("right", "answer")
        article, more = words("filler", "option"), words("filler", "right", "answer")
        self._affirmed = _compiled(
            rf"{close}[,،]?[ \t]*{verb}\s(?>\s|{article})*{praise}"
            rf"|{close}[,،]?[ \t]*(?>\s|{more})*{praise}\s*(?>\s|{more})*{words('final')}"
            rf"|{close}{words('chosen')}"
            rf"|\s*\(\s*{right}\s*\)|{close}[:–—-][ \t]*{right}\s*(?:[.,;!\n]|\Z)"
        )
        self._final = _compiled(rf"{close}{words('final')}\s*(?:[.,;:!،؛{BRACKETS}\n]|\Z|{words('reason')})")
        self._wrong = _compiled(rf"{close}[:–—-]?[ \t]*{words('wrong')}")
        self._clause_end = _compiled(
            rf"[»”\"'’›]*\s*(?:\Z|\n)|[»”\"'’›]*[.,;:!…)\]}}،؛](?!\w)|\s*[)\]](?!\w)|[»”\"'’›](?!\w)|[.–—-]|\s+[-–—]\s|\s*\(|\s+{words('reason')}"
        )
        self.option = option
        self.either, self.both = words("either"), words("both")
        self.plural, self.final = words("plural"), words("final")
        self.hesitation = rf"(?:[\s,،]*{words('intro')}[\s,،]*)?"
        self.between = rf"(?>[\s{BRACKETS}]|(?-i:{words('article')})|{option})*"
        self.opening = _compiled(rf"[\s{BRACKETS}\-–—•]*(?:{words('article')}\s)?{fill}{option}{fill}\Z")
        self.unsure = _compiled(rf"{noun}{_GAP}(?::|{copula})\s*(?:{words('filler')}\s)?{words('unsure')}")
        self.function = _compiled(words("function") + r"\Z")
        self.conjunction = _compiled(words("both", "either") + r"\Z")
        self._no_word = _compiled(words("no"))
        self._but = _compiled(words("contrast"))
        self._doubt = _compiled(words("doubt"))
        self._about = _compiled(rf"[»”\"'’›]*\s+{words('about')}")
        self._ends = _compiled(rf"{close}{words('final')}\s*(?:[.,;:!،؛{BRACKETS}\n]|\Z)")
        self._corrected = rf"{words('correction')}[\s,.:;!،…–—-]*(?:{words('no')}[\s,.:;!،]*)?"
        self._corrected += rf"(?:{words('intro', 'copula')}[\s,]*)*{fill}"
        self.saying = _compiled(rf"[\s\"')\]}}»”,:]*{words('saying')}")
        self.said = _compiled(rf"\s*{words('final')}\s*(?:[.,;!\n]|\Z)")
        self._before_text = (self._linked, self._chosen_before)

    def firmness(self, text: str, token: Token) -> Firmness:
        """How firmly ``text`` (plain form) announces the label at ``token``; negated mentions are only mentions."""
        left, right = text[max(0, token.start - BEFORE) : token.start], text[token.end : token.end + AFTER]
        if token.need is Need.TIGHT_END and not self.bounded(token, right):
            return Firmness.MENTIONED
        if self.wrong(right) or self._doubted(left):
            return Firmness.MENTIONED
        if self._affirmed_after(left, right, text[token.start : token.end]):
            return Firmness.ANNOUNCED
        if not self.bounded(token, right) and not self._named(token, left):
            return Firmness.MENTIONED
        ends = self._clause_end.match(right) is not None
        if self._announced(left, right, ends):
            return Firmness.MENTIONED if self._article(left, right, token) else Firmness.ANNOUNCED
        leaning = ends and token.need is not Need.TIGHT_END and not self.remarked(right) and self._leans(left)
        return Firmness.LEANING if leaning else Firmness.MENTIONED

    def announces(self, left: str) -> bool:
        """Whether what follows ``left`` is announced as the answer, whatever it is (an option's text)."""
        left = left[-BEFORE:]
        return any(self._linked_by(pattern, left) for pattern in self._before_text)

    def denies(self, left: str) -> bool:
        """Whether the clause at the end of ``left`` negates or doubts what follows it ("não significa", "nem")."""
        clause = _last_clause(left)
        negations = [*self._no_word.finditer(clause), *self._doubt.finditer(clause)]
        return any(not self._but.search(clause, negation.end()) for negation in negations)

    def remarked(self, right: str) -> bool:
        """Whether ``right`` goes on to say something about the label before it ("é literal"), and not that it is it."""
        return self._about.match(right) is not None and not self._ends.match(right)

    def bounded(self, token: Token, right: str) -> bool:
        """Whether what follows a label lets it be one: the more a sign looks like a word, the more is needed."""
        if token.need is Need.BOUNDARY:
            return True
        return (self._clause_end if token.need is Need.CLAUSE_END else _TIGHT).match(right) is not None

    def ends_clause(self, right: str) -> bool:
        """Whether a label followed by ``right`` stands by itself there."""
        return self._clause_end.match(right) is not None

    def wrong(self, right: str) -> bool:
        """Whether ``right`` rejects or questions the label before it."""
        return bool(_QUESTION.match(right) or self._wrong.match(right))

    def beside_text(self, alphabet: Alphabet) -> re.Pattern[str]:
        """Matches a label in brackets, or named as an option, after an option's text (group ``sign``)."""
        return _beside(self, alphabet)

    def corrected(self, alphabet: Alphabet) -> re.Pattern[str]:
        """Matches a label that is put in the place of an earlier one (group ``sign``)."""
        return _correcting(self._corrected, alphabet)

    def joined(self, alphabet: Alphabet) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Patterns that find another label joined to one, before it and after it (group ``sign``)."""
        return _joined(self, alphabet)

    def _announced(self, left: str, right: str, ends: bool) -> bool:
        if self._linked_by(self._linked, left):
            return True
        if self._linked_by(self._is_option, left) and not _ASKED.match(right):
            return True
        if self._final.match(right) and not _ASKED.match(right) and self._noun_before.search(left):
            return self._no_before.search(left) is None
        if not ends:
            return False
        return bool(
            (self._titled.search(left) and not _ASKED.match(right) and not self._lists.search(left[-40:]))
            or self._linked_by(self._chosen_before, left)
            or self._contrast.search(left)
        )

    def _named(self, token: Token, left: str) -> bool:
        """A capital A or E right after "alternativa" is no article."""
        return token.need is Need.CLAUSE_END and self._option_just_before.search(left) is not None

    def _affirmed_after(self, left: str, right: str, sign: str) -> bool:
        if not self._affirmed.match(right) or _ASKED.match(right) or self._no.search(left):
            return False
        listed = right.lstrip().startswith(")") and not left.rstrip().endswith("(")
        sure = not listed and not self.conjunction.match(sign)
        return sure or self._option_before.search(left) is not None

    def _leans(self, left: str) -> bool:
        if self._linked_by(self._hedged, left) or self._linked_by(self._is, left):
            return True
        if self._hedged_alone.search(left) or self._verdict.search(left):
            return True
        return bool(self._intro.search(left) or self._alone.search(left))

    def _doubted(self, left: str) -> bool:
        return self._doubt.search(_last_clause(left)) is not None

    def _linked_by(self, pattern: re.Pattern[str], left: str) -> bool:
        match = pattern.search(left)
        if match is None or self._no.search(left, 0, match.start("link")):
            return False
        return not self._lists.search(left, max(0, match.start() - 25), match.start("link"))

    def _article(self, left: str, right: str, token: Token) -> bool:
        """After a verb, a lone small a or o is an article whose noun is missing, unless it is closed like a label."""
        return token.need is Need.TIGHT_END and not left.rstrip(" (").endswith((":", "=")) and not _CLOSED.match(right)


@lru_cache(maxsize=64)
def cues(languages: tuple[str, ...]) -> Cues:
    """The (cached) cues of these languages and English."""
    return Cues(answering(languages))


@lru_cache(maxsize=256)
def _joined(cue: Cues, alphabet: Alphabet) -> tuple[re.Pattern[str], re.Pattern[str]]:
    sign = rf"(?<!\w)(?P<sign>{alphabet.pattern})(?!\w)"
    listed = rf"(?:[,،/&+]|{cue.both})"
    ending = rf"[\s{BRACKETS}.]*(?:\Z|\n|[.;:!,،/&+]|{cue.both}|{cue.either}|{cue.plural})"
    after = (
        rf"[\s{BRACKETS}]*(?:(?P<choice>(?:{cue.final}\s*)?(?:[,،]\s*)?{cue.either}{cue.hesitation})|{listed}\s*(?:{cue.both})?)"
        rf"{cue.between}{sign}(?(choice)|{ending})"
    )
    before = rf"{sign}[{BRACKETS}]*\s*(?:(?:[,،]\s*)?{cue.either}|{listed}\s*(?:{cue.both})?){cue.between}\Z"
    return _compiled(before), _compiled(after)


@lru_cache(maxsize=256)
def _correcting(correction: str, alphabet: Alphabet) -> re.Pattern[str]:
    return _compiled(rf"{correction}(?<!\w)(?P<sign>{alphabet.pattern})(?!\w)")


@lru_cache(maxsize=256)
def _beside(cue: Cues, alphabet: Alphabet) -> re.Pattern[str]:
    return _compiled(
        rf"[\s\"'»”’.,:–—-]*(?:[(\[]\s*{cue.between}|{cue.option}{cue.between})(?P<sign>{alphabet.pattern})(?!\w)"
    )


def _last_clause(left: str) -> str:
    match = _CLAUSE.search(left[-BEFORE:])
    return match.group() if match else ""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
