"""One row of any Brasilidade data set, whichever its shape: the columns tell.

Shapes: the paper's appendix A, listings 8 to 15, and one of our own for open questions. Most data sets
have no id: then rows are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sotaque.data.brasilidade import coloquialismos, conjugacoes, formacao, grammar_bench, graus, perguntas
from sotaque.data.brasilidade.cells import Made, extras, row_id
from sotaque.data.broken import RowFault
from sotaque.data.jsonl import same_options
from sotaque.data.tables import Row
from sotaque.records import Item

_SHAPES: Mapping[tuple[str, ...], Callable[[Row, str], Made]] = {
    coloquialismos.QUESTION_COLUMNS: coloquialismos.question,
    coloquialismos.TABLE_COLUMNS: coloquialismos.entry,
    conjugacoes.COLUMNS: conjugacoes.question,
    formacao.COLUMNS: formacao.word,
    grammar_bench.COLUMNS: grammar_bench.sentence,
    graus.COLUMNS: graus.question,
    perguntas.COLUMNS: perguntas.question,
}
"""By the columns that no other shape has."""


def item(row: Row, number: int, language: str) -> Item:
    """One item, whose fields are also its metadata; columns that no shape knows become metadata alone.

    Raises:
        RowFault: the row is of no known shape, or contradicts itself.
    """
    made = _shape(row)(row, language)
    return Item(
        id=row_id(row, number),
        fields=made.fields,
        options=made.options,
        gold=made.gold,
        metadata={**made.fields, **extras(row, made)},
        irregular=(*made.irregular, *same_options(made.options, language)),
    )


def _shape(row: Row) -> Callable[[Row, str], Made]:
    for columns, shape in _SHAPES.items():
        if all(column in row for column in columns):
            return shape
    closest = max(_SHAPES, key=lambda columns: sum(column in row for column in columns))
    missing = [column for column in closest if column not in row]
    raise RowFault(f"the row has no '{missing[0]}'", f"this shape has: {', '.join(closest)}")
