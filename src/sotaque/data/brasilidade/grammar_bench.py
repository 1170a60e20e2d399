"""Grammar errors: a wrong sentence, the right one, why, and what kind of error it is (listing 13)."""

from __future__ import annotations

from sotaque.data.brasilidade.cells import Made, present
from sotaque.data.broken import RowFault
from sotaque.data.tables import Row, text_of

COLUMNS = ("frase_incorreta", "frase_corrigida", "categoria")

_SPELT = {
    "CONCORDANCIA": "concordância",
    "REGENCIA": "regência",
    "ACENTUACAO": "acentuação",
    "PONTUACAO": "pontuação",
    "COLOCACAO": "colocação",
    "CONJUGACAO": "conjugação",
    "PREPOSICAO": "preposição",
}


def sentence(row: Row, language: str) -> Made:
    """The published fields, and ``tipo_de_erro``: the category as words, CONCORDANCIA_VERBAL as "concordância verbal".

    Raises:
        RowFault: the two sentences are the same.
    """
    fields = {column: text_of(row, column) for column in COLUMNS} | present(row, "explicacao")
    if fields["frase_incorreta"] == fields["frase_corrigida"]:
        raise RowFault("the wrong sentence and the right one are the same", "one of them has to differ")
    words = fields["categoria"].replace("_", " ").split()
    kind = " ".join(_SPELT.get(word.upper(), word.lower()) for word in words)
    return Made(fields | {"tipo_de_erro": kind}, frozenset((*COLUMNS, "explicacao")))
