"""Our own format: one JSON object per line.

    {"id": "7", "dialogue": "...", "options": [{"text": "...", "role": "correct"}, "..."], "metadata": {"region": "NE"}}

``id`` is optional (else the row number, from 0). ``options`` are texts, or texts with a role. The right one is named by
``gold`` (its index from 0, or its text) or by the role "correct". An open question has ``answers`` instead. A row may
have neither, because a task can name a field that holds the right answer. Every other text, number or truth value is
part of the question: prompts and breakdowns may use it. What stands under
``metadata`` is for breakdowns only, and not part of the item's hash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn, cast

from sotaque.data.broken import BrokenRows, RowFault
from sotaque.data.checks import parse_checks
from sotaque.data.lines import numbered_lines
from sotaque.data.parsed import Parsed
from sotaque.language.normalize import key
from sotaque.records import Item, Option

RESERVED = frozenset({"id", "options", "gold", "answers", "checks", "metadata"})
CORRECT = "correct"


def read_jsonl(stream: BinaryIO, file: object, language: str, first: int = 0) -> Parsed:
    """All items of a JSONL file.

    Args:
        stream: the file, opened for bytes.
        file: its name in messages.
        language: whose folding decides whether two options, or a gold text and an option, are the same.
        first: the number of the first row.

    Raises:
        ItemError: naming every broken row, or an empty file.
    """
    reader = _Reader(BrokenRows(file), language, row=first)
    for number, text in numbered_lines(stream, reader.broken):
        if text.strip():
            reader.take(number, text)
    if not reader.items and not reader.broken.faults:
        reader.broken.add(1, "the file has no items", "write one JSON object per line")
    reader.broken.check()
    return Parsed(tuple(reader.items), tuple(reader.lines))


@dataclass(slots=True)
class _Reader:
    broken: BrokenRows
    language: str
    items: list[Item] = field(default_factory=list[Item])
    lines: list[int] = field(default_factory=list[int])
    seen: dict[str, int] = field(default_factory=dict[str, int])
    row: int = 0

    def take(self, number: int, text: str) -> None:
        row, self.row = self.row, self.row + 1
        try:
            item = _item(_object(text), row, self.language)
            if item.id in self.seen:
                raise RowFault(f"the id '{item.id}' was used in line {self.seen[item.id]}", "give each item its own id")
        except RowFault as fault:
            self.broken.add(number, fault.message, fault.remedy)
            return
        self.seen[item.id] = number
        self.items.append(item)
        self.lines.append(number)


def _object(text: str) -> dict[str, Any]:
    try:
        value: Any = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        text.encode("utf-8")
        if "\\ud" in text or "\\uD" in text:  # an escape may stand for half a pair
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        message = f"not valid JSON at column {error.colno} ({error.msg})"
        raise RowFault(message, "write one JSON object per line") from None
    except UnicodeEncodeError:
        raise RowFault("half of a surrogate pair (\\ud800-\\udfff)", "write the character itself") from None
    except (ValueError, RecursionError) as error:
        raise RowFault(f"not readable JSON ({error})", "write one JSON object per line") from None
    if not isinstance(value, dict):
        raise RowFault(f"a JSON {_kind(value)}, not an object", 'write {"question": ..., "options": [...]}')
    return cast("dict[str, Any]", value)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RowFault(f"the key '{twice}' appears twice", "keep one of them")
    return found


def _no_constant(name: str) -> NoReturn:
    raise RowFault(f"{name} is not a value", "leave the key out")


def _item(row: Mapping[str, Any], number: int, language: str) -> Item:
    fields = _scalars({name: value for name, value in row.items() if name not in RESERVED}, "")
    extra = row.get("metadata", {})
    if not isinstance(extra, dict):
        raise RowFault(f"'metadata' is a {_kind(extra)}", 'write "metadata": {"region": "NE"}')
    options = _options(row.get("options", []))
    if not options and isinstance(row.get("gold"), str):
        fields["gold"] = row["gold"]  # a field like others, which a task may name as the one that holds its answer
    answers = _answers(row.get("answers", []))
    return Item(
        id=_id(row.get("id", number)),
        fields=fields,
        options=options,
        gold=_gold(row, options, language) if options else None,
        answers=answers,
        metadata=fields | _scalars(cast("dict[str, Any]", extra), "metadata."),
        irregular=tuple(same_options(options, language)),
        checks=parse_checks(row.get("checks", [])),
    )


def same_options(options: tuple[Option, ...], language: str) -> list[str]:
    """A note for each pair of options that differ in nothing but spelling."""
    first: dict[str, int] = {}
    notes: list[str] = []
    for index, option in enumerate(options):
        earlier = first.setdefault(key(option.text, language), index)
        if earlier != index:
            notes.append(f"options {earlier + 1} and {index + 1} read the same")
    return notes


def _scalars(values: Mapping[str, Any], prefix: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            found[name] = str(value)
        elif value is not None:
            raise RowFault(f"'{prefix}{name}' is a {_kind(value)}", "a field is a text, a number, true or false")
    return found


def _id(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise RowFault(f"the id is a {_kind(value)}", "an id is a text or a whole number")
    text = str(value)
    if not text.strip() or text != text.strip() or not text.isprintable():
        raise RowFault(f"the id {text!r} is empty or has white space around or inside", "use a short printable id")
    return text


def _options(value: object) -> tuple[Option, ...]:
    if not isinstance(value, list):
        raise RowFault(f"'options' is a {_kind(value)}", 'write "options": ["...", "..."]')
    options = tuple(_option(entry) for entry in cast("list[object]", value))
    if len(options) == 1:
        raise RowFault("only one option", "a choice needs at least two")
    return options


def _option(entry: object) -> Option:
    if isinstance(entry, str) and entry.strip():
        return Option(entry)
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, dict):
        raise RowFault(f"an option is a {_kind(entry)}", 'write a text, or {"text": ..., "role": ...}')
    option = cast("dict[str, object]", entry)
    text, role = option.get("text"), option.get("role", "")
    unknown = sorted(option.keys() - {"text", "role"})
    if unknown:
        raise RowFault(f"an option has the unknown key '{unknown[0]}'", "an option has 'text' and 'role'")
    if not isinstance(text, str) or not text.strip():
        raise RowFault("an option without text", 'write {"text": ..., "role": ...}')
    if not isinstance(role, str):
        raise RowFault(f"an option's role is a {_kind(role)}", 'a role is a word, such as "literal"')
    return Option(text, role)


def _answers(value: object) -> tuple[str, ...]:
    entries = cast("list[object]", value) if isinstance(value, list) else [None]
    answers = tuple(entry for entry in entries if isinstance(entry, str) and entry.strip())
    if len(answers) != len(entries):
        raise RowFault("'answers' is not a list of texts", 'write "answers": ["...", "..."]')
    return answers


def _gold(row: Mapping[str, Any], options: tuple[Option, ...], language: str) -> int | None:
    by_role = [index for index, option in enumerate(options) if option.role == CORRECT]
    named = row.get("gold")
    if len(by_role) > 1:
        raise RowFault(f"{len(by_role)} options have the role 'correct'", "exactly one option is right")
    if named is None:
        return by_role[0] if by_role else None
    gold = _gold_by_text(named, options, language) if isinstance(named, str) else _gold_by_index(named, options)
    if by_role and by_role[0] != gold:
        raise RowFault(
            f"'gold' names option {gold + 1}, the role 'correct' option {by_role[0] + 1}", "drop one of them"
        )
    return gold


def _gold_by_index(named: object, options: tuple[Option, ...]) -> int:
    if isinstance(named, bool) or not isinstance(named, int):
        raise RowFault(f"'gold' is a {_kind(named)}", "gold is the option's index from 0, or its text")
    if not 0 <= named < len(options):
        raise RowFault(f"gold {named} is out of range: there are {len(options)} options", "count from 0")
    return named


def _gold_by_text(named: str, options: tuple[Option, ...], language: str) -> int:
    exact = [index for index, option in enumerate(options) if option.text == named]
    folded = key(named, language)
    hits = exact or [index for index, option in enumerate(options) if key(option.text, language) == folded]
    if len(hits) != 1:
        count = "no option" if not hits else f"{len(hits)} options"
        raise RowFault(f"the gold text matches {count}", "copy an option's text, or give its index from 0")
    return hits[0]


_KINDS = ((dict, "object"), (list, "list"), (str, "text"), (bool, "truth value"), (int | float, "number"))


def _kind(value: object) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")
