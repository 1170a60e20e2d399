"""Reads the answer out of a generated reply: a label, an option's text, or both.

In this order: what follows the reasoning; nothing but a label; an announced label (the last one counts); a label at the
start; a label the reply leans to; an option's text. A letter and a text that name different options are a conflict,
several answers without a final one are invalid, and nothing is ever guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sotaque.language.announce import BRACKETS, Cues, cues
from sotaque.language.labels import Alphabet, alphabet
from sotaque.language.normalize import answer_key, key, plain, strip_markup
from sotaque.records import AnswerForm
from sotaque.scoring.letters import Claim, claim
from sotaque.scoring.reasoning import after_reasoning, first_turn
from sotaque.scoring.texts import Span, attached, evident, occurrences, whole

Kind = Literal["picked", "invalid", "conflict"]

_DECORATION = f" \t\r\n.*_`#:,;!،؛…\u200e\u200f\u200b\u200c\ufeff\u2066-\u2069{BRACKETS}".replace("\\", "")
_SENTENCE = re.compile(r"[^.!?؟\n]*\Z")
_ASKED = re.compile(r"[?؟？][\s.!\"'»”’*_)]*\Z")
_FROM_TEXT = "read from the option's text"
_ANSWER_BOX = re.compile(r"\\boxed\s*(?=\{)|(?i:<(?:answer|final_answer|resposta)\s*>)")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read.

    Attributes:
        kind: "picked", "invalid" (nothing readable, or several answers), "conflict" (letter and text disagree).
        position: of the option, in the order shown; ``None`` unless picked.
        read: the label that was read; the option's text where options have no labels; empty when nothing was.
        note: why, in words that quote no option.
    """

    kind: Kind
    position: int | None = None
    read: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What the reader knows of the item: its labels and options in the order shown, and how to read them."""

    labels: tuple[str, ...]
    options: Sequence[str]
    languages: tuple[str, ...]
    form: AnswerForm

    @property
    def alphabet(self) -> Alphabet:
        """The labels, ready to be looked for."""
        return alphabet(self.labels)

    @property
    def cues(self) -> Cues:
        """The ways of announcing an answer."""
        return cues(self.languages)

    @property
    def language(self) -> str:
        """In which texts are compared."""
        return self.languages[0] if self.languages else "en"

    def keys(self) -> list[str]:
        """The options' texts in the form in which they are compared."""
        return [_option_key(option, self.language) for option in self.options]

    def picked(self, position: int, note: str = "") -> Extraction:
        """The extraction of this option."""
        read = self.labels[position] if position < len(self.labels) else self.options[position]
        return Extraction("picked", position, read, note)


@lru_cache(maxsize=8192)
def _option_key(option: str, language: str) -> str:
    """Cached for options, which come again with every model; replies do not, and can be long."""
    return answer_key(strip_markup(option), language)


def extract(
    text: str,
    *,
    labels: Sequence[str],
    options: Sequence[str],
    languages: Sequence[str],
    truncated: bool = False,
    form: AnswerForm = "label",
) -> Extraction:
    """Which option a reply answers with. Never raises, never names a label that the reply does not.

    Args:
        text: the reply.
        labels: one per option shown, in order; empty when options are shown without labels.
        options: their texts, in the same order.
        languages: whose ways of announcing an answer are understood; English always is. Texts are compared by the
            rules of the first.
        truncated: the reply was cut off, so only a label at its start or an announced one is read, and no text.
        form: "option" when the prompt asks for the option's text: then a reply that is both is the text.
    """
    question = Question(tuple(labels), options, tuple(languages), form)
    bare = _bare(text, question.labels) if form == "label" and not truncated else None
    if bare is not None:
        return question.picked(bare)
    answer = after_reasoning(text)
    if answer is None:
        return Extraction("invalid", note="the reasoning was never closed")
    answer = first_turn(answer)
    if form == "option" and not truncated:
        texts = _whole(strip_markup(answer), question)
        if len(texts) == 1:
            return question.picked(texts[0])
    found = plain(_ANSWER_BOX.sub("\nANSWER: ", answer))
    return _read(answer, found, question, truncated=truncated)


def _bare(text: str, labels: tuple[str, ...]) -> int | None:
    if len(text) > 40:
        return None
    return _bare_positions(labels).get(text.strip(_DECORATION))


@lru_cache(maxsize=256)
def _bare_positions(labels: tuple[str, ...]) -> dict[str, int]:
    return {sign: position for sign, (position, _) in alphabet(labels).needs.items()}


def _read(answer: str, text: str, question: Question, *, truncated: bool) -> Extraction:
    claimed = claim(text, question.alphabet, question.cues, truncated=truncated)
    if claimed is None:
        nothing = Extraction("invalid", note="no label or option was read")
        return nothing if truncated else _text(answer, question)
    if claimed.token is None:
        return Extraction("invalid", note=claimed.note)
    return _checked(answer, text, claimed, question, truncated=truncated)


def _checked(answer: str, text: str, claimed: Claim, question: Question, *, truncated: bool) -> Extraction:
    """A label, unless the text that belongs to it is another option's."""
    token = claimed.token
    assert token is not None
    own = token.position
    keys = question.keys()
    said = _SENTENCE.search(text[: token.start])
    sentence = said.group() if said and claimed.announced else ""
    sentence = sentence if len(sentence) > min(map(len, keys)) else ""
    if claimed.announced and not sentence and not any(map(str.isalnum, text[token.end :])):
        return question.picked(own)
    rest = _rest(text, token.end, keys, question.language)
    other = attached(rest, keys, own, question.cues) if rest else None
    if truncated and other not in (None, own) and rest.strip() and keys[own].startswith(rest.strip(" ).:-")):
        other = own
    if other is None and sentence:
        other = _announced_text(sentence, question, keys)
    elif other is None and not claimed.announced and not truncated:
        texts = _whole(strip_markup(answer), question)
        if texts:
            return question.picked(texts[0], _FROM_TEXT)
        other = _announced_text(answer, question, keys)
    return question.picked(own) if other is None or other == own else _conflict(question, own, other)


def _conflict(question: Question, label: int, text: int) -> Extraction:
    shown = question.labels[label]
    beside = question.labels[text] if text < len(question.labels) else str(text + 1)
    return Extraction("conflict", read=shown, note=f"label {shown}, but the text of option {beside}")


def _rest(text: str, end: int, keys: list[str], language: str) -> str:
    """What follows a label: its line, or the next one when the label stands alone and that line is an option's text."""
    line, _, more = text[end : end + 2000].partition("\n")
    if any(c.isalnum() for c in line):
        return answer_key(line, language)
    following = answer_key(more.strip().split("\n", 1)[0], language)
    return following if following in keys else ""


def _announced_text(answer: str, question: Question, keys: list[str]) -> int | None:
    reply = key(strip_markup(answer), question.language)
    stated = evident(reply, occurrences(reply, keys), question.cues, keys)
    spans = [s for s in stated if question.cues.announces(reply[: s.start])]
    return spans[-1].position if spans else None


def _text(answer: str, question: Question) -> Extraction:
    """An option's text: the whole reply, announced, or the only one that occurs."""
    keys, stripped = question.keys(), strip_markup(answer)
    texts = _whole(stripped, question)
    if not texts:
        reply = answer_key(stripped, question.language)
        spans = [s for s in occurrences(reply, keys) if s.end < len(reply) or not _asks(stripped, question, s.position)]
        announced = [s for s in spans if question.cues.announces(reply[: s.start])]
        evidence = announced[-1:] or evident(reply, spans, question.cues, keys)
        texts = sorted({span.position for span in evidence})
        for label in [_label_after(reply, span, question) for span in evidence] if len(texts) == 1 else []:
            if label is not None and label != texts[0]:
                return _conflict(question, label, texts[0])
    if not texts:
        return Extraction("invalid", note="no label or option was read")
    if len(texts) > 1:
        return Extraction("invalid", note="several options' texts, none of them final")
    return question.picked(texts[0], _FROM_TEXT)


def _whole(stripped: str, question: Question) -> list[int]:
    texts = whole(answer_key(stripped, question.language), question.keys())
    return [position for position in texts if not _asks(stripped, question, position)]


def _asks(stripped: str, question: Question, position: int) -> bool:
    """Whether a reply ends with a question mark that is not the option's own ("ir embora?")."""
    return _ASKED.search(stripped) is not None and _ASKED.search(question.options[position]) is None


def _label_after(reply: str, span: Span, question: Question) -> int | None:
    """The label that stands beside an option's text ("ir embora (B)"), in a reply in key form."""
    match = question.cues.beside_text(question.alphabet).match(reply, span.end)
    if match is None:
        return None
    sign = match.group("sign")
    position = question.alphabet.position(sign)
    return question.alphabet.position(sign.upper()) if position is None else position
