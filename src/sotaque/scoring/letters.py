"""Which label a reply answers with: alone, announced, at its start, or, failing these, as it leans."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sotaque.language.announce import BEFORE, BRACKETS, Cues, Firmness
from sotaque.language.labels import Alphabet, Need, Token

_LEAD = re.compile(rf"[\s{BRACKETS}\-–—•*.:]*")
_NUMBERED = re.compile(rf"(?:[^\S\n]*\w{{0,9}} ?\d{{1,4}} ?[.):–—-]+\s)?{_LEAD.pattern}")
_SENTENCE = re.compile(r"\s+\w")
_LISTED = re.compile(r"\s*[)\].:–—-]")
_LINE = re.compile(r"[^\n]*\n\s*")
_SEVERAL = "several answers, none of them final"


@dataclass(frozen=True, slots=True)
class Claim:
    """A label that is given as the answer, or (``token`` is ``None``) why none of several is.

    Attributes:
        announced: it was announced in words, rather than standing there.
    """

    token: Token | None
    announced: bool = False
    note: str = ""


def claim(text: str, alphabet: Alphabet, cues: Cues, *, truncated: bool) -> Claim | None:
    """The label that a plain text answers with; ``None`` when it names none as its answer.

    The last announced label counts; then one at the start of the reply; then, unless the reply was cut off, one that it
    leans to, if it is the only one.
    """
    tokens = [t for t in alphabet.tokens(text) if not (truncated and _may_go_on(text, alphabet, t))]
    if not tokens:
        return _pair(text, alphabet, cues)
    leaning: list[Token] = []
    for token in reversed(tokens):
        firmness = cues.firmness(text, token)
        if firmness is Firmness.ANNOUNCED and not _enumerates(text, token, alphabet):
            return _withdrawn(text, token, alphabet, cues) or _single(text, token, alphabet, cues, announced=True)
        if firmness is Firmness.LEANING:
            leaning.append(token)
    first = _first(text, tokens, alphabet, cues)
    if first or truncated:
        return first
    return _leaning(text, leaning, alphabet, cues) or _last_line(text, tokens, alphabet, cues)


def _may_go_on(text: str, alphabet: Alphabet, token: Token) -> bool:
    return token.end == len(text.rstrip()) and alphabet.unfinished(text[token.start : token.end])


def _withdrawn(text: str, token: Token, alphabet: Alphabet, cues: Cues) -> Claim | None:
    if cues.unsure.search(text, token.end) or _corrected(text, token, alphabet, cues):
        return Claim(None, note="an answer was announced and then withdrawn")
    return None


def _corrected(text: str, token: Token, alphabet: Alphabet, cues: Cues) -> bool:
    sign = text[token.start : token.end]
    for other in cues.corrected(alphabet).finditer(text, token.end):
        right = text[other.end("sign") : other.end("sign") + BEFORE]
        stands = cues.ends_clause(right) and not cues.wrong(right) and not cues.remarked(right)
        if stands and _differs(other.group("sign"), sign, alphabet):
            return True
    return False


def _single(text: str, token: Token, alphabet: Alphabet, cues: Cues, *, announced: bool = False) -> Claim:
    before, after = cues.joined(alphabet)
    sign = text[token.start : token.end]
    left = before.search(text[max(0, token.start - BEFORE) : token.start])
    right = after.match(text[token.end : token.end + BEFORE])
    for other in (left, right):
        if other and _differs(other.group("sign"), sign, alphabet):
            return Claim(None, note=_SEVERAL)
    return Claim(token, announced)


def _differs(other: str, sign: str, alphabet: Alphabet) -> bool:
    position = alphabet.position(other)
    return position is not None and position != alphabet.position(sign) and other.isupper() == sign.isupper()


def _first(text: str, tokens: list[Token], alphabet: Alphabet, cues: Cues) -> Claim | None:
    """A label that stands at the start, by itself or named as an option ("Letra B", "A letra B")."""
    lead = (_LEAD if alphabet.numeric else _NUMBERED).match(text)
    start = lead.end() if lead else 0
    for token in tokens[:2]:
        if token.start == start or _opens(text, token, cues):
            found = _standing(text, token, tokens, alphabet, cues)
            if found:
                return found
    return None


def _standing(text: str, token: Token, tokens: list[Token], alphabet: Alphabet, cues: Cues) -> Claim | None:
    if cues.wrong(text[token.end : token.end + BEFORE]):
        return None
    found = _single(text, token, alphabet, cues)
    if found.token is None:
        return found
    if not _stands(text, token, cues):
        return None
    undone = _undone(text, token, tokens, alphabet, cues)
    return Claim(None, note=undone) if undone else found


def _undone(text: str, token: Token, tokens: list[Token], alphabet: Alphabet, cues: Cues) -> str:
    """Why a label that stands at the start is no answer after all, in words; empty when it is one."""
    if _only_another_follows(text, token, tokens):
        return _SEVERAL
    if _corrected(text, token, alphabet, cues):
        return "an answer was given and then withdrawn"
    if _enumerates(text, token, alphabet) or _next_line_is_another(text, token, tokens, cues):
        return "a list of options, none of them chosen"
    return ""


def _stands(text: str, token: Token, cues: Cues) -> bool:
    """Whether a label is followed by what may follow one that is not part of a sentence ("E é ..." is)."""
    right = text[token.end : token.end + BEFORE]
    if not cues.bounded(token, right) or not (cues.ends_clause(right) or token.need is Need.TIGHT_END):
        return False
    if cues.remarked(right):
        return False
    return not (cues.conjunction.match(text[token.start : token.end]) and _SENTENCE.match(right))


def _opens(text: str, token: Token, cues: Cues) -> bool:
    return token.start < BEFORE and cues.opening.fullmatch(text[: token.start]) is not None


def _leaning(text: str, leaning: list[Token], alphabet: Alphabet, cues: Cues) -> Claim | None:
    if not leaning:
        return None
    if len({token.position for token in leaning}) > 1:
        return Claim(None, note=_SEVERAL)
    return _single(text, leaning[0], alphabet, cues)


def _last_line(text: str, tokens: list[Token], alphabet: Alphabet, cues: Cues) -> Claim | None:
    """A label that stands at the head of the last line, when no other line is headed by one."""
    heads = [t for t in tokens if _heads_line(text, t) and _stands(text, t, cues)]
    if not heads or "\n" in text[heads[-1].end :].strip():
        return None
    if len({token.position for token in heads}) > 1:
        return Claim(None, note=_SEVERAL)
    if cues.wrong(text[heads[-1].end : heads[-1].end + BEFORE]):
        return None
    return _single(text, heads[-1], alphabet, cues)


def _heads_line(text: str, token: Token) -> bool:
    line = text[text.rfind("\n", 0, token.start) + 1 : token.start]
    return _LEAD.fullmatch(line) is not None


def _enumerates(text: str, token: Token, alphabet: Alphabet) -> bool:
    """Whether a first label only opens a repetition of the options: the second one follows in the same dress."""
    dress = _LISTED.match(text, token.end)
    if token.position != 0 or dress is None or len(alphabet) < 2:
        return False
    line_end = text.find("\n", token.end)
    line_end = len(text) if line_end < 0 else line_end
    for other in alphabet.tokens(text[token.end : token.end + 2000]):
        start, end = token.end + other.start, token.end + other.end
        if other.position != 1 or not text.startswith(dress.group(), end):
            continue
        if start < line_end or (text[line_end:start].isspace() or _LEAD.fullmatch(text[line_end:start])):
            return True
    return False


def _only_another_follows(text: str, token: Token, tokens: list[Token]) -> bool:
    """Whether nothing but another label follows ("A: B", which may be an answer B)."""
    others = [t for t in tokens if t.start >= token.end]
    if len(others) != 1 or others[0].position == token.position:
        return False
    between, after = text[token.end : others[0].start], text[others[0].end :]
    return not any(map(str.isalnum, between + after))


def _next_line_is_another(text: str, token: Token, tokens: list[Token], cues: Cues) -> bool:
    """Whether the next line is headed by another label in the same way (B, then C; option B, then option C).

    An article ("A frase diz ...") is no label, and a label that is rejected there ("A) está errada") no other answer.
    """
    line = _LINE.match(text, token.end)
    if line is None:
        return False
    lead = _LEAD.match(text, line.end())
    start = lead.end() if lead else line.end()
    following = (t for t in tokens if t.start >= line.end())
    other = next((t for t in following if t.start == start or cues.opening.fullmatch(text[line.end() : t.start])), None)
    if other is None or other.position == token.position:
        return False
    right = text[other.end : other.end + BEFORE]
    if not cues.bounded(other, right) or cues.wrong(right):
        return False
    return _alone(text, token) == _alone(text, other)


def _alone(text: str, token: Token) -> bool:
    rest = text[token.end :].split("\n", 1)[0]
    return not any(c.isalnum() for c in rest)


def _pair(text: str, alphabet: Alphabet, cues: Cues) -> Claim | None:
    """Glued labels ("A/B", "1,2") are not tokens, but a reply of nothing else is an answer of several."""
    signs = [s for s in re.split(rf"[\s{BRACKETS},،/&+;.-]+", text[:200]) if s]
    if len(signs) < 2 or any(alphabet.position(s) is None for s in signs):
        return None
    return Claim(None, note=_SEVERAL)
