"""ALBA's dimensions, prompts and expert-rated answers: the official files, and files that look like them."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest

from sotaque.data.alba import COLUMNS, DIMENSIONS, LANGUAGE, SPLITS, RatedAnswer, dimension_of, item, read_ratings
from sotaque.data.tables import table_reader
from sotaque.errors import DataError, ItemError
from sotaque.language.normalize import key

HEADER = ("id", "Prompt", "Answer A (5)", "Rating", "Answer B (4-3)", "Rating.1", "Answer C (2-1)", "Rating.2")
ROW = ("1", "Diz-me um antónimo de «alto».", "Baixo.", "5", "Pequeno.", "4.0", "Verde.", "1")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Culture-Bound Semantics", "culture_bound_semantics"),
        ("Culture-bound Semantics", "culture_bound_semantics"),
        ("culture_bound_semantics", "culture_bound_semantics"),
        ("Phonetics & Phonology", "phonetics_phonology"),
        ("Phonetics and Phonology", "phonetics_phonology"),
        ("phonetics&phonology", "phonetics_phonology"),
        ("  Word  Plays ", "word_plays"),
        ("SYNTAX", "syntax"),
        ("Semantics", None),
        ("", None),
    ],
)
def test_a_dimension_is_known_however_it_is_spelled(name: str, slug: str | None):
    assert dimension_of(name) == slug


def prompts(*rows: dict[str, object]):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return table_reader(item, COLUMNS)(io.BytesIO(text.encode()), "train.jsonl", LANGUAGE).items


def test_ids_that_dimensions_share_become_unique():
    rows = ({"id": 7, "category": "Syntax", "prompt": "a"}, {"id": "7", "category": "Word Plays", "prompt": "b"})
    first, second = prompts(*rows)
    assert (first.id, second.id) == ("syntax-7", "word_plays-7")
    assert (first.fields, first.options, first.gold, first.metadata) == (
        {"prompt": "a"},
        (),
        None,
        {"dimension": "syntax"},
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"category": "Poesia"}, "unknown category 'Poesia'"),
        ({"category": None}, "'category' is empty"),
        ({"prompt": " "}, "'prompt' is empty"),
        ({"id": None}, "'id' is None"),
        ({"id": True}, "'id' is True"),
    ],
)
def test_a_prompt_that_cannot_be_placed_is_an_error_with_its_row(change: dict[str, object], message: str):
    row = {"id": 1, "category": "Syntax", "prompt": "a"}
    with pytest.raises(ItemError, match=message) as caught:
        prompts(row, row | {"id": 2} | change)
    assert (caught.value.place, caught.value.file) == ("line 2", "train.jsonl")


def write(folder: Path, rows: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> Path:
    """The same rows in every file but one, whose name is spelled as the published one."""
    for split in SPLITS.values():
        (folder / split).mkdir()
        for name in DIMENSIONS.values():
            with (folder / split / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
                csv.writer(stream).writerows([header, *(rows if name == "Syntax" else [ROW])])
    return folder


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (3, "6", "'Rating' is '6'"),
        (3, "0", "'Rating' is '0'"),
        (5, "4,5", "'Rating.1' is '4,5'"),
        (5, "4.5", "'Rating.1' is '4.5'"),
        (7, "", "'Rating.2' is ''"),
        (7, "10", "'Rating.2' is '10'"),
        (1, " ", "'Prompt' is empty"),
        (4, "", "'Answer B .4-3.' is empty"),
        (0, "", "'id' is ''"),
    ],
)
def test_a_row_that_is_not_as_published_is_named(tmp_path: Path, column: int, value: str, message: str):
    broken = list(ROW)
    broken[column] = value
    with pytest.raises(ItemError, match=message) as caught:
        read_ratings(write(tmp_path, [ROW, tuple(broken)]))
    assert caught.value.place == "line 3"
    assert caught.value.file.endswith("Syntax.csv")


def test_an_id_used_twice_other_columns_and_missing_files_are_errors(tmp_path: Path):
    (tmp_path / "a").mkdir()
    with pytest.raises(ItemError, match="the id '1' was used before"):
        read_ratings(write(tmp_path / "a", [ROW, ROW]))
    (tmp_path / "b").mkdir()
    with pytest.raises(ItemError, match="the columns are not id, Prompt"):
        read_ratings(write(tmp_path / "b", [ROW], ("id", *HEADER[:0:-1])))
    (tmp_path / "c").mkdir()
    (write(tmp_path / "c", [ROW]) / "csvs-test" / "Word Plays.csv").unlink()
    with pytest.raises(DataError, match="no file for Word Plays"):
        read_ratings(tmp_path / "c")


@pytest.fixture
def rated(official: Path) -> tuple[RatedAnswer, ...]:
    return read_ratings(official / "alba" / "judge_selection")


def test_all_rated_answers_are_read(rated: tuple[RatedAnswer, ...]):
    assert len(rated) == 720
    assert len({answer.question for answer in rated}) == 240
    assert Counter(answer.dimension for answer in rated) == dict.fromkeys(DIMENSIONS, 90)
    assert Counter(answer.tier for answer in rated) == {"A": 240, "B": 240, "C": 240}
    assert Counter(answer.split for answer in rated) == {"train": 480, "test": 240}
    assert Counter(answer.rating for answer in rated) == {5: 240, 4: 133, 3: 107, 2: 102, 1: 138}
    assert all(type(answer.rating) is int for answer in rated)


@pytest.mark.parametrize(
    ("split", "guess", "error"),
    [("", 3, 1.376), ("", 4, 1.340), ("", 5, 1.674), ("train", 3, 1.390), ("test", 3, 1.350)],
)
def test_constant_guesses_are_as_far_from_the_experts_as_measured(
    rated: tuple[RatedAnswer, ...], split: str, guess: int, error: float
):
    ratings = [answer.rating for answer in rated if split in ("", answer.split)]
    assert sum(abs(rating - guess) for rating in ratings) / len(ratings) == pytest.approx(error, abs=0.0006)


def test_questions_asked_in_both_splits_are_found_by_their_keys(rated: tuple[RatedAnswer, ...]):
    splits: dict[str, set[tuple[str, str]]] = {}
    for answer in rated:
        splits.setdefault(answer.prompt_key, set()).add((answer.split, answer.question))
    twice = [sorted(asked, reverse=True) for asked in splits.values() if len({split for split, _ in asked}) > 1]
    assert sorted(twice) == [
        [("train", "lexicology-29"), ("test", "lexicology-9")],
        [("train", "lexicology-30"), ("test", "lexicology-6")],
    ]


def test_edges_and_hard_spaces_are_kept_in_what_is_shown_and_folded_in_keys(rated: tuple[RatedAnswer, ...]):
    prompts = {answer.question: answer.prompt for answer in rated}
    texts = [*prompts.values(), *(answer.answer for answer in rated)]
    assert sum(text != text.strip() for text in texts) == 64
    assert sum("\xa0" in text for text in texts) == 6
    for answer in rated:
        assert answer.answer_key == key(answer.answer, LANGUAGE) == answer.answer_key.strip()
        assert "\xa0" not in answer.answer_key + answer.prompt_key


def test_one_answer_was_rated_twice_with_two_results(rated: tuple[RatedAnswer, ...]):
    by_question: dict[str, dict[str, RatedAnswer]] = {}
    for answer in rated:
        by_question.setdefault(answer.question, {})[answer.tier] = answer
    same = {name: tiers for name, tiers in by_question.items() if tiers["A"].answer_key == tiers["B"].answer_key}
    assert {name: (tiers["A"].rating, tiers["B"].rating) for name, tiers in same.items()} == {
        "language_variety-5": (5, 4)
    }
