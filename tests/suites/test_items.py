"""Items of a suite: found by source name or folder, and checked against the prompts."""

import json
from pathlib import Path

import pytest

from sotaque.errors import ChecksumError, DataError, ItemError, SuiteError, UsageError
from sotaque.records import RunSpec
from sotaque.suites.items import find_source, load_items, tasks_for
from sotaque.suites.suite import Suite, load_suite

TOML = """format = 1
name = "ditados"
title = "Ditados"
languages = ["pt"]
version = "1"

[sources.nosso]
files = { quiz = "quiz.jsonl" }
provenance = { author = "nós", review = "unreviewed", licence = "CC0", share = "yes" }
comparable = true

[sources.deles]
files = { quiz = { url = "https://example.org/deles.jsonl", sha256 = "%s" } }
provenance = { author = "eles", review = "authors", licence = "not stated", share = "unknown" }
comparable = true

[tasks.sentido]
about = "Sentido"
source = "quiz"
mode = "generate"
labels = "A B C"
prompt = "{question}\\n{options}"
prompts = { deles = "{pergunta}{options}" }
metrics = ["accuracy"]
by = ["role", "region"]
cluster = "proverb"
"""
ROW = {"question": "?", "proverb": "Água mole", "region": "NE", "options": ["a", "b"], "gold": 0}
PINNED = "c0e6a1c9a55b4a7d2a4b1a8e1b1a1d3f0d6b8f8b1f6b2f3d7e9a0c5d4e3f2a1b"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return written(tmp_path, [ROW, ROW | {"proverb": " ÁGUA  mole"}, ROW | {"proverb": "Outro"}])


def written(folder: Path, rows: list[dict[str, object]], toml: str = TOML % PINNED) -> Suite:
    (folder / "suite.toml").write_text(toml, encoding="utf-8")
    (folder / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load_suite(folder)


def test_the_first_source_is_meant_when_none_is_called_bundled(suite: Suite):
    loaded = load_items(suite, "bundled")
    assert (loaded.source, loaded.declared, len(loaded.items["quiz"])) == ("nosso", "nosso", 3)
    assert loaded.files["quiz"].bytes == (suite.folder / "quiz.jsonl").stat().st_size


def test_items_of_one_proverb_are_one_cluster_and_groups_are_metadata(suite: Suite):
    task, items = suite.tasks["sentido"], load_items(suite, "nosso").items["quiz"]
    assert task.cluster_of(items[0]) == task.cluster_of(items[1]) != task.cluster_of(items[2])
    assert task.groups_of(items[0]) == {"region": "NE"}


def test_a_source_that_was_not_downloaded_says_how_to_get_it(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "none"))
    with pytest.raises(DataError, match="no such file") as caught:
        load_items(suite, "deles")
    assert "sotaque data pull" in caught.value.remedy


def test_files_of_the_users_own_keep_no_provenance(suite: Suite, tmp_path: Path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "quiz.jsonl").write_text(json.dumps(ROW))
    loaded = load_items(suite, str(folder))
    assert (loaded.source, loaded.declared, loaded.spec.comparable) == (str(folder), "nosso", False)
    assert (loaded.spec.provenance.author, loaded.spec.provenance.share) == ("unknown", "unknown")
    assert str(folder) in loaded.spec.notice


def test_a_published_name_with_other_bytes_is_refused(suite: Suite, tmp_path: Path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "deles.jsonl").write_text(json.dumps(ROW))
    with pytest.raises(ChecksumError, match=f"pinned is {PINNED}") as caught:
        load_items(suite, str(folder))
    assert "write a suite of your own" in caught.value.remedy


@pytest.mark.parametrize(
    ("source", "message", "remedy"),
    [
        ("nossa", "has no source 'nossa'", "did you mean 'nosso'?"),
        ("./nowhere", "neither a source of this suite nor a folder", "nosso, deles"),
        ("empty", "holds the files of no source", "nosso: quiz.jsonl; deles: deles.jsonl"),
    ],
)
def test_an_unknown_source_is_a_usage_error(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str, remedy: str
):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        find_source(suite, source)
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_an_unknown_task_is_a_usage_error(suite: Suite):
    with pytest.raises(UsageError, match="has no task 'sentidos'") as caught:
        load_items(suite, "nosso", ["sentidos"])
    assert caught.value.remedy == "did you mean 'sentido'?"


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "remedy"),
    [
        (
            "{question}",
            "{qestion}",
            "tasks.sentido.prompt",
            "unknown placeholder {qestion}",
            "did you mean 'question'?",
        ),
        ('"region"]', '"regiao"]', "tasks.sentido.by", "no item has 'regiao'", "did you mean 'region'?"),
        (
            'cluster = "proverb"',
            'cluster = "x"',
            "tasks.sentido.cluster",
            "no item has 'x'",
            "known: question, proverb",
        ),
    ],
)
def test_a_name_that_no_item_has_is_a_fault_of_the_suite(
    tmp_path: Path, old: str, new: str, place: str, message: str, remedy: str
):
    suite = written(tmp_path, [ROW], (TOML % PINNED).replace(old, new))
    with pytest.raises(SuiteError, match=message) as caught:
        load_items(suite, "nosso")
    assert caught.value.place.endswith(place)
    assert caught.value.place.startswith("line ")
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("row", "message", "remedy"),
    [
        ({k: v for k, v in ROW.items() if k != "question"}, "has no 'question', which the prompt", 'add "question"'),
        (
            {("qestion" if k == "question" else k): v for k, v in ROW.items()},
            "has no 'question'",
            "rename its 'qestion' to 'question'",
        ),
        (ROW | {"options": list("abcd")}, "4 options, and task 'sentido' has too few labels", "name more labels"),
        ({"question": "?", "answers": ["x"]}, "has no options, and task 'sentido' chooses", 'add "options"'),
        ({"question": "?", "options": ["a", "b"]}, "item '1' has no right option", 'give "gold"'),
    ],
)
def test_an_item_that_a_prompt_cannot_use_is_a_fault_of_its_row(
    tmp_path: Path, row: dict[str, object], message: str, remedy: str
):
    suite = written(tmp_path, [ROW, row])
    with pytest.raises(ItemError, match=message) as caught:
        load_items(suite, "nosso")
    assert caught.value.place == "line 2"
    assert caught.value.file == str(tmp_path / "quiz.jsonl")
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (RunSpec("masalbench", "m"), ("contextual", "cross_cultural")),
        (RunSpec("masalbench", "m", mode="choose"), ("contextual_prob", "cross_cultural_prob")),
        (
            RunSpec("masalbench", "m", tasks=("cross_cultural_prob", "contextual")),
            ("cross_cultural_prob", "contextual"),
        ),
        (RunSpec("masalbench", "m", tasks=("cross_cultural_prob", "contextual"), mode="generate"), ("contextual",)),
    ],
)
def test_a_run_is_about_the_named_tasks_or_the_default_ones_of_the_mode(spec: RunSpec, names: tuple[str, ...]):
    assert tasks_for(load_suite("masalbench"), spec) == names


def test_no_task_of_the_wanted_mode_is_a_usage_error(suite: Suite):
    with pytest.raises(UsageError, match="none of these tasks has mode choose") as caught:
        tasks_for(suite, RunSpec("x", "m", mode="choose"))
    assert "sentido (generate)" in caught.value.remedy


def test_only_the_files_of_the_wanted_tasks_are_needed(official: Path, tmp_path: Path):
    (tmp_path / "crossCulturalQuestions.csv").write_bytes(
        (official / "masalbench" / "crossCulturalQuestions.csv").read_bytes()
    )
    masal = load_suite("masalbench")
    assert len(load_items(masal, str(tmp_path), ["cross_cultural"]).items["cross_cultural"]) == 700
    with pytest.raises(UsageError, match="holds the files of no source"):
        load_items(masal, str(tmp_path), ["contextual"])


def test_the_published_files_in_a_folder_are_the_official_source(official: Path):
    loaded = load_items(load_suite("masalbench"), str(official / "masalbench"))
    assert (loaded.declared, loaded.spec.comparable, loaded.spec.provenance.licence) == ("official", True, "not stated")
    assert {key: len(items) for key, items in loaded.items.items()} == {"contextual": 1000, "cross_cultural": 700}
    assert [row for _, row, _ in loaded.irregular] == ["9", "41", "63", "79", "91", "620", "875"]
