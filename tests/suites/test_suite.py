"""suite.toml as people write it: what is accepted, and what each mistake is answered with."""

from pathlib import Path

import pytest

from sotaque.errors import SuiteError, UsageError
from sotaque.records import Metric, Reading
from sotaque.suites.suite import load_suite

QUIZ = """format = 1
name = "ditados"
title = "Ditados populares"
languages = ["pt-BR"]
version = "0.1"

[sources.bundled]
files = { quiz = "quiz.jsonl" }
provenance = { author = "nós", review = "unreviewed", licence = "CC0", share = "yes" }

[tasks.escolha]
about = "Qual é o sentido do ditado?"
source = "quiz"
mode = "generate"
labels = "A B C D E"
prompt = '''
{question}
{options}
'''
metrics = ["accuracy"]
twin = "continuar"

[tasks.continuar]
about = "Qual continuação é mais provável?"
source = "quiz"
mode = "choose"
prompt = "{question}"
metrics = ["accuracy_per_byte", "accuracy"]
"""

OFFICIAL = """
[sources.official]
format = "masalbench-csv"
files = { quiz = { url = "https://example.org/q.csv", sha256 = "%s" } }
provenance = { author = "eles", review = "authors", licence = "not stated", share = "unknown" }
""" % ("0" * 64)


def write(folder: Path, text: str) -> Path:
    (folder / "suite.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_users_folder_is_read_like_a_bundled_suite(tmp_path: Path):
    suite = load_suite(write(tmp_path, QUIZ))
    task = suite.tasks["escolha"]
    assert (task.name, task.prompt, suite.folder, suite.first_source) == (
        "escolha",
        "{question}\n{options}",
        tmp_path,
        "bundled",
    )
    assert task.reading(3) == Reading("label", ("A", "B", "C"), ("pt-BR",), (Metric.ACCURACY,))
    assert load_suite(tmp_path / "suite.toml") == suite
    assert load_suite(str(tmp_path)).sha256 == suite.sha256


def test_a_task_without_protocol_is_run_as_we_recommend(tmp_path: Path):
    protocols = load_suite(write(tmp_path, QUIZ)).tasks["escolha"].protocol
    assert protocols.named("published") is None
    assert (protocols.default.shots, protocols.default.max_tokens, protocols.default.temperature) == (0, 64, 0.0)


def test_a_bom_is_accepted(tmp_path: Path):
    assert load_suite(write(tmp_path, "\ufeff" + QUIZ)).name == "ditados"


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "remedy"),
    [
        ("format = 1", "format = 2", "line 1, format", "of format 2; this sotaque reads format 1", "upgrade sotaque"),
        ("format = 1\n", "", "format", "'format' is missing", "write format = 1"),
        ("format = 1", 'format = "1"', "line 1, format", "'1' is no format", "write format = 1"),
        ("format = 1", "format = true", "line 1, format", "True is no format", "write format = 1"),
        ("title =", "titel =", "line 3, titel", "unknown key 'titel'", "did you mean 'title'?"),
        ('about = "Qual é', 'abuot = "Qual é', "line 12, tasks.escolha.abuot", "unknown key", "did you mean 'about'?"),
        ("review =", "reveiw =", "line 9, sources.bundled.provenance.reveiw", "unknown key", "did you mean 'review'?"),
        ('share = "yes"', "share = true", "line 9, sources.bundled.provenance.share", "not known", "yes, no, unknown"),
        ("provenance =", "comparable = false #", "line 7, sources.bundled.provenance", "is missing", "who wrote"),
        (
            'metrics = ["accuracy"]\n',
            "",
            "line 11, tasks.escolha.metrics",
            "'metrics' is missing",
            'metrics = ["accuracy"]',
        ),
        ('metrics = ["accuracy"]', "metrics = []", "line 20, tasks.escolha.metrics", "'metrics' is empty", "how it is"),
        ('["accuracy"]', '["acuracy"]', "line 20, tasks.escolha.metrics.0", "'acuracy'", "did you mean 'accuracy'?"),
        (
            '["accuracy"]',
            '["accuracy_per_byte"]',
            "line 20, tasks.escolha.metrics",
            "cannot be measured in mode generate",
            "in this mode: accuracy",
        ),
        (
            'mode = "generate"',
            'mode = "judges"',
            "line 14, tasks.escolha.mode",
            "'judges'",
            "did you mean 'judge'?",
        ),
        (
            'twin = "continuar"',
            'twin = "continua"',
            "line 21, tasks.escolha.twin",
            "no task",
            "did you mean 'continuar'?",
        ),
        ('twin = "continuar"', 'twin = "escolha"', "line 21, tasks.escolha.twin", "same mode", "the other mode"),
        (
            'source = "quiz"',
            'source = "quizz"',
            "line 13, tasks.escolha.source",
            "no source has",
            "did you mean 'quiz'?",
        ),
        ("{options}\n", "{options\n", "line 16, tasks.escolha.prompt", "a stray '{' near", "{{ and }}"),
        ("{options}\n", "\n", "line 16, tasks.escolha.prompt", "does not show the options", "put {options}"),
        ('labels = "A B C D E"', 'labels = "A A"', "line 15, tasks.escolha.labels", "must differ", "write an alphabet"),
        (
            'twin = "continuar"',
            'option_format = "{label}) {txt}"',
            "line 21, tasks.escolha.option_format",
            "unknown placeholder {txt}",
            "{label} and {text}",
        ),
        ('version = "0.1"', "version = 0.1", "line 5, version", "valid string (found: 0.1)", "version = "),
        ('version = "0.1"', "version = ", "line 5, column 11", "not valid TOML", "texts stand in quotes"),
        ('version = "0.1"', 'default_tasks = ["x"]\nversion = ""', "line 6, version", "'version' is empty", "1.0.0"),
        (
            'files = { quiz = "quiz.jsonl" }',
            "files = {}",
            "line 8, sources.bundled.files",
            "is empty",
            "name the files",
        ),
        (
            "[tasks.continuar]",
            "[tasks.escolha.protocol.default]\nmax_tokens = 0\n[tasks.continuar]",
            "line 24, tasks.escolha.protocol.default.max_tokens",
            "greater than 0",
            "from 1 up",
        ),
        (
            "[tasks.continuar]",
            "[tasks.escolha.protocol.default]\ntemprature = 1\n[tasks.continuar]",
            "line 24, tasks.escolha.protocol.default.temprature",
            "unknown key",
            "did you mean 'temperature'?",
        ),
        ('"pt-BR"', '"Portuguese"', "line 4, languages.0", "match pattern", 'languages = ["pt-BR"]'),
        ("[tasks.continuar]", '[tasks."con tinuar"]', "line 23, tasks.con tinuar", "match pattern", "[tasks.NAME]"),
        ('["accuracy"]', '"accuracy"', "line 20, tasks.escolha.metrics", "should be a list", "metrics = ["),
        ('"quiz.jsonl" }', "3 }", "line 8, sources.bundled.files.quiz", "a table", "files = {"),
        ('version = "0.1"', 'version = "0.1"\ncitation = 3', "line 6, citation", "valid string", "in quotes"),
    ],
)
def test_a_mistake_is_answered_with_its_place_and_a_remedy(
    tmp_path: Path, old: str, new: str, place: str, message: str, remedy: str
):
    assert old in QUIZ
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, QUIZ.replace(old, new, 1)))
    assert caught.value.place == place
    assert caught.value.message.startswith(f"{tmp_path / 'suite.toml'}, {place}: ")
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        (
            "{question}\n",
            "{dialoge}\n",
            "tasks.escolha.prompt",
            "unknown placeholder {dialoge}: items of source 'official'",
        ),
        (
            'format = "masalbench-csv"',
            'format = "masalbench"',
            "sources.official.format",
            "unknown format 'masalbench'",
        ),
        ("https://", "ftp://", "sources.official.files.quiz", "not an http or https address"),
    ],
)
def test_what_is_known_of_official_items_is_checked_without_them(
    tmp_path: Path, old: str, new: str, place: str, message: str
):
    with pytest.raises(SuiteError, match=message) as caught:
        load_suite(write(tmp_path, (QUIZ + OFFICIAL).replace(old, new, 1)))
    assert caught.value.place.endswith(place)


def test_all_mistakes_are_reported_at_once(tmp_path: Path):
    text = QUIZ.replace("title", "titel").replace('twin = "continuar"', 'twn = "continuar"')
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, text))
    assert "line 3, titel: unknown key 'titel'" in caught.value.message
    assert "line 21, tasks.escolha.twn: unknown key 'twn'" in caught.value.message
    assert "missing" not in caught.value.message


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path):
    (tmp_path / "suite.toml").write_bytes(QUIZ.encode("latin-1"))
    with pytest.raises(SuiteError, match=r"line 9: byte \d+ of the file \(0xF3\) is not UTF-8"):
        load_suite(tmp_path)


@pytest.mark.parametrize(
    ("ref", "message", "remedy"),
    [
        ("masalbensh", "there is no suite 'masalbensh'", "did you mean 'masalbench'?"),
        ("poesia", "there is no suite 'poesia'", "bundled suites: alba, "),
        (".", "has no suite.toml", "a suite is a folder with suite.toml"),
    ],
)
def test_an_unknown_suite_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ref: str, message: str, remedy: str
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        load_suite(ref)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
