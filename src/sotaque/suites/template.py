"""Prompt templates: ``{name}`` stands for a field; ``{{`` and ``}}`` are braces.

A value is put in as it is and never looked at again, so a proverb that contains "{options}" stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PIECE = re.compile(r"\{\{|\}\}|\{([^\W\d]\w*)\}|[{}]")
OPTIONS = "options"
_BRACES = {"{{": "{", "}}": "}"}


class BadTemplate(ValueError):
    """A brace that belongs to no placeholder."""


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with each placeholder replaced by its value.

    Raises:
        KeyError: a placeholder has no value.
    """
    return _PIECE.sub(lambda piece: values[piece[1]] if piece[1] else _BRACES[piece[0]], template)


def placeholders(template: str) -> tuple[str, ...]:
    """The names a template refers to, in order, each once.

    Raises:
        BadTemplate: with the place of a stray brace.
    """
    names: dict[str, None] = {}
    for piece in _PIECE.finditer(template):
        if piece[1]:
            names[piece[1]] = None
        elif piece[0] not in _BRACES:
            near = template[max(0, piece.start() - 12) : piece.end() + 12].replace("\n", " ")
            raise BadTemplate(f"a stray '{piece[0]}' near '{near}'")
    return tuple(names)
