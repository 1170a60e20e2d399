"""Augmentatives and diminutives: five alternatives, each with its own truth value (listings 14 and 15)."""

from __future__ import annotations

from sotaque.data.brasilidade.cells import Made, present, truth
from sotaque.data.broken import RowFault
from sotaque.data.tables import Row, text_of
from sotaque.language.normalize import key
from sotaque.records import Option

_LETTERS = "abcde"
COLUMNS = ("palavra", "pergunta", "resposta_correta", *(f"alternativa_{letter}" for letter in _LETTERS))


def question(row: Row, language: str) -> Made:
    """A word, and which of the five is its augmentative or diminutive.

    Raises:
        RowFault: not exactly one alternative is marked as right, or it is not the text that should be right.
    """
    alternatives = [text_of(row, f"alternativa_{letter}") for letter in _LETTERS]
    right = [place for place, letter in enumerate(_LETTERS) if truth(row, f"alternativa_{letter}_correta")]
    if len(right) != 1:
        raise RowFault(f"{len(right)} of the five alternatives are marked as right", "exactly one is")
    gold, named = right[0], text_of(row, "resposta_correta")
    if key(alternatives[gold], language) != key(named, language):
        message = f"alternative {_LETTERS[gold]} is marked as right, and is not the text of 'resposta_correta'"
        raise RowFault(message, "one of the two is wrong: correct it")
    fields = {column: text_of(row, column) for column in ("palavra", "pergunta")} | present(row, "grau")
    used = frozenset((*COLUMNS, "grau", *(f"alternativa_{letter}_correta" for letter in _LETTERS)))
    return Made(fields, used, tuple(Option(text) for text in alternatives), gold)
