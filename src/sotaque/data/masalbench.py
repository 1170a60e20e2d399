"""The official MasalBench files: two CSV tables whose column ``Question`` holds the whole prompt.

Source: github.com/kalhorghazal/MasalBench. Records end in CRLF, fields hold LF, ids are row numbers, and the answer
key is a Python dict literal from label to role.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, cast

from sotaque.data.broken import BrokenRows, RowFault
from sotaque.data.jsonl import CORRECT, same_options
from sotaque.data.lines import decoded
from sotaque.data.parsed import Parsed
from sotaque.language.normalize import key
from sotaque.records import Item, Option

FIELDS = frozenset({"before", "dialogue", "question", "proverb", "speaker"})

_COLUMNS = ("Question", "Answer Key")
_LABELS = ("الف", "ب", "ج", "د")
_OPTIONS = "گزینه\u200cها:\n"
_QUESTION = "\n\nسؤال:\n"
_DIALOGUE = "مکالمه:\n"
_PROVERB = "ضرب\u200cالمثل فارسی:\n"
_ROLES = {
    "Correct": CORRECT,
    "Equivalent": CORRECT,
    "Plausible but Wrong": "plausible",
    "Literal Trap": "literal",
    "Irrelevant": "irrelevant",
}
_TURN = re.compile(r"\s*([^:\n]+?)\s*:\s*(.+)", re.DOTALL)
_AS_PUBLISHED = "the file is not as published: fetch it again with 'sotaque data pull masalbench'"
_LARGEST = 64 * 1024 * 1024


def read_masalbench(stream: BinaryIO, file: object, language: str, first: int = 0) -> Parsed:
    """All rows of one of the two files; which one it is shows in each row.

    Item fields: ``before`` (the published prompt up to the options, verbatim), ``question``, ``proverb`` (in a
    dialogue: the turn that uses it), and for dialogues ``dialogue`` and ``speaker`` (whose turn the second is).

    Raises:
        ItemError: naming every row that is not of the published form.
    """
    broken = BrokenRows(file)
    items: list[Item] = []
    lines: list[int] = []
    for row, (line, record) in enumerate(_records(stream, broken), start=first):
        try:
            items.append(_item(str(row), record, language))
            lines.append(line)
        except RowFault as fault:
            broken.add(line, f"row {row}: {fault.message}", fault.remedy)
    if not items and not broken.faults:
        broken.add(1, "the file has no rows", _AS_PUBLISHED)
    broken.check()
    return Parsed(tuple(items), tuple(lines))


def _records(stream: BinaryIO, broken: BrokenRows) -> Iterator[tuple[int, Mapping[str, str]]]:
    raw = stream.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        broken.add(1, f"the file is larger than {_LARGEST:,} bytes", _AS_PUBLISHED)
        return
    text = _text(raw, broken)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        if tuple(reader.fieldnames or ()) != _COLUMNS:
            broken.add(1, "the columns are not 'Question' and 'Answer Key'", _AS_PUBLISHED)
            return
        line = reader.line_num + 1
        for record in reader:
            yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        broken.add(line, f"not valid CSV ({error})", _AS_PUBLISHED)


def _text(raw: bytes, broken: BrokenRows) -> str:
    lines = [decoded(line, number, broken) for number, line in enumerate(raw.splitlines(keepends=True), start=1)]
    broken.check()
    return "".join(line for line in lines if line is not None).removeprefix("\ufeff")


def _item(row: str, record: Mapping[str, str], language: str) -> Item:
    prompt, roles = record.get("Question") or "", _roles(record.get("Answer Key") or "")
    head, mark, block = prompt.partition(_OPTIONS)
    if not mark:
        raise RowFault("no line that introduces the options", _AS_PUBLISHED)
    options = _options(block, roles)
    fields, irregular = _fields(head, language)
    return Item(
        id=row,
        fields={"before": head + mark} | fields,
        options=options,
        gold=next(index for index, option in enumerate(options) if option.role == CORRECT),
        metadata=fields,
        irregular=(*irregular, *same_options(options, language)),
    )


def _roles(literal: str) -> dict[str, str]:
    try:
        value: Any = ast.literal_eval(literal)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise RowFault("the answer key is not a Python dict", _AS_PUBLISHED) from None
    if not isinstance(value, dict):
        raise RowFault("the answer key is not a Python dict", _AS_PUBLISHED)
    key_of_labels = cast("dict[object, object]", value)
    roles = {str(label): _ROLES.get(str(role), "") for label, role in key_of_labels.items()}
    if not all(roles.values()):
        raise RowFault("the answer key has an unknown role", f"roles are: {', '.join(_ROLES)}")
    right = sum(role == CORRECT for role in roles.values())
    if right != 1 or len(roles) < 2:
        raise RowFault(f"{right} right options of {len(roles)} in the answer key", _AS_PUBLISHED)
    return roles


def _options(block: str, roles: Mapping[str, str]) -> tuple[Option, ...]:
    lines = block.split("\n")
    labels = _LABELS[: len(lines)]
    if tuple(roles) != labels or len(labels) != len(lines):
        raise RowFault(f"{len(lines)} lines of options, and {len(roles)} labels in the answer key", _AS_PUBLISHED)
    if any(not line.startswith(f"{label}) ") for label, line in zip(labels, lines, strict=True)):
        raise RowFault("the options and the answer key do not have the same labels in order", _AS_PUBLISHED)
    return tuple(
        Option(line.removeprefix(f"{label}) "), roles[label]) for label, line in zip(labels, lines, strict=True)
    )


def _fields(head: str, language: str) -> tuple[dict[str, str], list[str]]:
    body, mark, question = head.removesuffix("\n\n").rpartition(_QUESTION)
    if not mark:
        raise RowFault("no line that introduces the question", _AS_PUBLISHED)
    _, dialogue_mark, dialogue = body.partition(_DIALOGUE)
    if dialogue_mark:
        return _dialogue(dialogue, question, language)
    _, proverb_mark, proverb = body.partition(_PROVERB)
    if not proverb_mark:
        raise RowFault("neither a dialogue nor a proverb", _AS_PUBLISHED)
    return {"proverb": proverb, "question": question}, []


def _dialogue(dialogue: str, question: str, language: str) -> tuple[dict[str, str], list[str]]:
    turns = dialogue.split("\n")
    if len(turns) != 2:
        raise RowFault(f"a dialogue of {len(turns)} turns", _AS_PUBLISHED)
    first, second = (_TURN.fullmatch(turn) for turn in turns)
    irregular = [
        f"white space at the edge of turn {number}" for number, turn in enumerate(turns, 1) if turn != turn.strip()
    ]
    if first is None:
        irregular.append("the first turn has no speaker")
    if second is None:
        irregular.append("the second turn has no speaker")
    speaker, proverb = second.groups() if second else ("", turns[1])
    if speaker and not f"{key(question, language)} ".startswith(f"{key(speaker, language)} "):
        irregular.append("the question is not about the second speaker")
    fields = {"dialogue": dialogue, "question": question, "proverb": proverb.strip(), "speaker": speaker}
    return fields, irregular
