"""Colloquialisms and sentences with errors: made from the tables in recipes/brasilidade, and held to them."""

import json
import re
import subprocess
import sys
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from sotaque.data.brasilidade import rows as published
from sotaque.records import Item
from sotaque.suites.asked import SuiteItems
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite

RECIPES = Path(__file__).resolve().parents[2] / "recipes" / "brasilidade"
QUESTIONS = ("def_expr_region", "def_expr_class", "expr_def_region")
REGIONS = {"Norte", "Nordeste", "Centro-Oeste", "Sudeste", "Sul", "Geral"}
CLASSES = {"substantivo", "verbo", "adjetivo", "advérbio", "interjeição"}
MADE = [f"{name}{part}.jsonl" for name in ("def_para_expr_classe", "def_para_expr_regiao", "erros",
        "expr_para_def_regiao") for part in ("", "_exemplos")]  # fmt: skip

BEFORE_1990 = re.compile(
    r"ü|[éó]i[ao]s?\b|[éó]ic[ao]s?\b|ôos?\b|êem\b|[aeiou]i[úí][rv]a|\b(?:pára|pêlos?|pólos?|pêra)\b"
    r"|\b(?:anti|auto|contra|semi|extra|infra|ultra)-(?:[rs]|[^h\W])|\b(?:anti|micro)i\w|\bmicroo\w",
    re.IGNORECASE,
)
SPELT_BEFORE_1990 = (
    "lingüiça", "idéia", "jibóia", "heróico", "vôo", "lêem", "feiúra", "pára", "anti-social", "microondas"
)  # fmt: skip


@pytest.fixture(scope="module")
def loaded() -> SuiteItems:
    return load_items(load_suite("brasilidade"), "bundled")


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return tomllib.loads((RECIPES / "coloquialismos.toml").read_text(encoding="utf-8"))


def folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))


def words(text: str) -> list[str]:
    return re.findall(r"\w+", folded(text))


def texts(item: Item) -> tuple[str, ...]:
    return tuple(option.text for option in item.options)


# ---------------------------------------------------------------- the recipe


def test_the_recipe_makes_the_bundled_files(tmp_path: Path):
    recipe = RECIPES / "assemble_words.py"
    subprocess.run([sys.executable, str(recipe), str(tmp_path)], check=True, capture_output=True, text=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    folder = load_suite("brasilidade").folder
    assert made == {name: (folder / name).read_bytes() for name in ("coloquialismos.jsonl", *MADE)}


def test_the_base_table_reads_as_the_published_one_does(loaded: SuiteItems):
    file = load_suite("brasilidade").folder / "coloquialismos.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    entries = [published.item(row, number, "pt-BR") for number, row in enumerate(rows)]
    pairs = {(entry.fields["expressao"], entry.fields["definicao"]) for entry in entries}
    assert len(pairs) == 120
    asked = loaded.files["def_expr_region"].items
    assert pairs == {(each.fields["expressao"], each.fields["definicao"]) for each in asked}


# ---------------------------------------------------------------- questions


@pytest.mark.parametrize("key", QUESTIONS)
def test_regions_and_classes_are_in_balance(key: str, loaded: SuiteItems):
    items = loaded.files[key].items
    assert Counter(item.fields["regiao"] for item in items) == dict.fromkeys(REGIONS, 20)
    assert Counter(item.fields["classe"] for item in items) == dict.fromkeys(CLASSES, 24)
    cells = Counter((item.fields["regiao"], item.fields["classe"]) for item in items)
    assert len(cells) == 30
    assert (min(cells.values()), max(cells.values())) == (2, 6)


@pytest.mark.parametrize("part", ["", "_examples"])
@pytest.mark.parametrize("key", QUESTIONS)
def test_whatever_a_rule_reads_in_the_options_it_is_right_as_often_as_chance(key: str, part: str, loaded: SuiteItems):
    """Each four options are asked about four times: each of them is right once, and once in each place."""
    by_options: dict[frozenset[str], list[Item]] = {}
    for item in loaded.files[f"{key}{part}"].items:
        by_options.setdefault(frozenset(texts(item)), []).append(item)
    for options, items in by_options.items():
        assert len(options) == len(items) == 4
        assert {texts(item)[item.gold or 0] for item in items} == options
        assert sorted(item.gold or 0 for item in items) == [0, 1, 2, 3]
        assert len({item.fields["classe"] for item in items}) == 1
    assert sum(len(options) for options in by_options) == sum(len(items) for items in by_options.values())


@pytest.mark.parametrize("key", QUESTIONS)
def test_the_options_of_a_question_are_of_four_regions(key: str, loaded: SuiteItems, table: dict[str, Any]):
    region = {text: row["regiao"] for row in table.values() for text in (f'"{row["expressao"]}"', row["definicao"])}
    for item in loaded.files[key].items:
        assert len({region[text] for text in texts(item)}) == 4


@pytest.mark.parametrize("key", QUESTIONS)
def test_words_of_the_question_do_not_point_at_the_answer(key: str, loaded: SuiteItems):
    items, right = loaded.files[key].items, 0.0
    for item in items:
        shared = [len({*words(text)} & {*words(item.fields["pergunta"])}) for text in texts(item)]
        right += (shared[item.gold or 0] == max(shared)) / shared.count(max(shared))
    assert right / len(items) <= 0.35


def kin(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, row in table.items():
        for other in row.get("parentes", ()):
            yield name, other


@pytest.mark.parametrize("key", QUESTIONS)
def test_expressions_that_mean_nearly_the_same_do_not_meet(key: str, loaded: SuiteItems, table: dict[str, Any]):
    pairs = [
        {(f'"{table[one]["expressao"]}"', f'"{table[other]["expressao"]}"') for one, other in kin(table)},
        {(table[one]["definicao"], table[other]["definicao"]) for one, other in kin(table)},
    ]
    assert len(pairs[0]) >= 50
    for item in loaded.files[key].items:
        for one, other in combinations(texts(item), 2):
            assert not any((one, other) in each or (other, one) in each for each in pairs), item.id


def test_kin_are_of_one_class_and_no_one_is_kin_to_itself(table: dict[str, Any]):
    for one, other in kin(table):
        assert one != other
        assert table[one]["classe"] == table[other]["classe"]


def test_the_three_sets_have_groups_of_their_own(loaded: SuiteItems, table: dict[str, Any]):
    name = {text: key for key, row in table.items() for text in (f'"{row["expressao"]}"', row["definicao"])}
    grouped = [{frozenset(name[text] for text in texts(item)) for item in loaded.files[key].items} for key in QUESTIONS]
    assert [len(groups) for groups in grouped] == [30, 30, 30]
    for one, other in combinations(grouped, 2):
        assert len(one & other) <= 6


# ---------------------------------------------------------------- the table


def test_a_definition_has_no_word_of_its_expression(table: dict[str, Any]):
    for row in table.values():
        of_expression = {word[:4] for word in words(row["expressao"]) if len(word) > 2 and word not in ("com", "que")}
        assert not of_expression & {word[:4] for word in words(row["definicao"])}, row


def test_an_example_uses_its_expression(table: dict[str, Any]):
    for row in table.values():
        last = max(words(row["expressao"]), key=len)
        stem = last[: max(3, len(last) - 2)] if row["classe"] == "VERB" else last
        assert stem in folded(row["exemplo"]), row


def test_definitions_are_one_sentence_of_like_length(table: dict[str, Any]):
    for row in table.values():
        assert re.fullmatch(r"[A-ZÀÁÉ][^.!?;]+\.", row["definicao"]), row
        if row.get("parte") != "exemplo":
            assert 29 <= len(row["definicao"]) <= 60, row


def near(one: str, other: str) -> bool:
    return SequenceMatcher(None, folded(one), folded(other)).ratio() >= 0.85


def duplicates(of: Sequence[str]) -> list[tuple[str, str]]:
    return [(one, other) for one, other in combinations(of, 2) if near(one, other)]


@pytest.mark.parametrize("column", ["expressao", "definicao", "exemplo"])
def test_no_two_rows_are_nearly_the_same(column: str, table: dict[str, Any]):
    assert not duplicates([row[column] for row in table.values()])


# ---------------------------------------------------------------- sentences with one error


def sentences(loaded: SuiteItems) -> list[Item]:
    return [*loaded.files["grammar"].items, *loaded.files["grammar_examples"].items]


def test_there_are_120_sentences_and_their_categories_are_in_balance(loaded: SuiteItems):
    counts = Counter(item.fields["tipo_de_erro"] for item in loaded.files["grammar"].items)
    assert sum(counts.values()) == 120
    assert set(counts.values()) == {13, 14}
    assert len(counts) == 9


def test_no_two_sentences_are_nearly_the_same(loaded: SuiteItems):
    assert not duplicates([item.fields["frase_incorreta"] for item in sentences(loaded)])


def test_a_correction_changes_one_place(loaded: SuiteItems):
    for item in sentences(loaded):
        wrong, right = (re.findall(r"[\w-]+|[^\w\s]", item.fields[f"frase_{which}"]) for which in
                        ("incorreta", "corrigida"))  # fmt: skip
        steps = SequenceMatcher(None, wrong, right, autojunk=False).get_opcodes()
        changes = [(start, end) for tag, start, end, *_ in steps if tag != "equal"]
        assert changes[-1][1] - changes[0][0] <= 3, item.id


def test_sentences_are_of_several_forms(loaded: SuiteItems):
    wrong = [item.fields["frase_corrigida"] for item in loaded.files["grammar"].items]
    for ending, least in (("?", 8), ("!", 4)):
        assert sum(text.endswith(ending) for text in wrong) >= least
    openings = Counter(words(text)[0] for text in wrong)
    assert max(openings.values()) <= 24  # "o"


def test_what_a_category_is_about_varies(loaded: SuiteItems):
    for category in {item.fields["tipo_de_erro"] for item in loaded.files["grammar"].items}:
        of = [item.metadata["testa"] for item in sentences(loaded) if item.fields["tipo_de_erro"] == category]
        assert len(set(of)) >= 10, category


# ---------------------------------------------------------------- spelling


@pytest.mark.parametrize("text", SPELT_BEFORE_1990)
def test_the_spellings_of_before_1990_are_known(text: str):
    assert BEFORE_1990.search(text)


def test_the_text_is_spelt_by_the_agreement_of_1990(loaded: SuiteItems, table: dict[str, Any]):
    shown = [row[column] for row in table.values() for column in ("expressao", "definicao", "exemplo")]
    right = [item.fields["frase_corrigida"] for item in sentences(loaded)]
    for text in (*shown, *right):
        assert not BEFORE_1990.search(text), text
