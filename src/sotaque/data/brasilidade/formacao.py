"""Word formation: a word, its class, how it was formed, and up to five morphemes (listing 12).

One row serves several tasks; a field that the row leaves empty is not there, and its task does not ask about the word.
"""

from __future__ import annotations

from sotaque.data.brasilidade.cells import Made, optional, present
from sotaque.data.broken import RowFault
from sotaque.data.tables import Row, text_of
from sotaque.language.normalize import key

COLUMNS = ("termo", "classe", "derivacao", "composicao", "morfema_1")

_PLACES = range(1, 6)
_PARTS = ("morfema", "significado", "classificacao")
_BETWEEN = " + "


def word(row: Row, language: str) -> Made:
    """The published fields, and what tasks ask of them.

    ``tipo_derivacao``, ``tipo_composicao``; ``formacao`` ("derivação" or "composição", absent where the word has both
    or neither); ``morfemas`` (joined by " + ") and ``numero_de_morfemas``.

    Raises:
        RowFault: morphemes with a gap between them.
    """
    fields = {"termo": text_of(row, "termo")} | present(row, "classe", "derivacao", "composicao", "observacao")
    columns = [f"{part}_{place}" for place in _PLACES for part in _PARTS]
    fields |= present(row, *columns)
    fields |= _formation(fields, language) | _morphemes(row)
    return Made(fields, frozenset((*COLUMNS, "observacao", *columns)))


def _formation(fields: dict[str, str], language: str) -> dict[str, str]:
    made = {
        f"tipo_{how}": _type(fields[how], stem, language)
        for how, stem in (("derivacao", "derivação"), ("composicao", "composição"))
        if how in fields
    }
    if len(made) == 1:
        made["formacao"] = "derivação" if "tipo_derivacao" in made else "composição"
    return made


def _type(text: str, stem: str, language: str) -> str:
    """In small letters, with the word "derivação" or "composição" before it where the row leaves that out."""
    small = key(text, language)
    if small.startswith(stem):
        return small
    return f"{stem} por {small}" if stem == "composição" else f"{stem} {small}"


def _morphemes(row: Row) -> dict[str, str]:
    found = [optional(row, f"morfema_{place}") for place in _PLACES]
    morphemes = [text for text in found if text]
    if found[: len(morphemes)] != morphemes:
        gap = found.index("") + 1
        raise RowFault(f"'morfema_{gap}' is empty, and a later one is not", "number the morphemes without a gap")
    if not morphemes:
        return {}
    return {"morfemas": _BETWEEN.join(morphemes), "numero_de_morfemas": str(len(morphemes))}
