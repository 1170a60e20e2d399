"""``shortcuts`` in suite.toml: which rules belong to the subject, and why."""

from pathlib import Path

import pytest

from own_suites import TOML, write_suite
from sotaque.errors import SuiteError
from sotaque.records import Shortcut
from sotaque.suites.suite import load_suite

REASON = "o resultado certo é maior"


def suite_with(folder: Path, line: str, before: str = 'twin = "soma_prob"') -> Path:
    return write_suite(folder, toml=TOML.replace(before, f"{line}\n{before}", 1))


def test_a_declared_shortcut_is_read_with_its_reason(tmp_path: Path):
    suite = load_suite(suite_with(tmp_path, f'shortcuts = {{ longest = "{REASON}" }}'))
    assert suite.tasks["soma"].shortcuts == {Shortcut.LONGEST: REASON}
    assert suite.tasks["soma_prob"].shortcuts == {}


def test_a_template_can_declare_it_for_several_tasks(tmp_path: Path):
    templates = f'[templates.conta]\nshortcuts = {{ shortest = "{REASON}" }}\n\n[tasks.soma]\ntemplate = "conta"'
    suite = load_suite(write_suite(tmp_path, toml=TOML.replace("[tasks.soma]", templates, 1)))
    assert suite.tasks["soma"].shortcuts == {Shortcut.SHORTEST: REASON}


@pytest.mark.parametrize(
    ("line", "said", "remedy"),
    [
        ('shortcuts = { longst = "porque sim" }', "'longst' is not known here", "did you mean 'longest'?"),
        ('shortcuts = { chance = "porque sim" }', "'chance' is not known here", "longest, shortest, first"),
        ('shortcuts = { longest = "" }', "'longest' is empty", "say why it is so"),
        ("shortcuts = { longest = true }", "valid string", "say why it is so"),
        ('shortcuts = ["longest"]', "should be a table", "say why it is so"),
    ],
)
def test_what_is_no_declaration_is_refused_where_it_stands(tmp_path: Path, line: str, said: str, remedy: str):
    with pytest.raises(SuiteError) as raised:
        load_suite(suite_with(tmp_path, line))
    assert said in str(raised.value)
    assert remedy in str(raised.value)
    assert "tasks.soma.shortcuts" in str(raised.value)


def test_an_open_question_has_no_shortcuts(tmp_path: Path):
    toml = TOML.replace('answer = "label"\nmetrics = ["accuracy"]', 'answer = "text"\nmetrics = ["exact_match"]', 1)
    toml = toml.replace("{options}\n", "").replace('twin = "soma_prob"', 'shortcuts = { first = "porque sim" }', 1)
    with pytest.raises(SuiteError, match="no options to pick from"):
        load_suite(write_suite(tmp_path, toml=toml.replace('twin = "soma"\n', "")))
