"""Rows of a published table, whichever form it is in: Parquet, JSONL, a JSON list, or CSV.

The form shows in the first bytes, so a file may have any name. What a format does with a row is an ``Adapter``: a
function from one row to one item. Values are as the form has them: typed in Parquet and JSON, texts in CSV (an empty
cell is ``None``, as a missing value is elsewhere).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, BinaryIO, Literal, Protocol, TypeAlias, cast

from sotaque.data.broken import BrokenRows, RowFault
from sotaque.data.lines import decoded, numbered_lines
from sotaque.data.parsed import Parsed
from sotaque.errors import MissingExtra
from sotaque.records import Item

Arrow: TypeAlias = Any
Row = Mapping[str, Any]
Adapter = Callable[[Row, int, str], Item]
"""(row, its number from 0, language) -> item; raises ``RowFault``."""

_PARQUET = b"PAR1"
_LARGEST = 1 << 30
_AS_PUBLISHED = "the file is not as published: fetch it again"


class Reader(Protocol):
    """Reads the items of one file."""

    def __call__(self, stream: BinaryIO, file: object, language: str, first: int = 0) -> Parsed:
        """All items.

        Args:
            stream: the file, opened for bytes.
            file: its name in messages.
            language: of the items.
            first: the number of its first row, where a table is spread over several files.

        Raises:
            ItemError: naming every broken row.
        """
        ...


def table_reader(adapter: Adapter, columns: Collection[str]) -> Reader:
    """A reader of tables that have at least these columns; others are left to the adapter."""

    def read(stream: BinaryIO, file: object, language: str, first: int = 0) -> Parsed:
        table = _Table(file, columns)
        items: list[Item] = []
        places: list[int] = []
        for row, (place, record) in enumerate(table.rows(stream), start=first):
            try:
                items.append(adapter(_sound(record), row, language))
                places.append(place)
            except RowFault as fault:
                table.broken.add(place, f"row {row}: {fault.message}", fault.remedy)
        if not items and not table.broken.faults:
            table.broken.add(1, "the file has no rows", _AS_PUBLISHED)
        table.broken.check()
        return Parsed(tuple(items), tuple(places), table.broken.unit)

    return read


def _sound(record: Row | RowFault) -> Row:
    if isinstance(record, RowFault):
        raise record
    return record


def text_of(row: Row, column: str) -> str:
    """A text that must be there.

    Raises:
        RowFault: it is missing, empty, or no text.
    """
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        found = "empty" if value is None or value == "" or isinstance(value, str) else f"{value!r}, not a text"
        raise RowFault(f"'{column}' is {found}", "every row needs it")
    return value


def whole_number(row: Row, column: str) -> int:
    """A whole number, or the text of one.

    Raises:
        RowFault: it is anything else.
    """
    value = row.get(column)
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RowFault(f"'{column}' is {value!r}, not a whole number", "write a whole number, from 0 up")
    return value


@dataclass(slots=True)
class _Table:
    """One file being read; ``broken.unit`` says what its places count."""

    file: object
    columns: Collection[str]
    broken: BrokenRows = field(init=False)

    def __post_init__(self) -> None:
        self.broken = BrokenRows(self.file)

    def rows(self, stream: BinaryIO) -> Iterator[tuple[int, Row | RowFault]]:
        """(line in which the row begins, or its number from 1 where a file has no lines; the row, or its fault)."""
        form = _form(stream)
        if form == "jsonl":
            return self._jsonl(stream)
        if form == "csv":
            return self._csv(stream)
        self.broken.unit = "row"
        return self._parquet(stream) if form == "parquet" else self._list(stream)

    def _parquet(self, stream: BinaryIO) -> Iterator[tuple[int, Row]]:
        table = _parquet_table(stream, self.broken)
        if table is not None and self._has_columns(table.column_names):
            batches = (batch.to_pylist() for batch in table.to_batches(max_chunksize=1024))
            yield from enumerate((cast("Row", row) for batch in batches for row in batch), start=1)

    def _jsonl(self, stream: BinaryIO) -> Iterator[tuple[int, Row | RowFault]]:
        for line, text in numbered_lines(stream, self.broken):
            if text.strip():
                yield line, _object(_json(text))

    def _list(self, stream: BinaryIO) -> Iterator[tuple[int, Row | RowFault]]:
        value = _json(_text(stream, self.broken))
        rows = cast("list[object]", value) if isinstance(value, list) else [value]
        yield from ((number, _object(row)) for number, row in enumerate(rows, start=1))

    def _csv(self, stream: BinaryIO) -> Iterator[tuple[int, Row | RowFault]]:
        reader = csv.DictReader(io.StringIO(_text(stream, self.broken), newline=""), strict=True)
        line = 1
        try:
            if not self._has_columns(list(reader.fieldnames or ())):
                return
            line = reader.line_num + 1
            for record in reader:
                yield line, _cells(record)
                line = reader.line_num + 1
        except csv.Error as error:
            self.broken.add(line, f"not valid CSV ({error})", _AS_PUBLISHED)

    def _has_columns(self, found: Sequence[str]) -> bool:
        missing = [name for name in self.columns if name not in found]
        if missing:
            remedy = f"it has: {', '.join(found) or 'none'}"
            self.broken.add(1, f"no column '{missing[0]}'", remedy)
        return not missing


def _form(stream: BinaryIO) -> Literal["parquet", "jsonl", "list", "csv"]:
    head = stream.read(64)
    stream.seek(0)
    if head.startswith(_PARQUET):
        return "parquet"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return "jsonl" if start == b"{" else "list" if start == b"[" else "csv"


def _parquet_table(stream: BinaryIO, broken: BrokenRows) -> Arrow:
    try:
        parquet = cast(Any, import_module("pyarrow.parquet"))
    except ImportError:
        raise MissingExtra("reading Parquet", "hub") from None
    try:
        return parquet.read_table(stream)
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these
        broken.add(1, f"not readable Parquet ({error})", _AS_PUBLISHED)
        return None


def _text(stream: BinaryIO, broken: BrokenRows) -> str:
    raw = stream.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        broken.add(1, f"the file is larger than {_LARGEST:,} bytes", _AS_PUBLISHED)
        broken.check()
    lines = [decoded(line, number, broken) for number, line in enumerate(raw.splitlines(keepends=True), start=1)]
    broken.check()
    return "".join(line for line in lines if line is not None).removeprefix("\ufeff")


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return RowFault(f"not valid JSON ({error})", _AS_PUBLISHED)


def _object(value: object) -> Row | RowFault:
    if isinstance(value, dict):
        return cast("Row", value)
    return value if isinstance(value, RowFault) else RowFault("not a JSON object", "write one object for each row")


def _cells(record: dict[Any, Any]) -> Row | RowFault:
    if None in record or None in record.values():
        return RowFault("more or fewer cells than columns", "quote cells that hold commas or line breaks")
    return {name: value or None for name, value in record.items()}
