"""The formats that items are read from: an explicit table, one reader each."""

from __future__ import annotations

from dataclasses import dataclass

from sotaque.data import alba, broverbs
from sotaque.data.brasilidade import rows as brasilidade
from sotaque.data.jsonl import read_jsonl
from sotaque.data.masalbench import FIELDS, read_masalbench
from sotaque.data.tables import Reader, table_reader


@dataclass(frozen=True, slots=True)
class Format:
    """A reader, and the fields its items have where that is known without reading."""

    read: Reader
    fields: frozenset[str] | None = None


FORMATS: dict[str, Format] = {
    "jsonl": Format(read_jsonl),
    "masalbench-csv": Format(read_masalbench, FIELDS),
    "broverbs": Format(table_reader(broverbs.item, broverbs.COLUMNS), broverbs.FIELDS),
    "brasilidade": Format(table_reader(brasilidade.item, ())),
    "alba": Format(table_reader(alba.item, alba.COLUMNS), alba.FIELDS),
}
