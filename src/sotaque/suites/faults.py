"""Faults of a suite.toml, each with its key path, its line where it can be found, and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sotaque.data.declared import FileSpec, Provenance, SourceSpec
from sotaque.errors import SuiteError
from sotaque.suites.schema import Average, Encoder, Protocol, Protocols, Suite, Task

_SHOWN = 10
_MODELS: tuple[tuple[tuple[str, ...], type[BaseModel]], ...] = (
    ((), Suite),
    (("sources", "*"), SourceSpec),
    (("sources", "*", "provenance"), Provenance),
    (("sources", "*", "files", "*"), FileSpec),
    (("tasks", "*"), Task),
    (("tasks", "*", "protocol"), Protocols),
    (("tasks", "*", "protocol", "*"), Protocol),
    (("tasks", "*", "encoder"), Encoder),
    (("averages", "*"), Average),
)


_REMEDIES = {
    "string_type": "put it in quotes",
    "tuple_type": 'write a list: ["...", "..."]',
    "bool_type": "write true or false",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "model_type": "write a table: { ... = ... }",
    "dict_type": "write a table: { ... = ... }",
    "string_pattern_mismatch": "begin with a letter; then letters, digits, '-', '_' and '.'",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one key path."""

    path: tuple[str, ...]
    message: str
    remedy: str


def raise_faults(faults: Sequence[Fault], file: Path, text: str) -> None:
    """One error for all faults; the first gives the place.

    Raises:
        SuiteError: unless there are none.
    """
    if not faults:
        return
    first, *others = faults
    lines = [first.message, *(f"  {_place(fault, text)}: {fault.message}" for fault in others[: _SHOWN - 1])]
    if len(others) >= _SHOWN:
        lines.append(f"  and {len(others) - _SHOWN + 1} more")
    remedy = "; ".join(dict.fromkeys(fault.remedy for fault in faults[:_SHOWN] if fault.remedy))
    raise SuiteError("\n".join(lines), file=file, place=_place(first, text), remedy=remedy)


def shape_faults(error: ValidationError) -> list[Fault]:
    """Pydantic's findings in a suite writer's words, misspelt keys first.

    A key that is "missing" only because it is misspelt is one fault, not two.
    """
    found = error.errors(include_url=False)
    faults = [_fault(details) for details in sorted(found, key=lambda details: details["type"] != "extra_forbidden")]
    meant = {(*fault.path[:-1], _quoted(fault.remedy)) for fault in faults if fault.message.startswith("unknown key")}
    return [fault for fault in faults if not (fault.message.endswith("is missing") and fault.path in meant)]


def did_you_mean(wrong: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy for a misspelt name: the closest known one, else all of them."""
    names = list(known)
    close = difflib.get_close_matches(wrong, names, n=1)
    if close:
        return f"did you mean '{close[0]}'?"
    return otherwise or f"known: {', '.join(names)}"


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line (from 1) of the deepest part of a key path that stands in a TOML text by itself."""
    found, found_depth, table, inside = None, 0, (), ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not inside:
            here = _keys(line, table)
            if here is not None and line.lstrip().startswith("["):
                table = here
            depth = min(len(here or ()), len(path))
            if here and here[:depth] == tuple(path[:depth]) and depth > found_depth:
                found, found_depth = number, depth
        inside = _after(line, inside)
    return found


def _fault(details: ErrorDetails) -> Fault:
    path = tuple(str(part) for part in details["loc"] if not _is_branch(part))
    kind = details["type"]
    if kind == "extra_forbidden":
        known = _fields_at(path[:-1])
        return Fault(path, f"unknown key '{path[-1]}'", did_you_mean(path[-1], known))
    if kind == "missing" or kind in ("too_short", "string_too_short"):
        what = f"'{path[-1]}' is missing" if kind == "missing" else f"'{path[-1]}' is empty"
        return Fault(path, what, _description(path))
    if kind in ("enum", "literal_error"):
        expected = str(details.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ").split(", ")
        value = str(details["input"])
        return Fault(
            path, f"'{value}' is not known here", did_you_mean(value, expected, f"one of: {', '.join(expected)}")
        )
    message = details["msg"].replace("Input", "this").replace("valid array", "list").replace("an object", "a table")
    remedy = _description(path) or _REMEDIES.get(kind, "see the format's description in the docs")
    return Fault(path, f"{message} (found: {_shortened(details['input'])})", remedy)


def _quoted(remedy: str) -> str:
    return remedy.split("'")[1] if "'" in remedy else ""


def _is_branch(part: int | str) -> bool:
    """Pydantic names the branch of a union or a validator in the path; suite.toml has no such key."""
    return isinstance(part, str) and (part.endswith("]") or part in ("constrained-str", "function-before"))


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _model_at(path: tuple[str, ...]) -> type[BaseModel] | None:
    for pattern, model in _MODELS:
        if len(pattern) == len(path) and all(want in ("*", part) for want, part in zip(pattern, path, strict=True)):
            return model
    return None


def _fields_at(path: tuple[str, ...]) -> tuple[str, ...]:
    model = _model_at(path)
    return tuple(model.model_fields) if model else ()


def _description(path: tuple[str, ...]) -> str:
    """What belongs at a path, or into the list or table that it is part of."""
    for end in (len(path), len(path) - 1):
        model = _model_at(path[: end - 1]) if end else None
        field = model.model_fields.get(path[end - 1]) if model else None
        if field and field.description:
            return field.description
    return ""


def _place(fault: Fault, text: str) -> str:
    line = line_of(text, fault.path)
    path = ".".join(fault.path)
    if line is None:
        return path
    return f"line {line}, {path}" if path else f"line {line}"


_HEADER = re.compile(r"""\s*\[\[?\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*\]""")
_ASSIGNMENT = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_KEY = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def _keys(line: str, table: tuple[str, ...]) -> tuple[str, ...] | None:
    header, assignment = _HEADER.match(line), _ASSIGNMENT.match(line)
    if header:
        return tuple(part.strip("\"'") for part in _KEY.findall(header[1]))
    if assignment:
        return (*table, *(part.strip("\"'") for part in _KEY.findall(assignment[1])))
    return None


def _after(line: str, inside: str) -> str:
    """The quotes of the multi-line string that is still open after this line, or nothing."""
    for quotes in re.findall(r'"""|\'\'\'', line):
        if not inside:
            inside = quotes
        elif inside == quotes:
            inside = ""
    return inside
