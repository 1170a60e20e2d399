"""Run folders: whole or absent, never overwritten, the same bytes for the same run, clear words when broken."""

import dataclasses
import json
import os
from pathlib import Path

import pytest

from run_folders import manifest, official
from scored_samples import GENERATE, failed, sample
from sotaque.errors import RunFolderError
from sotaque.records import Outcome
from sotaque.runs import ModelRecord, SourceRecord, SuiteRecord, default_name, read_run, write_run
from sotaque.stats.intervals import exact
from sotaque.summary import summarise

FACTS = {"contextual": dataclasses.replace(GENERATE, chance=exact(0.25, 4)), "cross": GENERATE}
ROWS = [
    sample(0, text="الف", cluster="p0", groups={"region": "NE"}),
    sample(1, Outcome.WRONG, text="پاسخ: ب"),
    failed(2),
    sample(3, Outcome.UNSCORED),
    sample(0, task="cross", irregular=("no speaker",)),
]


def write(out=None, given=None, rows=ROWS, **kwargs):
    return write_run(given or manifest(), rows, summarise(rows, FACTS), out=out, **kwargs).path


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_reads_back_as_it_was(here):
    path = write(here / "run")
    run = read_run(path)
    assert run.path == path == here / "run"
    assert run.manifest == manifest(samples=5, texts="included")
    assert run.summary == summarise(ROWS, FACTS)
    assert summarise(run.samples, FACTS) == run.summary
    assert [line.reply for line in run.samples] == [row.reply for row in ROWS]


def test_the_folder_is_a_pure_function_of_manifest_and_replies(here):
    for name in ("one", "two"):
        write(here / name)
    for file in ("run.json", "samples.jsonl", "summary.json"):
        assert (here / "one" / file).read_bytes() == (here / "two" / file).read_bytes()


def test_tasks_follow_the_manifest_and_items_their_own_order(here):
    run = read_run(write(here / "run", rows=[sample(9, task="cross"), sample(7), sample(8, task="cross"), sample(3)]))
    assert [(line.task, line.item) for line in run.samples] == [
        ("contextual", "7"),
        ("contextual", "3"),
        ("cross", "9"),
        ("cross", "8"),
    ]


def test_items_that_may_not_be_shared_leave_no_text(here):
    run = read_run(write(here / "run", official()))
    assert (run.manifest.texts, run.manifest.private) == ("withheld", False)
    assert all(line.reply.text is None for line in run.samples if line.score.outcome is not Outcome.ERROR)
    assert "پاسخ" not in (here / "run" / "samples.jsonl").read_text(encoding="utf-8")
    assert summarise(run.samples, FACTS) == run.summary


def test_a_copy_with_items_is_marked_private(here):
    run = read_run(write(here / "run", official(), with_items=True))
    assert (run.manifest.texts, run.manifest.private) == ("included", True)
    assert run.samples[1].reply.text == "پاسخ: ب"
    assert not read_run(write(here / "own", with_items=True)).manifest.private


def test_default_folder_is_named_by_suite_source_model_and_time():
    first, second, third = write(), write(), write()
    assert first == Path("runs/masalbench-bundled-openai-m-small-20260203T040506Z")
    assert (second.name, third.name) == (f"{first.name}-2", f"{first.name}-3")
    assert read_run(second).manifest == read_run(first).manifest


@pytest.mark.parametrize(
    ("model", "slug"),
    [
        ("hf/HuggingFaceTB/SmolLM2-135M", "hf-huggingfacetb-smollm2-135m"),
        ("hf/../../etc", "hf-etc"),
        ("gguf/C:\\models\\M.gguf", "gguf-c-models-m-gguf"),
        ("openai/gpt-4.1?", "openai-gpt-4-1"),
        ("hf/maçã", "hf-maca"),
    ],
)
def test_model_names_become_safe_on_every_system(model, slug):
    name = default_name(manifest(model=ModelRecord(name=model)))
    assert name == f"masalbench-bundled-{slug}-20260203T040506Z"


@pytest.mark.parametrize("model", ["hf/مدل", "hf/" + "m" * 300, "hf/مدل۲"])
def test_model_names_that_lose_letters_stay_apart(model):
    name = default_name(manifest(model=ModelRecord(name=model)))
    assert len(name) < 120
    assert name.isascii()
    assert name != default_name(manifest(model=ModelRecord(name=model + "ب")))


def test_local_time_is_written_as_utc():
    times = manifest().times.model_copy(update={"started": "2026-02-03T04:05:06+03:30"})
    assert default_name(manifest(times=times)).endswith("-20260203T003506Z")


def test_an_empty_folder_may_be_used(here):
    (here / "run").mkdir()
    assert read_run(write(here / "run")).manifest.samples == 5


def test_a_folder_in_use_is_never_overwritten(here):
    write(here / "run")
    before = (here / "run" / "run.json").read_bytes()
    with pytest.raises(RunFolderError, match=r"run: the folder is not empty; .*\n  Choose another folder"):
        write(here / "run", official())
    assert (here / "run" / "run.json").read_bytes() == before


def test_a_file_in_the_way_is_named(here):
    (here / "run").write_text("mine")
    with pytest.raises(RunFolderError, match="run: there is a file of that name"):
        write(here / "run")
    with pytest.raises(RunFolderError, match=r"cannot write the run folder: .*\n  Choose another folder"):
        write(here / "run" / "inner")
    assert (here / "run").read_text() == "mine"


def test_a_folder_that_cannot_be_written_says_so(here):
    """/proc refuses new folders even to root."""
    locked = Path("/proc") if Path("/proc/self").exists() else here / "locked"
    if locked.parent == here:
        locked.mkdir(mode=0o500)
    with pytest.raises(RunFolderError, match="cannot write the run folder") as caught:
        write(locked / "run")
    assert "all replies are stored" in caught.value.remedy


def test_a_failed_write_leaves_nothing_behind(here):
    broken = dataclasses.replace(sample(1), repeat=object())
    with pytest.raises(ValueError, match="object cannot be written"):
        write_run(manifest(), [sample(0), broken], summarise([sample(0)], FACTS), out=here / "run")
    assert list(here.iterdir()) == []


def spoilt(here, file, spoil):
    path = write(here / "run") / file
    path.write_bytes(spoil(path.read_bytes()))
    return here / "run"


@pytest.mark.parametrize(
    ("file", "spoil", "message"),
    [
        ("run.json", lambda raw: raw[:100], r"run\.json: not readable as JSON"),
        ("run.json", lambda raw: b"", r"run\.json: not readable as JSON"),
        ("run.json", lambda raw: b"\xff", r"run\.json: not readable as JSON"),
        ("run.json", lambda raw: b"[]", r"run\.json: .*"),
        ("run.json", lambda raw: raw.replace(b'"format": 1', b'"format": 2'), "format 2, this version reads 1"),
        ("run.json", lambda raw: raw.replace(b'"format": 1', b'"format": "x"'), "format: Input should be 1"),
        ("run.json", lambda raw: raw.replace(b'"hash": "ab12"', b'"hush": "ab12"'), r"suite\.hash: Field required"),
        ("samples.jsonl", lambda raw: raw[:-20], r"samples\.jsonl, line 5: Invalid JSON"),
        ("samples.jsonl", lambda raw: raw[: raw.index(b"\n") + 1], "1 lines, where run.json counts 5"),
        ("samples.jsonl", lambda raw: b"", "0 lines, where run.json counts 5"),
        ("samples.jsonl", lambda raw: raw.replace(b'"gold":0', b'"gold":[]', 1), r"line 1: gold: "),
        ("summary.json", lambda raw: raw[:-20], r"summary\.json: Invalid JSON"),
        ("summary.json", lambda raw: raw.replace(b'"items": 4', b'"items": "x"'), r"tasks\.contextual\.items: "),
    ],
)
def test_a_broken_folder_says_which_file_and_where(here, file, spoil, message):
    with pytest.raises(RunFolderError, match=message) as caught:
        read_run(spoilt(here, file, spoil))
    assert caught.value.remedy


@pytest.mark.parametrize("file", ["run.json", "samples.jsonl", "summary.json"])
def test_a_missing_file_is_named(here, file):
    (write(here / "run") / file).unlink()
    with pytest.raises(RunFolderError, match=f"{file}: no such file"):
        read_run(here / "run")


def test_a_folder_that_is_no_run_says_what_is_expected(here):
    with pytest.raises(RunFolderError, match=r"Name a folder that `sotaque run` wrote"):
        read_run(here / "nowhere")


def test_hostile_names_stay_inside_the_runs_folder(here):
    suite = SuiteRecord(name="../../evil", title="t", version="1", hash="h")
    source = SourceRecord(name="/etc", provenance=manifest().source.provenance)
    path = write(None, manifest(suite=suite, source=source))
    assert path.parent == Path("runs")
    assert os.listdir(here) == ["runs"]  # noqa: PTH208


def test_a_server_that_reports_half_a_character_as_its_name_does_not_lose_the_run(here):
    rows = [sample(0, model="m \ud83d")]
    model = ModelRecord(name="openai/m", reported={"m \ud83d": 1})
    run = read_run(write(here / "run", manifest(model=model), rows))
    assert run.summary.reported == run.manifest.model.reported == {"m ?": 1}


def test_run_json_is_readable_by_people(here):
    text = (write(here / "run") / "run.json").read_text(encoding="utf-8")
    assert text.startswith('{\n  "format": 1,\n  "sotaque": "0.1.0",\n')
    assert json.loads(text)["tasks"]["contextual"]["published"] == {"max_tokens": 5}


@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        ("summary.json", '"value": 0.25', '"value": "NaN"', "between 0 and 1"),
        ("summary.json", '"value": 0.25', '"value": 1e999', "between 0 and 1"),
        ("summary.json", '"value": 0.25', '"value": 25', "between 0 and 1"),
        ("run.json", '"started": "', '"started": "on ', "started"),
        ("samples.jsonl", '"order":[0,', '"order":[9,', "line 1: order, roles"),
        ("samples.jsonl", '"gold":0', '"gold":7', "line 1: order, roles"),
        ("samples.jsonl", '"picked":0', '"picked":-9', "line 1: order, roles"),
    ],
)
def test_values_that_cannot_be_are_refused_when_read(here, file, before, after, message):
    path = write(here / "run")
    text = (path / file).read_text(encoding="utf-8")
    assert before in text
    (path / file).write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(RunFolderError, match=message):
        read_run(path)
