"""One file, several tasks: what each of them asks, and what is right in it."""

import json
from pathlib import Path

import pytest

from kinds_suite import TOML, WORDS, write_kinds
from sotaque.errors import ItemError, SuiteError
from sotaque.prompts.hashes import item_hash
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite


def items_of(folder: Path, task: str, toml: str = TOML, source: str = "own"):
    return load_items(load_suite(write_kinds(folder, toml)), source, [task]).tasks[task]


def test_a_task_with_classes_gives_every_item_the_same_options(tmp_path: Path):
    view = items_of(tmp_path, "classe_gen")
    assert {tuple(option.text for option in item.options) for item in view.items} == {("nome", "verbo", "advérbio")}
    assert [item.gold for item in view.items] == [("nome", "verbo", "advérbio").index(kind) for _, kind, _, _ in WORDS]


def test_a_gold_is_matched_on_its_key(tmp_path: Path):
    folder = write_kinds(tmp_path)
    text = (folder / "termos.jsonl").read_text(encoding="utf-8").replace('"classe": "verbo"', '"classe": " VERBO "')
    (folder / "termos.jsonl").write_text(text, encoding="utf-8")
    view = load_items(load_suite(folder), "own", ["classe_gen"]).tasks["classe_gen"]
    assert [item.gold for item in view.items].count(1) == 2


def test_items_without_an_answer_to_the_question_are_not_asked_but_counted(tmp_path: Path):
    view = items_of(tmp_path, "plural")
    assert [item.answers for item in view.items] == [(plural,) for _, _, plural, _ in WORDS if plural]
    assert (len(view.items), view.asked.not_applicable) == (7, 5)
    assert {item.options for item in view.items} == {()}
    assert {item.gold for item in view.items} == {None}


def test_the_hash_is_of_the_item_as_the_task_sees_it(tmp_path: Path):
    views = [items_of(tmp_path, task).items[0] for task in ("classe_gen", "plural", "sentido_gen")]
    assert {item.id for item in views} == {"1"}
    assert len({item_hash(item) for item in views}) == 3


def test_a_gold_field_names_the_text_of_an_own_option(tmp_path: Path):
    toml = TOML.replace('metrics = ["accuracy", "accuracy_per_character"]', 'metrics = ["accuracy"]\ngold = "certa"')
    toml = toml.replace('twin = "sentido_prob"\n', "").replace('twin = "sentido_gen"\n', "")
    folder = write_kinds(tmp_path, toml)
    rows = [
        {"termo": "a", "raiz": "1", "certa": " B", "options": ["a", "b"]},
        {"termo": "b", "raiz": "2", "options": ["a", "b"]},
    ]
    (folder / "termos.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    view = load_items(load_suite(folder), "own", ["sentido_prob"]).tasks["sentido_prob"]
    assert ([item.gold for item in view.items], view.asked.not_applicable) == ([1], 1)


def test_a_gold_outside_the_classes_names_file_line_and_classes(tmp_path: Path):
    folder = write_kinds(tmp_path)
    text = (folder / "termos.jsonl").read_text(encoding="utf-8").replace('"classe": "verbo"', '"classe": "verbete"')
    (folder / "termos.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(ItemError) as caught:
        load_items(load_suite(folder), "own")
    assert caught.value.file == str(folder / "termos.jsonl")
    assert "2 broken rows" in caught.value.message
    assert "line 3: item '3': 'verbete' (its 'classe') is none of the classes of task" in caught.value.message
    assert "Classes: nome, verbo, advérbio" in caught.value.message


def test_a_broken_example_is_found_before_anything_is_asked(tmp_path: Path):
    folder = write_kinds(tmp_path)
    with (folder / "exemplos.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "x", "termo": "x", "classe": "y", "plural": "", "raiz": "", "options": ["a", "b"]}\n')
    with pytest.raises(ItemError, match=r"exemplos\.jsonl, line 10: item 'x': 'y'"):
        load_items(load_suite(folder), "own", ["classe_gen"])


@pytest.mark.parametrize(
    ("task", "row", "message"),
    [
        ("plural_sem_campo", {"termo": "x", "raiz": ""}, "has no answer, and task 'plural_sem_campo' asks for one"),
        ("sentido_gen", {"termo": "x", "raiz": "r"}, "has no options, and task 'sentido_gen' chooses"),
        ("sentido_gen", {"termo": "x", "raiz": "r", "options": ["a", "b"]}, "has no right option"),
    ],
)
def test_what_a_row_lacks_depends_on_the_task(tmp_path: Path, task: str, row: dict[str, object], message: str):
    toml = TOML.replace("[tasks.plural]", "[tasks.plural_sem_campo]").replace('gold = "plural"\n', "")
    folder = write_kinds(tmp_path, toml)
    with (folder / "termos.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "x"} | row) + "\n")
    with pytest.raises(ItemError, match=message) as caught:
        load_items(load_suite(folder), "own", [task])
    assert caught.value.place == "line 13"


def test_a_gold_field_that_no_item_has_is_a_fault_of_the_suite(tmp_path: Path):
    with pytest.raises(SuiteError, match="no item has 'plurall'") as caught:
        items_of(tmp_path, "plural", TOML.replace('gold = "plural"', 'gold = "plurall"'))
    assert caught.value.remedy == "did you mean 'plural'?"


def test_a_folder_of_the_users_need_not_hold_the_examples(tmp_path: Path):
    suite = load_suite(write_kinds(tmp_path / "suite"))
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "termos.jsonl").write_bytes((tmp_path / "suite" / "termos.jsonl").read_bytes())
    alone = load_items(suite, str(folder), ["classe_gen"]).tasks["classe_gen"]
    assert (alone.examples, len(alone.pool)) == (None, 12)
    (folder / "exemplos.jsonl").write_bytes((tmp_path / "suite" / "exemplos.jsonl").read_bytes())
    assert len(load_items(suite, str(folder), ["classe_gen"]).tasks["classe_gen"].pool) == 9


def test_an_open_question_for_a_judge_needs_no_answer(tmp_path: Path):
    view = items_of(tmp_path, "aberta")
    assert [(item.options, item.answers) for item in view.items] == [((), ()), ((), ())]
