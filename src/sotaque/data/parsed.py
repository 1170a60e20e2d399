"""What a format's reader returns."""

from __future__ import annotations

from dataclasses import dataclass

from sotaque.records import Item


@dataclass(frozen=True, slots=True)
class Parsed:
    """Items in the order of the file, and for each the line it begins in (from 1)."""

    items: tuple[Item, ...]
    lines: tuple[int, ...]
