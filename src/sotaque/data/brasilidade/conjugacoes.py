"""Conjugation: a question about a verb form, and the form (listing 11)."""

from __future__ import annotations

import re

from sotaque.data.brasilidade.cells import Made
from sotaque.data.tables import Row, text_of

COLUMNS = ("question", "answer")

_VERB = re.compile(r"\bverbo\s+[\"'“‘«]?([\w-]+)", re.IGNORECASE)


def question(row: Row, language: str) -> Made:
    """Question, answer, and the verb it is about: questions about one verb are not independent."""
    fields = {column: text_of(row, column) for column in COLUMNS}
    found = _VERB.search(fields["question"])
    verb = {"verbo": found[1].lower()} if found else {}
    return Made(fields | verb, frozenset(COLUMNS), irregular=() if found else ("the question names no verb",))
