"""Checks as the rows of a file write them: a list of objects, each with its "rule"."""

from __future__ import annotations

import difflib
import json
from typing import Annotated, Any, cast, get_args

from pydantic import Discriminator, TypeAdapter, ValidationError

from sotaque.checks import Check
from sotaque.data.broken import RowFault

_CHECK: TypeAdapter[Check] = TypeAdapter(Annotated[Check, Discriminator("rule")])
_KINDS = cast("dict[str, Any]", {kind.__dataclass_fields__["rule"].default: kind for kind in get_args(Check)})

RULES: tuple[str, ...] = tuple(_KINDS)
"""The names of all rules."""


def parse_checks(value: object) -> tuple[Check, ...]:
    """The checks of one row, in its order.

    Raises:
        RowFault: not a list of objects, an unknown rule or key, or a value that its rule cannot have.
    """
    if not isinstance(value, list):
        raise RowFault("'checks' is not a list", 'write "checks": [{"rule": "words", "min": 3, "max": 3}]')
    return tuple(_parse(entry, number) for number, entry in enumerate(cast("list[object]", value), start=1))


def _parse(entry: object, number: int) -> Check:
    row = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
    rule = row.get("rule")
    if not isinstance(rule, str) or rule not in RULES:
        close = difflib.get_close_matches(rule, RULES, n=1) if isinstance(rule, str) else []
        remedy = f"did you mean '{close[0]}'?" if close else f"rules are: {', '.join(RULES)}"
        found = f"the unknown rule '{rule}'" if isinstance(rule, str) else "no rule"
        raise RowFault(f"check {number} has {found}", remedy)
    try:
        return _CHECK.validate_json(json.dumps(row), strict=True)  # JSON lists become tuples, nothing else is coerced
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        message = f"check {number} ('{rule}'){f', {place}' if place else ''}: {_said(first['msg'])}"
        raise RowFault(message, f"'{rule}' has: {', '.join(_keys(rule))}") from None


def _said(message: str) -> str:
    message = message.removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def _keys(rule: str) -> list[str]:
    return [name for name in _KINDS[rule].__dataclass_fields__ if name != "rule"]
