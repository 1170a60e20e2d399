"""Our own format: what people write, and what is wrong with it."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.data.jsonl import read_jsonl
from sotaque.errors import ItemError

GOOD = {"question": "Quem tudo quer...", "options": ["nada tem", "tudo tem"], "gold": 0}


def read(*rows: object, language: str = "pt"):
    text = "\n".join(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    return read_jsonl(io.BytesIO(text.encode()), "quiz.jsonl", language)


def test_ids_default_to_row_numbers_and_blank_lines_do_not_count():
    parsed = read(GOOD, "", GOOD | {"id": "b"}, GOOD)
    assert [item.id for item in parsed.items] == ["0", "b", "2"]
    assert parsed.lines == (1, 3, 4)


@pytest.mark.parametrize(
    ("row", "gold"),
    [
        ({"options": ["ir", "ir embora"], "gold": 1}, 1),
        ({"options": ["ir", "ir embora"], "gold": "ir embora"}, 1),
        ({"options": ["avo\u0302", "avó"], "gold": "avô"}, 0),
        ({"options": [{"text": "sim", "role": "literal"}, {"text": "não", "role": "correct"}]}, 1),
        ({"options": ["sim", {"text": "não", "role": "correct"}], "gold": 1}, 1),
        ({"options": ["sim", "SIM"], "gold": "SIM"}, 1),
    ],
)
def test_gold_is_an_index_a_text_or_a_role(row: dict[str, object], gold: int):
    assert read(row).items[0].gold == gold


def test_fields_can_be_prompted_and_broken_down_by_but_metadata_only_broken_down_by():
    item = read(GOOD | {"year": 1990, "formal": True, "note": None, "metadata": {"region": "NE"}}).items[0]
    assert item.fields == {"question": "Quem tudo quer...", "year": "1990", "formal": "true"}
    assert item.metadata == dict(item.fields) | {"region": "NE"}


def test_an_open_question_has_answers():
    item = read({"question": "Plural de pão?", "answers": ["pães"]}).items[0]
    assert (item.options, item.gold, item.answers) == ((), None, ("pães",))


def test_what_is_right_may_be_left_to_the_task():
    open_row, unmarked = read({"termo": "luz", "gold": "nome"}, {"options": ["a", "b"]}).items
    assert (open_row.options, open_row.gold, open_row.fields["gold"]) == ((), None, "nome")
    assert (len(unmarked.options), unmarked.gold) == (2, None)


def test_options_that_read_the_same_are_reported_and_kept():
    item = read({"options": ["کتاب‌ها", "كتاب ها", "قلم"], "gold": 0}, language="fa").items[0]
    assert item.irregular == ("options 1 and 2 read the same",)
    assert len(item.options) == 3


@pytest.mark.parametrize(
    ("row", "message", "remedy"),
    [
        ({"options": ["só uma"], "gold": 0}, "only one option", "at least two"),
        (GOOD | {"gold": 7}, "gold 7 is out of range: there are 2 options", "count from 0"),
        (GOOD | {"gold": -1}, "gold -1 is out of range", "count from 0"),
        (GOOD | {"gold": True}, "'gold' is a truth value", "index from 0"),
        (GOOD | {"gold": 0.0}, "'gold' is a number", "index from 0"),
        (GOOD | {"gold": "talvez"}, "the gold text matches no option", "copy an option's text"),
        ({"options": ["sim", "Sim"], "gold": "SIM"}, "the gold text matches 2 options", "give its index"),
        (
            {"options": [{"text": t, "role": "correct"} for t in "ab"]},
            "2 options have the role 'correct'",
            "exactly one",
        ),
        ({"options": ["a", {"text": "b", "role": "correct"}], "gold": 0}, "'gold' names option 1", "drop one"),
        ({"options": "a, b", "gold": 0}, "'options' is a text", 'write "options": ['),
        ({"options": ["a", ""], "gold": 0}, "an option without text", 'write {"text"'),
        ({"options": ["a", {"txt": "b"}], "gold": 0}, "unknown key 'txt'", "'text' and 'role'"),
        ({"options": ["a", 3], "gold": 0}, "an option is a number", "write a text"),
        (GOOD | {"tags": ["x"]}, "'tags' is a list", "a field is a text"),
        (GOOD | {"metadata": "NE"}, "'metadata' is a text", 'write "metadata"'),
        (GOOD | {"id": ""}, "the id '' is empty", "printable"),
        (GOOD | {"id": 1.5}, "the id is a number", "whole number"),
        ({"answers": "pães"}, "'answers' is not a list of texts", 'write "answers"'),
        ("[1, 2]", "a JSON list, not an object", 'write {"question"'),
        ('{"gold": 0', "not valid JSON at column 11", "one JSON object per line"),
        ('{"gold": NaN}', "NaN is not a value", "leave the key out"),
        ('{"gold": 0, "gold": 1}', "the key 'gold' appears twice", "keep one"),
        (r'{"question": "\ud800"}', "half of a surrogate pair", "write the character"),
        ("[" * 100_000, "not readable JSON", "one JSON object per line"),
    ],
)
def test_a_broken_row_says_where_what_and_what_to_do(row: object, message: str, remedy: str):
    with pytest.raises(ItemError) as caught:
        read(GOOD, row)
    assert caught.value.message.startswith("quiz.jsonl, line 2: ")
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_a_duplicate_id_names_the_line_that_used_it():
    with pytest.raises(ItemError, match=r"line 3: the id 'a' was used in line 1"):
        read(GOOD | {"id": "a"}, GOOD | {"id": "b"}, GOOD | {"id": "a"})


def test_all_broken_rows_are_reported_at_once():
    with pytest.raises(ItemError) as caught:
        read(GOOD, GOOD | {"gold": 9}, GOOD, {"options": ["x"], "gold": 0})
    assert "2 broken rows" in caught.value.message
    assert "line 2: gold 9 is out of range" in caught.value.message
    assert "line 4: only one option. A choice needs at least two" in caught.value.message


def test_beyond_twenty_broken_rows_the_rest_is_counted():
    with pytest.raises(ItemError) as caught:
        read(*[GOOD | {"gold": 9}] * 25)
    assert caught.value.message.count("out of range") == 20
    assert "and 5 more" in caught.value.message


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file_is_an_error(text: str):
    with pytest.raises(ItemError, match="the file has no items"):
        read_jsonl(io.BytesIO(text.encode()), "quiz.jsonl", "pt")


@given(st.binary(max_size=200))
def test_any_bytes_are_items_or_an_item_error(raw: bytes):
    try:
        parsed = read_jsonl(io.BytesIO(raw), "quiz.jsonl", "pt")
    except ItemError as error:
        assert error.message.startswith("quiz.jsonl, line ")
    else:
        assert parsed.items


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda s: (
            st.lists(s)
            | st.dictionaries(st.sampled_from(["id", "options", "gold", "answers", "metadata", "text", "role", "x"]), s)
        ),
    )
)
def test_any_json_is_an_item_or_an_item_error(value: object):
    try:
        parsed = read_jsonl(io.BytesIO(json.dumps(value).encode()), "quiz.jsonl", "pt")
    except ItemError as error:
        assert error.place == "line 1"
    else:
        assert len(parsed.items) == 1
