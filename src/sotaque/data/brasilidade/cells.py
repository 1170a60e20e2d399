"""Values of a published row, as Parquet and JSON type them or as a CSV spells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from sotaque.data.broken import RowFault
from sotaque.data.tables import Row
from sotaque.data.written import written_value
from sotaque.records import Option

_TRUTH = {"true": True, "false": False, "verdadeiro": True, "falso": False, "1": True, "0": False}
_NOTHING = frozenset({"null", "none", "nan"})  # a NaN is how data frames write an empty cell


@dataclass(frozen=True, slots=True)
class Made:
    """What a shape makes of a row.

    Attributes:
        fields: as displayed; a field that the row leaves empty is not there.
        used: columns that the fields and options were made of.
    """

    fields: dict[str, str]
    used: frozenset[str]
    options: tuple[Option, ...] = ()
    gold: int | None = None
    irregular: tuple[str, ...] = field(default=())


def optional(row: Row, column: str) -> str:
    """A text, a number or a truth value as text; "" where there is nothing, however that is spelt."""
    value = row.get(column)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise RowFault(f"'{column}' is a {type(value).__name__}", "a cell is a text, a number, true or false")
    text = str(value)
    return "" if text.strip().lower() in _NOTHING or not text.strip() else text


def present(row: Row, *columns: str) -> dict[str, str]:
    """The columns that hold something."""
    return {column: text for column in columns if (text := optional(row, column))}


def truth(row: Row, column: str) -> bool:
    """A truth value.

    Raises:
        RowFault: it is anything else.
    """
    value = row.get(column)
    if isinstance(value, bool):
        return value
    spelt = str(value).strip().lower()
    if spelt not in _TRUTH:
        raise RowFault(f"'{column}' is {value!r}", "write true or false")
    return _TRUTH[spelt]


def texts(row: Row, column: str) -> tuple[str, ...]:
    """A list of two or more texts; a CSV holds it as JSON or as Python prints it.

    Raises:
        RowFault: it is no such list.
    """
    value: object = row.get(column)
    if isinstance(value, str):
        value = _written(value)
    if not isinstance(value, list):
        raise RowFault(f"'{column}' is not a list", 'write ["...", "..."]')
    found = cast("list[object]", value)
    if len(found) < 2 or not all(isinstance(text, str) and text.strip() for text in found):
        raise RowFault(f"'{column}' is not a list of texts", "a choice needs two or more, none of them empty")
    return tuple(str(text) for text in found)


def row_id(row: Row, number: int) -> str:
    """The row's own id, else its number.

    Raises:
        RowFault: an id that cannot be printed or has white space around it.
    """
    text = optional(row, "id") or str(number)
    if text != text.strip() or not text.isprintable():
        raise RowFault(f"the id {text!r} has white space around or inside", "use a short printable id")
    return text


def extras(row: Row, made: Made) -> Mapping[str, str]:
    """What stands in columns of which nothing was made."""
    names = [name for name in row if name not in made.used and name != "id"]
    return {name: str(row[name]).strip() for name in names if isinstance(row[name], str | int | float)}


def _written(text: str) -> object:
    """A text that writes down no value is itself."""
    try:
        return written_value(text)
    except ValueError:
        return text
