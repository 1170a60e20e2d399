"""Colloquialisms: the base table, and the multiple-choice questions that were derived from it (listings 8 to 10).

Expressions carry their own quotes, which are part of what is shown. ``regiao`` and ``classe`` are made of
``regiao_principal`` and ``pos_tagging``, which stay as they are.
"""

from __future__ import annotations

import re
import unicodedata

from sotaque.data.brasilidade.cells import Made, optional, present, texts, truth
from sotaque.data.broken import RowFault
from sotaque.data.tables import Row, text_of, whole_number
from sotaque.language.normalize import key
from sotaque.records import Option

TABLE_COLUMNS = ("expressao", "definicao", "regiao_principal", "pos_tagging")
QUESTION_COLUMNS = ("pergunta", "alternativas", "resposta_correta", "resposta_correta_texto")

_DETAILS = ("exemplo_de_uso", "regiao_principal", "pos_tagging", "uso", "observacoes")
_ORIGINALS = ("expressao_original", "definicao_original")

_REGIONS = {
    "Norte": "N NORTE AC AM AP PA RO RR TO",
    "Nordeste": "NE NORDESTE AL BA CE MA PB PE PI RN",
    "Centro-Oeste": "CO CENTROOESTE DF GO MS MT",
    "Sudeste": "SE SUDESTE ES MG RJ SP",
    "Sul": "S SUL PR RS SC",
    "Geral": "GERAL",
}
_REGION = {code: region for region, codes in _REGIONS.items() for code in codes.split()}
_CLASSES = {
    "substantivo": "SUBST SUBSTANTIVO SUBS SUB NOUN N S",
    "verbo": "VERB VERBO V VERBAL",
    "adjetivo": "ADJ ADJETIVO ADJETIVA",
    "advérbio": "ADV ADVERBIO ADVERBIAL",
    "interjeição": "INTJ INTERJ INTERJEICAO INTERJETIVA",
}
_CLASS = {tag: word_class for word_class, tags in _CLASSES.items() for tag in tags.split()}
_DASH = re.compile(r"\s*[-–—]\s*")
_SEVERAL = re.compile(r"\s*[/,;+]\s*|\s+e\s+")
_CENTRE_WEST = re.compile(r"\bcentro\s*-\s*oeste\b", re.IGNORECASE)
_PHRASE = frozenset({"LOC", "LOCUCAO", "EXP", "EXPR", "EXPRESSAO"})


def entry(row: Row, language: str) -> Made:
    """An expression and its definition, as the base table has them."""
    fields = {column: text_of(row, column) for column in ("expressao", "definicao")}
    return _made(row, fields | present(row, *_DETAILS), TABLE_COLUMNS)


def question(row: Row, language: str) -> Made:
    """A multiple-choice question, in either direction.

    Raises:
        RowFault: the right alternative is out of range, is not the text it should be, or neither direction shows.
    """
    alternatives, gold = texts(row, "alternativas"), whole_number(row, "resposta_correta")
    right = text_of(row, "resposta_correta_texto")
    if not 0 <= gold < len(alternatives):
        message = f"'resposta_correta' is {gold}, and there are {len(alternatives)} alternatives"
        raise RowFault(message, "the index counts from 0")
    if key(alternatives[gold], language) != key(right, language):
        message = f"alternative {gold} is not the text of 'resposta_correta_texto'"
        raise RowFault(message, "one of the two is wrong: correct it")
    fields = {"pergunta": text_of(row, "pergunta")} | _both(row, alternatives[gold]) | present(row, *_DETAILS)
    options = tuple(Option(text) for text in alternatives)
    return _made(row, fields, (*QUESTION_COLUMNS, *_ORIGINALS), options, gold)


def _both(row: Row, right: str) -> dict[str, str]:
    """Expression and definition: one is asked about, the other is the right alternative."""
    if optional(row, "definicao_original"):
        return {"expressao": right, "definicao": text_of(row, "definicao_original")}
    if optional(row, "expressao_original"):
        return {"expressao": text_of(row, "expressao_original"), "definicao": right}
    raise RowFault("neither 'expressao_original' nor 'definicao_original'", "one of them says what is asked about")


def _made(
    row: Row, fields: dict[str, str], used: tuple[str, ...], options: tuple[Option, ...] = (), gold: int | None = None
) -> Made:
    region, notes = _region(fields.get("regiao_principal", ""))
    word_class = _word_class(fields.get("pos_tagging", ""))
    derived = {name: value for name, value in (("regiao", region), ("classe", word_class)) if value}
    if optional(row, "pejorativo"):
        derived["pejorativo"] = "true" if truth(row, "pejorativo") else "false"
    return Made(fields | derived, frozenset((*used, *_DETAILS, "pejorativo")), options, gold, notes)


def _region(text: str) -> tuple[str, tuple[str, ...]]:
    """The region that a code names, and what is odd about it.

    "Geral - NE" is the Northeast: in general use there. "NE - SE" is the Northeast too (Sergipe, SE, is a state of
    it). Of several regions none is the right one, so such a row is not asked about its region.
    """
    parts = [part for part in _DASH.split(_CENTRE_WEST.sub("CO", text)) if part.strip()]
    narrow = [part for part in parts if _folded(part) != "GERAL"] or parts
    if not narrow:
        return "", ()
    found = [_REGION.get(_folded(part), "") for part in _SEVERAL.split(narrow[0]) if part.strip()]
    if not all(found):
        return text, ()  # no region that we know: the task's classes say so
    return (found[0], ()) if len(set(found)) == 1 else ("", (f"several regions ('{text}')",))


def _word_class(text: str) -> str:
    tags = [tag for tag in re.split(r"[^A-Z]+", _ascii(text)) if tag and tag not in _PHRASE]
    found = {_CLASS[tag] for tag in tags if tag in _CLASS}
    return found.pop() if len(found) == 1 and all(tag in _CLASS for tag in tags) else text


def _folded(text: str) -> str:
    return re.sub(r"[^A-Z]", "", _ascii(text))


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode().upper()
