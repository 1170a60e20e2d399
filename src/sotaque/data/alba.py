"""The official ALBA data: 800 prompts on the hub, and the answers that experts rated.

Sources: the data set carminho/alba on the Hugging Face hub, config ``prompts``; and the folder ``judge_selection`` of
the authors' repository, one CSV file for each dimension and split. Ids are unique only inside a dimension, and files
spell the dimensions in several ways.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from sotaque.data.broken import BrokenRows, RowFault
from sotaque.data.lines import decoded
from sotaque.data.tables import Row, text_of
from sotaque.errors import DataError
from sotaque.language.normalize import key
from sotaque.records import Item

LANGUAGE = "pt-PT"

DIMENSIONS: dict[str, str] = {
    "language_variety": "Language Variety",
    "culture_bound_semantics": "Culture-bound Semantics",
    "discourse_analysis": "Discourse Analysis",
    "word_plays": "Word Plays",
    "syntax": "Syntax",
    "morphology": "Morphology",
    "lexicology": "Lexicology",
    "phonetics_phonology": "Phonetics & Phonology",
}
"""Slug (also the task's name) and name, in the order of the paper's table 3."""

COLUMNS = ("id", "category", "prompt")
FIELDS = frozenset({"prompt"})

Tier = Literal["A", "B", "C"]
SPLITS = {"train": "csvs-train", "test": "csvs-test"}
_TIERS: dict[Tier, tuple[str, str]] = {
    "A": ("Answer A (5)", "Rating"),
    "B": ("Answer B (4-3)", "Rating.1"),
    "C": ("Answer C (2-1)", "Rating.2"),
}
_HEADER = ("id", "Prompt", *(column for pair in _TIERS.values() for column in pair))
_RATING = re.compile(r"([1-5])(?:\.0+)?")
_AS_PUBLISHED = "the file is not as published: fetch it again"


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """One answer to one question, with the experts' rating.

    Attributes:
        dimension: slug, a key of ``DIMENSIONS``.
        question: "dimension-id": unique over all dimensions and splits.
        prompt: the question as displayed.
        prompt_key: its key form: questions that are asked twice share it.
        tier: A was written to be right, B to be middling, C to be wrong.
        answer: as displayed, white space at its edges included.
        answer_key: its key form.
        rating: 1 (very bad) to 5 (very good).
        split: "train" or "test", as published; the paper's division is by question as well. Empty for fixtures.
        fixture: whether answer and rating were made up for tests of judges; experts' ratings are none.
        reason: why it was rated so; experts gave none.
    """

    dimension: str
    question: str
    prompt: str
    prompt_key: str
    tier: Tier
    answer: str
    answer_key: str
    rating: int
    split: str
    fixture: bool = False
    reason: str = ""


def dimension_of(name: str) -> str | None:
    """The slug of a dimension, however a file spells it: case, "&" or "and", hyphens, spaces; ``None`` if unknown."""
    return _SLUGS.get(_folded(name))


def item(row: Row, number: int, language: str) -> Item:
    """One prompt; open, so without options.

    Raises:
        RowFault: no text, no id, or a category that is none of the eight.
    """
    prompt, category = text_of(row, "prompt"), text_of(row, "category")
    slug = dimension_of(category)
    if slug is None:
        raise RowFault(f"unknown category '{category}'", f"categories are: {', '.join(DIMENSIONS.values())}")
    return Item(id=f"{slug}-{_id(row.get('id'))}", fields={"prompt": prompt}, metadata={"dimension": slug})


def read_ratings(folder: Path) -> tuple[RatedAnswer, ...]:
    """All rated answers below a folder that holds ``csvs-train`` and ``csvs-test``: by split, dimension, row and tier.

    Raises:
        DataError: a folder, or the file of a dimension, is missing.
        ItemError: rows that are not of the published form, all of a file at once.
    """
    found: list[RatedAnswer] = []
    for split, name in SPLITS.items():
        files = _files(folder / name)
        for slug in DIMENSIONS:
            found += _read_file(files[slug], slug, split)
    return tuple(found)


def _id(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "" if value is None or isinstance(value, bool) else str(value).strip()
    if not text or not text.isprintable():
        raise RowFault(f"'id' is {value!r}", "every row needs an id, unique inside its category")
    return text


def _files(folder: Path) -> Mapping[str, Path]:
    files = {slug: path for path in sorted(folder.glob("*.csv")) if (slug := dimension_of(path.stem))}
    missing = [DIMENSIONS[slug] for slug in DIMENSIONS if slug not in files]
    if missing:
        remedy = "give the folder judge_selection of the ALBA repository"
        raise DataError(f"no file for {', '.join(missing)}", file=folder, remedy=remedy)
    return files


def _read_file(path: Path, slug: str, split: str) -> Iterator[RatedAnswer]:
    broken, answers = BrokenRows(path), list[RatedAnswer]()
    seen: set[str] = set()
    for line, record in _records(path, broken):
        try:
            rated = tuple(_rated(record, slug, split))
            if rated[0].question in seen:
                raise RowFault(f"the id {record['id']!r} was used before", _AS_PUBLISHED)
        except RowFault as fault:
            broken.add(line, fault.message, fault.remedy)
            continue
        seen.add(rated[0].question)
        answers += rated
    if not answers and not broken.faults:
        broken.add(1, "the file has no rows", _AS_PUBLISHED)
    broken.check()
    yield from answers


def _records(path: Path, broken: BrokenRows) -> Iterator[tuple[int, Mapping[str, str]]]:
    lines = path.read_bytes().splitlines(keepends=True)
    texts = [decoded(line, number, broken) for number, line in enumerate(lines, start=1)]
    broken.check()
    text = "".join(line for line in texts if line is not None).removeprefix("\ufeff")
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        if tuple(reader.fieldnames or ()) != _HEADER:
            broken.add(1, f"the columns are not {', '.join(_HEADER)}", _AS_PUBLISHED)
            return
        line = reader.line_num + 1
        for record in reader:
            yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        broken.add(line, f"not valid CSV ({error})", _AS_PUBLISHED)


def _rated(record: Mapping[str, str], slug: str, split: str) -> Iterator[RatedAnswer]:
    cells = cast("Mapping[str, Any]", record)
    prompt = text_of(cells, "Prompt")
    for tier, (answer_column, rating_column) in _TIERS.items():
        answer = text_of(cells, answer_column)
        rating = _RATING.fullmatch(str(cells.get(rating_column) or "").strip())
        if rating is None:
            message = f"'{rating_column}' is {cells.get(rating_column)!r}"
            raise RowFault(message, "a rating is a whole number from 1 to 5 (4 or 4.0)")
        yield RatedAnswer(
            dimension=slug,
            question=f"{slug}-{_id(cells.get('id'))}",
            prompt=prompt,
            prompt_key=key(prompt, LANGUAGE),
            tier=tier,
            answer=answer,
            answer_key=key(answer, LANGUAGE),
            rating=int(rating[1]),
            split=split,
        )


def _folded(name: str) -> str:
    return " ".join(re.sub(r"[-_]", " ", key(name, "en").replace("&", " and ")).split())


_SLUGS = {_folded(name): slug for slug, name in DIMENSIONS.items()} | {_folded(slug): slug for slug in DIMENSIONS}
