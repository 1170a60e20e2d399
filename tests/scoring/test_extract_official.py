"""On published items: whatever way an answer is written, it is the one that is read. No item is copied here."""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from sotaque.scoring.extract import Extraction, extract

LABELS = ("الف", "ب", "ج", "د")
LINE = re.compile(r"^\s*(الف|ب|ج|د)\s*[).]\s*", re.MULTILINE)
FORMS = [
    "{label}",
    "{label}) {text}",
    "{text}",
    "«{text}»",
    "پاسخ: {label}",
    "پاسخ صحیح: {text}",
    "گزینه {label} صحیح است. {text}",
    "منظور گوینده این است که {text}",
    "**گزینه {label}) {text}**\n\nتوضیح: {other} درست نیست.",
]


@pytest.fixture
def questions(official: Path) -> list[tuple[str, list[str]]]:
    with (official / "masalbench" / "contextualQuestions.csv").open(encoding="utf-8", newline="") as file:
        return list(islice(_parsed(file), 0, 1000, 7))


def _parsed(file: Iterator[str]) -> Iterator[tuple[str, list[str]]]:
    for row in csv.DictReader(file):
        parts = LINE.split(row["Question"])
        if tuple(parts[1::2]) == LABELS:
            yield row["Question"], [part.strip() for part in parts[2::2]]


def read(text: str, options: list[str], *, truncated: bool = False) -> Extraction:
    return extract(text, labels=LABELS, options=options, languages=("fa", "en"), truncated=truncated)


@pytest.mark.parametrize("form", FORMS)
def test_every_option_is_read_back(form: str, questions: list[tuple[str, list[str]]]) -> None:
    assert len(questions) > 100
    for _, options in questions:
        for position, (label, text) in enumerate(zip(LABELS, options, strict=True)):
            reply = form.format(label=label, text=text, other=options[position - 1])
            assert read(reply, options).position == position


def test_another_options_text_is_a_conflict(questions: list[tuple[str, list[str]]]) -> None:
    for _, options in questions:
        for position, label in enumerate(LABELS):
            assert read(f"{label}) {options[position - 1]}", options).kind == "conflict"


def test_the_first_tokens_of_a_cut_off_answer_are_enough(questions: list[tuple[str, list[str]]]) -> None:
    for _, options in questions:
        for position, (label, text) in enumerate(zip(LABELS, options, strict=True)):
            assert read(f"{label}) {text}"[:12], options, truncated=True).position == position


def test_a_question_that_is_repeated_is_no_answer(questions: list[tuple[str, list[str]]]) -> None:
    for question, options in questions:
        assert read(question, options).kind == "invalid"
