"""What a format's reader returns."""

from __future__ import annotations

from dataclasses import dataclass

from sotaque.records import Item


@dataclass(frozen=True, slots=True)
class Parsed:
    """Items in the order of the file, and for each where it stands: the line it begins in, or the row (from 1)."""

    items: tuple[Item, ...]
    lines: tuple[int, ...]
    unit: str = "line"
