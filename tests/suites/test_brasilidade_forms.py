"""Verb forms, word formation and degrees: tables that people edit, recipes that make the questions, what both show."""

import json
import re
import subprocess
import sys
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from sotaque.records import Item
from sotaque.suites.asked import SuiteItems
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite

RECIPES = Path(__file__).parents[2] / "recipes" / "brasilidade"
MADE = {
    "conjugacoes": ("conjugacoes", "conjugacoes_exemplos"),
    "formacao": ("formacao", "formacao_exemplos"),
    "graus": ("aumentativo", "aumentativo_exemplos", "diminutivo", "diminutivo_exemplos"),
}
DEGREES = ("pt_aum_gen", "pt_dim_gen")
IMPERATIVE = "imperativo"


@pytest.fixture(scope="module")
def loaded() -> SuiteItems:
    return load_items(load_suite("brasilidade"), "bundled")


def table(name: str) -> dict[str, Any]:
    return tomllib.loads((RECIPES / f"{name}.toml").read_text(encoding="utf-8"))


def folded(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]", "", plain)


def run(recipe: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(recipe), str(folder)], capture_output=True, encoding="utf-8")


# ---------------------------------------------------------------- recipes


@pytest.mark.parametrize("name", MADE)
def test_the_recipe_makes_the_bundled_files(name: str, tmp_path: Path):
    ran = run(str(RECIPES / f"{name}.py"), tmp_path)
    assert ran.returncode == 0, ran.stderr
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    folder = load_suite("brasilidade").folder
    assert made == {f"{file}.jsonl": (folder / f"{file}.jsonl").read_bytes() for file in MADE[name]}


@pytest.mark.parametrize(
    ("name", "right", "wrong", "says"),
    [
        (
            "conjugacoes",
            '["presente do indicativo", "ele", "- aboles',
            '["presente do indicativo", "eu", "- aboles',
            "abolir, presente do indicativo: 'eu' is asked for, and there is no such form",
        ),
        ("formacao", 'perguntas = ["tipo", "morfemas"]', 'perguntas = ["tipos"]', "'perguntas' may hold classe, tipo"),
        ("graus", '["paisão", "paição", "paicão", "paiezão"]', '"paisão"', "'erradas' has to be a list of forms"),
    ],
)
def test_a_table_that_asks_for_what_is_not_there_is_refused(
    name: str, right: str, wrong: str, says: str, tmp_path: Path
):
    for suffix in ("py", "toml"):
        (tmp_path / f"{name}.{suffix}").write_bytes((RECIPES / f"{name}.{suffix}").read_bytes())
    edited = (tmp_path / f"{name}.toml").read_text(encoding="utf-8")
    assert right in edited
    (tmp_path / f"{name}.toml").write_text(edited.replace(right, wrong, 1), encoding="utf-8")
    ran = run(str(tmp_path / f"{name}.py"), tmp_path)
    assert ran.returncode == 1
    assert says in ran.stderr


@pytest.mark.parametrize("task", ["pt_conjugate", "pt_morfema", "pt_aum_gen", "pt_dim_gen"])
def test_items_are_marked_and_say_what_they_test(task: str, loaded: SuiteItems):
    items = (*loaded.tasks[task].items, *loaded.tasks[task].pool)
    for item in items:
        found = item.metadata
        assert (found["author"], found["review"], found["version"]) == ("model-written", "unreviewed", "3")
        assert found["testa"]
        assert item.id.isascii()
    assert len({item.id for item in loaded.tasks[task].items}) == len(loaded.tasks[task].items)


# ---------------------------------------------------------------- conjugation


def test_300_questions_are_asked_about_60_verbs_of_four_kinds(loaded: SuiteItems):
    items, pool = loaded.tasks["pt_conjugate"].items, loaded.tasks["pt_conjugate"].pool
    verbs = Counter(item.metadata["verbo"] for item in items)
    assert len(items) == 300
    assert len({item.fields["question"] for item in (*items, *pool)}) == 300 + len(pool)
    assert len(verbs) == 60
    assert set(verbs.values()) == {5}
    kinds = {item.metadata["verbo"]: item.metadata["tipo"] for item in items}
    assert Counter(kinds.values()) == {"regular": 14, "irregular": 29, "defectivo": 8, "pronominal": 9}
    assert not verbs.keys() & {item.metadata["verbo"] for item in pool}


def test_persons_are_asked_equally_often_and_so_are_tenses(loaded: SuiteItems):
    items = loaded.tasks["pt_conjugate"].items
    assert Counter(item.metadata["pessoa"] for item in items) == dict.fromkeys(
        ("eu", "tu", "ele", "nós", "vós", "eles"), 50
    )
    tenses = Counter(item.metadata["tempo"] for item in items)
    finite = {tense: count for tense, count in tenses.items() if not tense.startswith((IMPERATIVE, "infinitivo"))}
    assert finite == dict.fromkeys(finite, 25)
    assert len(finite) == 9
    assert {tense: tenses[tense] for tense in tenses.keys() - finite.keys()} == {
        "imperativo afirmativo": 20,
        "imperativo negativo": 20,
        "imperativo negativo com pronome oblíquo": 15,
        "infinitivo pessoal": 20,
    }


def test_every_row_has_six_forms_and_imperatives_no_first_person():
    for verb, row in table("conjugacoes").items():
        for tense, person, forms in row["formas"]:
            found = forms.split()
            assert len(found) == 6, (verb, tense)
            assert not tense.startswith(IMPERATIVE) or (found[0] == "-" and person != "eu"), (verb, tense)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("primeira pessoa do singular do presente do indicativo do verbo descer", "eu desço"),
        ("segunda pessoa do plural do imperativo afirmativo do verbo precaver", "precavei vós"),
        ("terceira pessoa do plural (vocês) do imperativo afirmativo do verbo pescar", "pesquem vocês"),
        ("segunda pessoa do singular do imperativo negativo com pronome oblíquo (o) do verbo odiar", "não o odeies tu"),
        ("primeira pessoa do plural do imperativo negativo do verbo divertir-se", "não nos divirtamos nós"),
        ("segunda pessoa do singular do imperativo afirmativo do verbo esquecer-se", "esquece-te tu"),
        ("segunda pessoa do plural do imperativo afirmativo do verbo despedir-se", "despedi-vos vós"),
        ("segunda pessoa do plural do pretérito imperfeito do indicativo do verbo queixar-se", "vós vos queixáveis"),
        ("terceira pessoa do singular do presente do subjuntivo do verbo divertir-se", "ele se divirta"),
        ("terceira pessoa do plural do infinitivo pessoal do verbo vir", "eles virem"),
        ("segunda pessoa do plural do presente do indicativo do verbo reaver", "vós reaveis"),
    ],
)
def test_answers_carry_the_pronouns_that_the_norm_asks_for(asked: str, answer: str, loaded: SuiteItems):
    items = {item.fields["question"]: item.answers for item in loaded.tasks["pt_conjugate"].items}
    assert items[f"Qual é a {asked}?"] == (answer,)


def test_the_first_ten_examples_show_every_way_of_placing_pronouns(loaded: SuiteItems):
    first = [item.answers[0] for item in loaded.tasks["pt_conjugate"].pool[:10]]
    for form in ("eu ouço", "come tu", "venda você", "nós nos lembramos", "senta-te tu", "não o guarde você"):
        assert form in first


# ---------------------------------------------------------------- word formation


def test_a_hundred_words_are_segmented_twenty_of_each_number_of_morphemes(loaded: SuiteItems):
    items = loaded.tasks["pt_morfema"].items
    assert Counter(item.metadata["numero_de_morfemas"] for item in items) == dict.fromkeys("12345", 20)


def test_types_and_word_classes_are_in_balance(loaded: SuiteItems):
    derived = Counter(item.fields["tipo_derivacao"] for item in loaded.tasks["pt_der_type_gen"].items)
    composed = Counter(item.fields["tipo_composicao"] for item in loaded.tasks["pt_comp_type_gen"].items)
    assert (len(derived), set(derived.values())) == (6, {10})
    assert composed == {"composição por justaposição": 24, "composição por aglutinação": 24}
    classes = Counter(item.fields["classe"] for item in loaded.tasks["pt_word_class_gen"].items)
    assert classes == {"substantivo": 12, "verbo": 12, "adjetivo": 12, "advérbio": 12, "conjunção": 11}


def test_pieces_spell_their_word_or_the_row_names_the_change():
    segmented = 0
    for row in table("formacao")["palavra"]:
        pieces = row.get("morfemas", [])
        if pieces:
            segmented += 1
            word = re.sub(r"^[oa] |[- ]", "", row["termo"])
            spelt = "".join(piece.strip("-") for piece, _, _ in pieces)
            assert (spelt == word) != bool(row.get("mudanca")), row["termo"]
        assert pieces or "morfemas" not in row["perguntas"], row["termo"]
    assert segmented > 140


def test_a_word_of_several_steps_names_the_last_one():
    for row in table("formacao")["palavra"]:
        if len(row.get("morfemas", [])) > 3 and not row.keys() & {"derivacao", "composicao"} and "parte" not in row:
            assert row["observacao"].startswith("última etapa: "), row["termo"]
            assert row["classe"], row["termo"]


def test_every_piece_says_what_it_is_and_what_it_means():
    kinds = Counter[str]()
    for row in table("formacao")["palavra"]:
        for piece, kind, meaning in row.get("morfemas", []):
            kinds[kind] += 1
            assert meaning.strip(), row["termo"]
            assert (kind == "prefixo") <= (piece[-1] == "-" and piece[0] != "-"), (row["termo"], piece)
            assert (kind == "sufixo") <= (piece[0] == "-"), (row["termo"], piece)
    assert kinds.keys() == {"radical", "prefixo", "sufixo", "preposição", "pronome", "conjunção", "contração",
                            "advérbio", "morfema gramatical"}  # fmt: skip


def test_a_change_of_sound_reaches_the_item(loaded: SuiteItems):
    items = {item.fields["termo"]: item.fields for item in loaded.tasks["pt_morfema"].items}
    assert items["planalto"]["morfemas"] == "plano + alto"
    assert items["planalto"]["observacao"] == "cai o -o de plano"
    assert "observacao" not in items["entardecer"]


def test_no_two_words_are_nearly_the_same(loaded: SuiteItems):
    for task in ("pt_word_class_gen", "pt_der_type_gen", "pt_comp_type_gen", "pt_morfema"):
        words = [item.fields["termo"] for item in (*loaded.tasks[task].items, *loaded.tasks[task].pool)]
        for one, other in combinations(map(folded, words), 2):
            assert SequenceMatcher(None, one, other, autojunk=False).ratio() < 0.85, (one, other)


# ---------------------------------------------------------------- degrees


@pytest.mark.parametrize("task", DEGREES)
def test_sixty_nouns_have_five_different_options_and_twelve_more_are_examples(task: str, loaded: SuiteItems):
    items, pool = loaded.tasks[task].items, loaded.tasks[task].pool
    words = [item.fields["palavra"] for item in (*items, *pool)]
    assert (len(items), len(pool)) == (60, 12)
    assert len(set(words)) == 72
    assert Counter(item.gold for item in items) == dict.fromkeys(range(5), 12)
    for item in items:
        assert len({option.text for option in item.options}) == 5, item.id


def test_a_wrong_form_is_no_right_form_of_the_same_noun_and_degree():
    for rows in table("graus").values():
        right = {(row["palavra"], row["certa"]) for row in rows}
        assert not {(row["palavra"], form) for row in rows for form in row["erradas"]} & right


RULES: dict[str, Callable[[Item, str], float]] = {
    "longest": lambda item, text: len(text),
    "shortest": lambda item, text: -len(text),
    "most punctuation": lambda item, text: len(re.findall(r"[^\w\s]", text)),
    "most letters of the noun": lambda item, text: len(set(folded(text)) & set(folded(item.fields["palavra"]))),
    "common ending": lambda item, text: text.endswith(("inho", "inha", "ão", "ona")),
}


@pytest.mark.parametrize("rule", [*RULES, "rarest"])
@pytest.mark.parametrize("task", DEGREES)
def test_no_rule_that_looks_at_the_options_alone_does_better_than_chance(task: str, rule: str, loaded: SuiteItems):
    items = loaded.tasks[task].items
    used = Counter(option.text for item in items for option in item.options)
    value = RULES.get(rule, lambda item, text: -used[text])
    assert abs(share(items, value) - 0.2) <= 0.1, share(items, value)


def share(items: Sequence[Item], value: Callable[[Item, str], float]) -> float:
    """How often the option with the most of something is the right one; of equal ones, each counts in part."""
    total = 0.0
    for item in items:
        found = [value(item, option.text) for option in item.options]
        total += (found[item.gold or 0] == max(found)) / found.count(max(found))
    return total / len(items)


@pytest.mark.parametrize("task", DEGREES)
def test_a_right_form_with_the_common_ending_is_not_alone_with_it(task: str, loaded: SuiteItems):
    endings = ("ão", "ona") if task == "pt_aum_gen" else ("inho", "inha")
    for item in loaded.tasks[task].items:
        alike = [option.text for option in item.options if option.text.endswith(endings)]
        assert item.options[item.gold or 0].text not in alike or len(alike) > 1, item.id


def test_ids_and_questions_are_of_one_shape():
    folder = load_suite("brasilidade").folder
    for file in ("aumentativo", "diminutivo"):
        for line in (folder / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            assert row["pergunta"] == f"Entre as opções abaixo, qual é o {file} correto da palavra '{row['palavra']}'?"
            assert sum(row[f"alternativa_{letter}_correta"] for letter in "abcde") == 1
