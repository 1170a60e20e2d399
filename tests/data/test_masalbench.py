"""The official MasalBench files, and files that look like them."""

import csv
import io
from pathlib import Path

import pytest

from sotaque.data.masalbench import FIELDS, read_masalbench
from sotaque.errors import ItemError

# Of the published form, every word of it ours.
DIALOGUE = "آزمون\n\nمکالمه:\nسارا: باز هم دیر کردی.\nعلی: جوینده یابنده است.\n\nسؤال:\nعلی چه گفت؟\n\nگزینه\u200cها:\n"
OPTIONS = "الف) یک\nب) دو\nج) سه\nد) چهار"
KEY = "{'الف': 'Literal Trap', 'ب': 'Correct', 'ج': 'Plausible but Wrong', 'د': 'Irrelevant'}"
PROVERB = "آزمون\n\nضرب\u200cالمثل فارسی:\nجوینده یابنده است.\n\nسؤال:\nکدام؟\n\nگزینه\u200cها:\nالف) One.\nب) Two."
PAIR = "{'الف': 'Equivalent', 'ب': 'Irrelevant'}"


def read(*rows: tuple[str, str], header: tuple[str, str] = ("Question", "Answer Key")):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    return read_masalbench(io.BytesIO(text.getvalue().encode()), "masal.csv", "fa")


def published(folder: Path, name: str) -> tuple[list[dict[str, str]], tuple]:
    path = folder / "masalbench" / name
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    with path.open("rb") as stream:
        return rows, read_masalbench(stream, path, "fa").items


def test_a_dialogue_becomes_fields_and_typed_options():
    item = read((DIALOGUE + OPTIONS, KEY)).items[0]
    assert item.fields == {
        "before": DIALOGUE,
        "dialogue": "سارا: باز هم دیر کردی.\nعلی: جوینده یابنده است.",
        "question": "علی چه گفت؟",
        "proverb": "جوینده یابنده است.",
        "speaker": "علی",
    }
    assert item.fields.keys() == FIELDS
    assert [(option.text, option.role) for option in item.options] == [
        ("یک", "literal"),
        ("دو", "correct"),
        ("سه", "plausible"),
        ("چهار", "irrelevant"),
    ]
    assert (item.id, item.gold, item.irregular) == ("0", 1, ())


def test_a_proverb_becomes_fields_and_two_options():
    item = read((PROVERB, PAIR)).items[0]
    assert (item.fields["proverb"], item.fields["question"], item.gold) == ("جوینده یابنده است.", "کدام؟", 0)
    assert [option.role for option in item.options] == ["correct", "irrelevant"]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("سارا: باز", "باز", "the first turn has no speaker"),
        ("سارا: باز", " سارا: باز", "white space at the edge of turn 1"),
        ("یابنده است.\n", "یابنده است. \n", "white space at the edge of turn 2"),
        ("علی چه گفت", "سارا چه گفت", "the question is not about the second speaker"),
        ("علی چه گفت", "علیرضا چه گفت", "the question is not about the second speaker"),
    ],
)
def test_an_irregular_row_is_reported_and_kept_as_it_is(old: str, new: str, note: str):
    item = read((DIALOGUE.replace(old, new) + OPTIONS, KEY)).items[0]
    assert item.irregular == (note,)
    assert item.fields["before"] == DIALOGUE.replace(old, new)


@pytest.mark.parametrize(
    ("question", "answers", "message"),
    [
        (DIALOGUE + OPTIONS, "not a dict", "the answer key is not a Python dict"),
        (DIALOGUE + OPTIONS, "['a']", "the answer key is not a Python dict"),
        (DIALOGUE + OPTIONS, "__import__('os').getcwd()", "the answer key is not a Python dict"),
        (DIALOGUE + OPTIONS, KEY.replace("Irrelevant", "Other"), "the answer key has an unknown role"),
        (DIALOGUE + OPTIONS, KEY.replace("Irrelevant", "Correct"), "2 right options of 4"),
        (DIALOGUE + OPTIONS, KEY.replace("'Correct'", "'Irrelevant'"), "0 right options of 4"),
        (DIALOGUE + OPTIONS + "\nه) پنج", KEY, "5 lines of options, and 4 labels"),
        (DIALOGUE + OPTIONS.replace("ج) ", "ج. "), KEY, "do not have the same labels"),
        ("سلام", KEY, "no line that introduces the options"),
        (DIALOGUE.replace("سؤال:", "؟") + OPTIONS, KEY, "no line that introduces the question"),
        (DIALOGUE.replace("مکالمه:", "متن:") + OPTIONS, KEY, "neither a dialogue nor a proverb"),
        (DIALOGUE.replace("\nعلی: ", " ") + OPTIONS, KEY, "a dialogue of 1 turns"),
    ],
)
def test_a_row_of_another_form_is_an_error_with_its_row_and_line(question: str, answers: str, message: str):
    with pytest.raises(ItemError) as caught:
        read((PROVERB, PAIR), (question, answers))
    assert caught.value.message.startswith("masal.csv, line 13: row 1: ")
    assert message in caught.value.message
    assert caught.value.remedy


def test_a_file_with_other_columns_or_no_rows_is_an_error():
    with pytest.raises(ItemError, match="the columns are not 'Question' and 'Answer Key'"):
        read((PROVERB, PAIR), header=("question", "key"))
    with pytest.raises(ItemError, match="the file has no rows"):
        read()
    with pytest.raises(ItemError, match="line 2: byte 1 of the line"):
        read_masalbench(io.BytesIO(b"Question,Answer Key\r\n\xff,\r\n"), "masal.csv", "fa")
    with pytest.raises(ItemError, match="not valid CSV"):
        read_masalbench(io.BytesIO(b'Question,Answer Key\r\n"open,\r\n'), "masal.csv", "fa")


def test_all_official_rows_load_and_only_the_known_ones_are_irregular(official: Path):
    rows, items = published(official, "contextualQuestions.csv")
    assert len(rows) == len(items) == 1000
    assert {int(item.id) for item in items if item.irregular} == {9, 41, 63, 79, 91, 620, 875}
    assert {item.id: item.irregular for item in items if item.irregular}["91"] == ("the first turn has no speaker",)
    assert all(
        sorted(o.role for o in item.options) == ["correct", "irrelevant", "literal", "plausible"] for item in items
    )
    rows, items = published(official, "crossCulturalQuestions.csv")
    assert len(rows) == len(items) == 700
    assert not any(item.irregular for item in items)


@pytest.mark.parametrize("name", ["contextualQuestions.csv", "crossCulturalQuestions.csv"])
def test_fields_and_options_hold_every_character_of_the_official_rows(official: Path, name: str):
    rows, items = published(official, name)
    for row, item in zip(rows, items, strict=True):
        body = item.fields.get("dialogue") or item.fields["proverb"]
        assert f":\n{body}\n\nسؤال:\n{item.fields['question']}\n\n" in item.fields["before"]
        labels = ("الف", "ب", "ج", "د")
        block = "\n".join(f"{label}) {option.text}" for label, option in zip(labels, item.options, strict=False))
        assert item.fields["before"] + block == row["Question"]
