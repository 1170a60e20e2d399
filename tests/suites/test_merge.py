"""Templates: what a task takes over, what it keeps, and where its faults are said to be."""

from pathlib import Path

import pytest

from sotaque.errors import SuiteError
from sotaque.records import Metric
from sotaque.suites.suite import load_suite

HEAD = """format = 1
name = "gramatica"
title = "Gramática"
languages = ["pt-BR"]
version = "1"

[sources.own]
files = { termos = "termos.jsonl", exemplos = "exemplos.jsonl" }
provenance = { author = "nós", review = "unreviewed", licence = "CC0", share = "yes" }

[templates.classe]
mode = "generate"
answer = "option"
system = "Responda só com a classe."
prompt = "Pergunta: {termo}\\n{options}"
metrics = ["weighted_f1"]

[templates.classe.protocol.published]
shots = 5
pick = "first"
exclude = "item"
max_tokens = 64

[templates.classe.protocol.default]
pick = "balanced"
shots = 5
max_tokens = 64

[tasks.classe]
about = "Que classe?"
template = "classe"
source = "termos"
examples = "exemplos"
gold = "classe"
classes = ["verbo", "nome"]

[tasks.grau]
about = "Que grau?"
template = "classe"
source = "termos"
gold = "grau"
classes = ["aumentativo", "diminutivo"]
system = "Responda só com o grau."

[tasks.grau.protocol.default]
shots = 2
"""


def write(folder: Path, text: str) -> Path:
    (folder / "suite.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_task_takes_all_keys_of_its_template_and_its_own_win(tmp_path: Path):
    tasks = load_suite(write(tmp_path, HEAD)).tasks
    classe, grau = tasks["classe"], tasks["grau"]
    assert (classe.system, grau.system) == ("Responda só com a classe.", "Responda só com o grau.")
    assert classe.metrics == grau.metrics == (Metric.WEIGHTED_F1,)
    assert (classe.examples, grau.examples) == ("exemplos", "")


def test_protocols_are_merged_key_by_key(tmp_path: Path):
    grau = load_suite(write(tmp_path, HEAD)).tasks["grau"].protocol
    assert (grau.default.shots, grau.default.pick, grau.default.max_tokens) == (2, "balanced", 64)
    assert grau.published is not None
    assert (grau.published.shots, grau.published.pick, grau.published.exclude) == (5, "first", "item")


def test_a_suite_without_templates_is_as_before(tmp_path: Path):
    plain = HEAD.split("[templates.classe]")[0] + (
        '[tasks.t]\nabout = "?"\nsource = "termos"\nmode = "judge"\nprompt = "{termo}"\nmetrics = ["judge_score"]\n'
    )
    assert load_suite(write(tmp_path, plain)).tasks["t"].is_open


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "remedy"),
    [
        ('template = "classe"', 'template = "clase"', "line 31, tasks.classe.template", "no template", "'classe'?"),
        ("max_tokens = 64\n\n[tem", "max_token = 64\n\n[tem", "line 22, templates.classe.protocol.published.max_token",
         "unknown key 'max_token'", "did you mean 'max_tokens'?"),
        ("system = \"Responda só com a", "sistem = \"Responda só com a", "line 14, templates.classe.sistem",
         "unknown key 'sistem'", "did you mean 'system'?"),
        ('answer = "option"', 'answer = "options"', "line 13, templates.classe.answer", "'options'", "'option'?"),
        ("{options}", "", "line 15, templates.classe.prompt", "does not show the options", "put {options}"),
        ("shots = 2", "shots = -2", "line 46, tasks.grau.protocol.default.shots", "greater than", "0 for none"),
        ('mode = "generate"\n', "", "line 28, tasks.classe.mode", "'mode' is missing", 'mode = "generate"'),
        ("[tasks.classe]", '[templates.outro]\nanswer = "text"\n\n[tasks.classe]', "line 29, templates.outro",
         "no task uses this template", "drop it"),
        ('[templates.classe]\n', '[templates.classe]\ntemplate = "x"\n', "line 12, templates.classe.template",
         "takes nothing from another", "write its keys out"),
        ("[templates.classe]", "[templats.classe]", "line 11, templats", "unknown key", "'templates'?"),
        ('["weighted_f1"]', '["exact_match"]', "line 16, templates.classe.metrics", "measures open answers", "text"),
        ('answer = "option"', 'answer = "text"', "line 16, templates.classe.metrics", "measures a choice", "exact"),
        ('classes = ["verbo", "nome"]\n', "", "line 16, templates.classe.metrics", "needs fixed options", "classes ="),
        ('gold = "classe"\n', "", "line 34, tasks.classe.classes", "which class is right", "gold ="),
        ('["verbo", "nome"]', '["Verbo", "verbo "]', "line 35, tasks.classe.classes", "read the same", "once"),
        ('["verbo", "nome"]', '["verbo"]', "line 35, tasks.classe.classes", "only one class", "at least two"),
        ('examples = "exemplos"', 'examples = "exemplo"', "line 33, tasks.classe.examples", "no source has",
         "'exemplos'?"),
        ('examples = "exemplos"', 'examples = "termos"', "line 33, tasks.classe.examples", "that are scored",
         "another"),
        ('pick = "first"', 'pick = "firsts"', "line 20, templates.classe.protocol.published.pick", "'firsts'",
         "'first'?"),
    ],
)  # fmt: skip
def test_a_fault_is_said_where_the_key_stands(
    tmp_path: Path, old: str, new: str, place: str, message: str, remedy: str
):
    assert old in HEAD
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, HEAD.replace(old, new, 1)))
    assert caught.value.place == place
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_a_fault_that_two_tasks_took_over_is_said_once(tmp_path: Path):
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, HEAD.replace("{options}", "{options} {", 1)))
    assert caught.value.message.count("stray '{'") == 1


OPEN = HEAD.replace('answer = "option"', 'answer = "text"').replace('"weighted_f1"', '"exact_match"')
OPEN = OPEN.replace('\nclasses = ["verbo", "nome"]', "").replace('\nclasses = ["aumentativo", "diminutivo"]', "")


def test_open_answers_show_no_options_and_have_no_classes_to_balance(tmp_path: Path):
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, OPEN))
    assert "line 15, templates.classe.prompt" in str(caught.value)
    assert "an open question shows no options" in caught.value.message
    assert "templates.classe.protocol.default.pick: open answers have no classes to balance" in caught.value.message
    mended = OPEN.replace("\\n{options}", "").replace('"balanced"', '"random"')
    assert load_suite(write(tmp_path, mended)).tasks["grau"].is_open


AVERAGES = """
[averages.um]
about = "Tudo"
of = ["classe", "grau"]

[averages.tudo]
about = "Tudo de tudo"
of = ["um"]
group = "Gen"
"""


def test_averages_are_of_tasks_and_averages(tmp_path: Path):
    averages = load_suite(write(tmp_path, HEAD + AVERAGES)).averages
    assert (averages["um"].of, averages["tudo"].of, averages["tudo"].group) == (("classe", "grau"), ("um",), "Gen")


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "remedy"),
    [
        ('["um"]', '["grua"]', "line 54, averages.tudo.of", "no task or average 'grua'", "did you mean 'grau'?"),
        ('["classe", "grau"]', '["classe", "tudo"]', "line 50, averages.um.of", "'um' is a part of itself", "smaller"),
        ('["classe", "grau"]', '["classe", "classe"]', "line 50, averages.um.of", "named twice", "once"),
        ('["classe", "grau"]', "[]", "line 50, averages.um.of", "'of' is empty", "name tasks"),
        ("averages.um", "averages.grau", "line 48, averages.grau", "'grau' is a task", "another name"),
        ('group = "Gen"', 'grup = "Gen"', "line 55, averages.tudo.grup", "unknown key", "did you mean 'group'?"),
        ('about = "Tudo"\n', "", "line 48, averages.um.about", "'about' is missing", "what is averaged"),
    ],
)
def test_a_broken_average_is_named(tmp_path: Path, old: str, new: str, place: str, message: str, remedy: str):
    assert old in AVERAGES
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, HEAD + AVERAGES.replace(old, new, 1)))
    assert caught.value.place == place
    assert message in caught.value.message
    assert remedy in caught.value.remedy
