"""A value as a cell of a CSV holds it: as JSON, or as Python prints it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from contextlib import suppress

_READERS: tuple[Callable[[str], object], ...] = (json.loads, ast.literal_eval)
_UNREADABLE = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


def written_value(text: str) -> object:
    """What a text writes down; never runs it.

    Raises:
        ValueError: it is neither JSON nor a Python literal.
    """
    for read in _READERS:
        with suppress(*_UNREADABLE):
            return read(text)
    raise ValueError("neither JSON nor a Python literal")
