"""Open questions with an answer of reference: not a published data set, but the shape that ``qa_gen`` needs."""

from __future__ import annotations

from sotaque.data.brasilidade.cells import Made, present
from sotaque.data.tables import Row, text_of

COLUMNS = ("pergunta", "resposta")


def question(row: Row, language: str) -> Made:
    """Question, answer, and what it is about, where the row says so."""
    fields = {column: text_of(row, column) for column in COLUMNS} | present(row, "assunto")
    return Made(fields, frozenset((*COLUMNS, "assunto")))
