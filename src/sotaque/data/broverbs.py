"""The official BRoverbs rows: a proverb or a story, the alternatives, and which of them is right.

Source: the data set Tropic-AI/BRoverbs on the Hugging Face hub, splits ``proverb_to_history`` and
``history_to_proverb``. There is no id: rows are numbered from 0, and three in a row share a proverb.
"""

from __future__ import annotations

from typing import cast

from sotaque.data.broken import RowFault
from sotaque.data.jsonl import same_options
from sotaque.data.tables import Row, text_of, whole_number
from sotaque.data.written import written_value
from sotaque.records import Item, Option

COLUMNS = ("input", "alternatives", "correct_index")
FIELDS = frozenset({"input"})

_STORIES = 3
_LIST = 'write a list of texts: ["...", "..."]'


def item(row: Row, number: int, language: str) -> Item:
    """One question, with as many alternatives as the row has.

    The explanation is kept where there is one, but never shown: it would give the answer away. Metadata ``proverb`` is
    what the three questions of one proverb have in common.

    Raises:
        RowFault: a text is missing, or the right alternative is not named by its index from 0.
    """
    asked = text_of(row, "input")
    options = _alternatives(row.get("alternatives"))
    gold = whole_number(row, "correct_index")
    if not 0 <= gold < len(options):
        message = f"'correct_index' is {gold}, and there are {len(options)} alternatives"
        raise RowFault(message, "the index counts from 0")
    explanation = row.get("explanation")
    extra = {"explanation": explanation} if isinstance(explanation, str) and explanation.strip() else {}
    return Item(
        id=str(number),
        fields={"input": asked},
        options=options,
        gold=gold,
        metadata={"proverb": str(number // _STORIES)} | extra,
        irregular=tuple(same_options(options, language)),
    )


def _alternatives(value: object) -> tuple[Option, ...]:
    if isinstance(value, str):
        value = _written_list(value)
    if not isinstance(value, list):
        raise RowFault(f"'alternatives' is {_kind(value)}", _LIST)
    texts = cast("list[object]", value)
    for position, text in enumerate(texts):
        if not isinstance(text, str) or not text.strip():
            raise RowFault(f"alternative {position} is {_kind(text)}", _LIST)
    if len(texts) < 2:
        message = f"{len(texts)} alternatives"
        raise RowFault(message, "a choice needs two; lists printed without commas cannot be read back: use JSONL")
    return tuple(Option(str(text)) for text in texts)


def _written_list(text: str) -> object:
    try:
        return written_value(text)
    except ValueError:
        raise RowFault("'alternatives' is not a list", _LIST) from None


def _kind(value: object) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        return "empty"
    return f"{str(value)[:40]!r}, not a {'list' if isinstance(value, str) else 'text'}"
