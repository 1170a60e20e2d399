"""Checks as rows write them: every rule is read, every mistake is named."""

import io
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque import checks
from sotaque.checks import Check, as_json, described
from sotaque.data.broken import RowFault
from sotaque.data.checks import RULES, parse_checks
from sotaque.data.jsonl import read_jsonl
from sotaque.errors import ItemError


@pytest.mark.parametrize(
    ("row", "check"),
    [
        ({"rule": "words", "min": 3, "max": 3}, checks.Words(min=3, max=3)),
        ({"rule": "words", "max": 15, "read": "text"}, checks.Words(max=15, read="text")),
        ({"rule": "acrostic", "word": "SAUDADE"}, checks.Acrostic(word="SAUDADE")),
        ({"rule": "palindrome"}, checks.Palindrome()),
        ({"rule": "pangram", "accented": True}, checks.Pangram(accented=True)),
        ({"rule": "names", "all": ["fino|finos"]}, checks.Names(all=("fino|finos",))),
        ({"rule": "number", "value": 7, "units": ["sílabas"]}, checks.Number(value=7, units=("sílabas",))),
        ({"rule": "syllables_per_line", "counts": [5, 7, 5]}, checks.SyllablesPerLine(counts=(5, 7, 5))),
        ({"rule": "rhyme", "scheme": "ABAB"}, checks.Rhyme(scheme="ABAB")),
    ],
)
def test_a_check_is_read_as_it_is_written(row: dict[str, object], check: Check):
    assert parse_checks([row]) == (check,)


def test_every_rule_has_a_name_of_its_own():
    assert len(RULES) == len(set(RULES)) == len(get_args(Check))


@pytest.mark.parametrize(
    ("value", "message", "remedy"),
    [
        ({}, "'checks' is not a list", '"checks": '),
        ([3], "check 1 has no rule", "rules are: words, "),
        ([{"rule": "words", "min": 1}, {"min": 3}], "check 2 has no rule", "rules are"),
        ([{"rule": "word", "min": 3}], "check 1 has the unknown rule 'word'", "did you mean 'words'"),
        ([{"rule": 7}], "check 1 has no rule", "rules are"),
        ([{"rule": "words"}], "one of them is needed", "'words' has: min, max, read"),
        ([{"rule": "words", "min": 4, "max": 3}], "'max' is not below 'min'", "'words' has"),
        ([{"rule": "words", "min": "3"}], "min: input should be a valid integer", "'words' has"),
        ([{"rule": "words", "min": 3, "letter": "a"}], "letter: unexpected keyword", "'words' has"),
        ([{"rule": "words", "min": 3, "read": "verses"}], "read: input should be 'sentence' or 'text'", "'words' has"),
        ([{"rule": "rhyme"}], "scheme: field required", "'rhyme' has: scheme"),
        ([{"rule": "rhyme", "scheme": "abab"}], "'scheme' is a row of capital letters", "'rhyme' has"),
        ([{"rule": "without_letter", "letter": "ab"}], "'letter' is one letter", "'without_letter' has"),
        ([{"rule": "names", "all": []}], "'all' is empty", "'names' has"),
        ([{"rule": "names", "all": ["fino|"]}], "'all' is empty", "'names' has"),
        ([{"rule": "names", "all": "fino"}], "all: input should be a valid array", "'names' has"),
        (
            [{"rule": "word_lengths", "lengths": [1, 0]}],
            "'lengths' holds whole numbers from 1 up",
            "'word_lengths' has",
        ),
        ([{"rule": "occurrences", "text": "pr", "min": 0}], "'min' is a whole number from 1 up", "'occurrences' has"),
    ],
)
def test_a_mistake_is_named_with_its_check(value: object, message: str, remedy: str):
    with pytest.raises(RowFault) as caught:
        parse_checks(value)
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_a_file_says_in_which_line_a_check_is_wrong():
    rows = [{"prompt": "a", "checks": [{"rule": "palindrome"}]}, {"prompt": "b", "checks": [{"rule": "palindrom"}]}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    with pytest.raises(ItemError, match="unknown rule 'palindrom'") as caught:
        read_jsonl(io.BytesIO(lines.encode()), "prompts.jsonl", "pt-PT")
    assert caught.value.place == "line 2"
    items = read_jsonl(io.BytesIO(lines.splitlines(keepends=True)[0].encode()), "prompts.jsonl", "pt-PT").items
    assert (items[0].checks, items[0].fields) == ((checks.Palindrome(),), {"prompt": "a"})


def test_a_check_is_described_in_one_line():
    assert described(checks.Words(min=6)) == "words (min 6) of the sentence"
    assert described(checks.Palindrome()) == "palindrome of the sentence"
    assert described(checks.Names(all=("fino", "cimbalino"))) == "names (all fino cimbalino) of the answer"


WORD = st.text(alphabet="abcdeáãç", min_size=1, max_size=6)
COUNTS = st.lists(st.integers(1, 20), min_size=1, max_size=4).map(tuple)
VALUES = {
    "min": st.integers(1, 9),
    "max": st.none() | st.integers(9, 20),
    "text": WORD,
    "word": WORD,
    "first": WORD,
    "last": WORD,
    "letters": WORD,
    "letter": st.sampled_from("aeixç"),
    "scheme": st.text(alphabet="ABC", min_size=1, max_size=6),
    "counts": COUNTS,
    "lengths": COUNTS,
    "words": st.lists(WORD, min_size=1, max_size=4).map(tuple),
    "texts": st.lists(WORD, min_size=1, max_size=4).map(tuple),
    "all": st.lists(WORD, min_size=1, max_size=4).map(tuple),
    "units": st.lists(WORD, max_size=2).map(tuple),
    "value": st.integers(0, 99),
    "accented": st.booleans(),
    "on": st.sampled_from(("oxytone", "paroxytone", "proparoxytone")),
    "kind": st.sampled_from(("metrical", "grammatical")),
}


@st.composite
def any_check(draw: st.DrawFn) -> Check:
    kind = draw(st.sampled_from(get_args(Check)))
    return kind(**{name: draw(VALUES[name]) for name in kind.__dataclass_fields__ if name not in ("rule", "read")})


@given(st.lists(any_check(), max_size=4))
def test_what_is_written_is_read_back(made: list[Check]):
    assert parse_checks(json.loads(json.dumps([as_json(check) for check in made]))) == tuple(made)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from((*VALUES, "read", "x")), inner),
    max_leaves=6,
)


@given(st.sampled_from(RULES), st.dictionaries(st.sampled_from((*VALUES, "read", "x")), JSON, max_size=4))
def test_any_row_is_a_check_or_a_fault(rule: str, row: dict[str, object]):
    try:
        (check,) = parse_checks([{"rule": rule, **row}])
    except RowFault as fault:
        assert fault.message.startswith("check 1 (") and fault.remedy
    else:
        assert check.rule == rule
