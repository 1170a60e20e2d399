"""The formats that items are read from: an explicit table, one reader each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from sotaque.data.jsonl import read_jsonl
from sotaque.data.masalbench import FIELDS, read_masalbench
from sotaque.data.parsed import Parsed

Reader = Callable[[BinaryIO, object, str], Parsed]
"""(file opened for bytes, its name in messages, language of the items) -> items."""


@dataclass(frozen=True, slots=True)
class Format:
    """A reader, and the fields its items have where that is known without reading."""

    read: Reader
    fields: frozenset[str] | None = None


FORMATS: dict[str, Format] = {
    "jsonl": Format(read_jsonl),
    "masalbench-csv": Format(read_masalbench, FIELDS),
}
