"""Splits on the hub: fetched over loopback at one commit, read in every form, and found in folders."""

import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import sotaque
from fake_hub import COMMIT, LARGE, MOVED, Hub, Repository, running_hub
from optional_parts import require_module
from sotaque.data.declared import FileSpec, SourceSpec
from sotaque.data.hub import fetch, fetched, in_folder
from sotaque.data.sources import Place, load, preview, pull
from sotaque.data.sources import in_folder as source_in
from sotaque.errors import ChecksumError, DataError, ItemError, MissingExtra, UsageError

REPOSITORY = "Alguem/ditados"
PROVENANCE = {"author": "eles", "review": "authors", "licence": "not stated", "share": "unknown"}
ROWS = [
    {
        "input": f"Ditado {number // 3}, história {number % 3}",
        "explanation": "quem espera" if number % 2 else None,
        "alternatives": [f"vírgula, {number}", f'aspas "{number}"', f"linha\n{number}", "d", "é"][: 4 + number % 2],
        "correct_index": number % 4,
    }
    for number in range(60)
]


def as_jsonl(rows: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def as_json(rows: list[dict[str, object]]) -> bytes:
    return json.dumps(rows, ensure_ascii=False).encode()


def as_csv(rows: list[dict[str, object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow(row | {"alternatives": json.dumps(row["alternatives"], ensure_ascii=False)})
    return text.getvalue().encode()


def as_printed_csv(rows: list[dict[str, object]]) -> bytes:
    """Lists as Python prints them, which is what most tables exported as CSV hold."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_parquet(rows: list[dict[str, object]]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), sink)
    return sink.getvalue()


FORMS = {".jsonl": as_jsonl, ".json": as_json, ".csv": as_csv, ".parquet": as_parquet}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    require_module("huggingface_hub", "pyarrow")
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def quiet(name: str, done: int, total: int | None) -> None:
    """No progress wanted."""


def spec(**more: object) -> FileSpec:
    return FileSpec.model_validate({"hub": REPOSITORY, "split": "teste"} | more)


def place(file: FileSpec, folder: Path = Path()) -> Place:
    source = {"format": "broverbs", "files": {"quiz": file}, "provenance": PROVENANCE}
    return Place("official", "official", SourceSpec.model_validate(source), folder, "broverbs")


@pytest.mark.parametrize("suffix", FORMS)
def test_a_split_is_fetched_once_and_read_in_every_form(hub: Hub, suffix: str):
    body = FORMS[suffix](ROWS)
    hub.repositories[REPOSITORY] = Repository({"README.md": b"#", f"data/teste{suffix}": body})
    where = place(spec())
    with pytest.raises(DataError, match="has not been fetched") as caught:
        load(where, "pt-BR")
    assert "sotaque data pull broverbs" in caught.value.remedy
    assert hub.asked == []

    steps: list[tuple[str, int, int | None]] = []
    paths = pull(where, lambda *step: steps.append(step))
    assert [path.read_bytes() for path in paths] == [body]
    assert steps[-1] == (f"data/teste{suffix}", len(body), len(body))
    asked = list(hub.asked)
    assert pull(where, quiet) == paths
    loaded = load(where, "pt-BR")
    assert hub.asked == asked

    file = loaded.files["quiz"]
    assert (loaded.spec.revision, file.commit, file.bytes) == (COMMIT, COMMIT, len(body))
    assert file.place == f"{REPOSITORY}@{COMMIT}/data/teste{suffix}"
    assert [item.id for item in file.items] == [str(number) for number in range(60)]
    assert [item.metadata["proverb"] for item in file.items[:4]] == ["0", "0", "0", "1"]
    assert [[option.text for option in item.options] for item in file.items] == [row["alternatives"] for row in ROWS]
    assert [item.gold for item in file.items] == [row["correct_index"] for row in ROWS]
    assert [item.metadata.get("explanation") for item in file.items] == [row["explanation"] for row in ROWS]


def test_a_moved_branch_is_not_followed_and_a_named_commit_is(hub: Hub):
    old, new = as_jsonl(ROWS), as_jsonl(ROWS[:3])
    repository = hub.repositories[REPOSITORY] = Repository({"teste.jsonl": old})
    assert fetch(spec(), quiet).commit == COMMIT
    repository.files["teste.jsonl"] = new
    repository.refs |= {"main": MOVED, MOVED: MOVED}
    assert fetch(spec(), quiet).commit == COMMIT
    assert len(load(place(spec()), "pt").files["quiz"].items) == 60
    assert fetch(spec(revision=MOVED), quiet).commit == MOVED
    assert len(load(place(spec(revision=MOVED)), "pt").files["quiz"].items) == 3
    assert len(load(place(spec()), "pt").files["quiz"].items) == 60


def test_a_damaged_copy_is_fetched_again_at_the_commit_on_record(hub: Hub):
    repository = hub.repositories[REPOSITORY] = Repository({"teste.jsonl": as_jsonl(ROWS)})
    note = fetch(spec(), quiet)
    repository.refs["main"] = MOVED
    (note.folder / "teste.jsonl").write_bytes(b"damaged")
    assert fetched(spec()) is None
    with pytest.raises(DataError, match="is damaged"):
        load(place(spec()), "pt")
    assert fetch(spec(), quiet) == note
    assert fetched(spec()) == note


@pytest.mark.parametrize("rows", [ROWS[:2], ROWS * 3], ids=["small", "large"])
def test_bytes_that_the_hub_does_not_list_are_refused_and_not_kept(hub: Hub, downloads: Path, rows: list):
    body = as_jsonl(rows)
    assert (len(body) > LARGE) == (len(rows) > 2)
    hub.repositories[REPOSITORY] = Repository({"teste.jsonl": body})
    hub.damaged.add("teste.jsonl")
    with pytest.raises(ChecksumError, match="not those that the hub lists"):
        fetch(spec(), quiet)
    assert not list(downloads.rglob("teste.jsonl"))
    hub.damaged.clear()
    assert fetch(spec(), quiet).files[0].bytes == len(body)


def test_a_split_in_several_files_is_one_table(hub: Hub):
    parts = {f"data/teste-0000{index}-of-00002.parquet": as_parquet(ROWS[index * 40 :][:40]) for index in range(2)}
    hub.repositories[REPOSITORY] = Repository(parts)
    fetch(spec(), quiet)
    file = load(place(spec()), "pt").files["quiz"]
    assert [item.id for item in file.items] == [str(number) for number in range(60)]
    assert [item.metadata["proverb"] for item in file.items] == [str(number // 3) for number in range(60)]
    assert file.bytes == sum(map(len, parts.values()))


def test_the_card_says_which_files_are_which_config_and_split(hub: Hub):
    card = {
        "license": "cc-by-4.0",
        "configs": [
            {"config_name": "prompts", "data_files": [{"split": "teste", "path": "p/*.jsonl"}]},
            {"config_name": "outra", "data_files": "q.jsonl"},
        ],
    }
    hub.repositories[REPOSITORY] = Repository({"p/x.jsonl": as_jsonl(ROWS[:5]), "q.jsonl": as_jsonl(ROWS)}, card)
    assert [part.name for part in fetch(spec(config="prompts"), quiet).files] == ["p/x.jsonl"]
    assert [part.name for part in fetch(spec(config="outra", split="train"), quiet).files] == ["q.jsonl"]


@pytest.mark.parametrize(
    ("more", "message", "remedy"),
    [
        ({"hub": "Alguem/nada"}, "no such data set, or it is private", "HF_TOKEN"),
        ({"hub": "Alguem/fechado"}, "ask for consent first", "accept its terms"),
        ({"revision": "v9"}, "it has no revision 'v9'", "check 'revision'"),
        ({"split": "treino"}, "no file is named for split 'treino'", "files there: teste.jsonl"),
        ({"hub": "Alguem/cartao", "split": "treino"}, "there is no split 'treino'", "its card names: teste"),
        ({"hub": "Alguem/cartao", "config": "x"}, "there is no config 'x'", "its card names: default"),
        ({"hub": "Alguem/imagens"}, "no file is named for split 'teste'", "none that can be read"),
    ],
)
def test_what_the_hub_does_not_have_is_said_with_a_way_out(hub: Hub, more: dict[str, str], message: str, remedy: str):
    card = {"configs": [{"config_name": "default", "data_files": [{"split": "teste", "path": "teste.jsonl"}]}]}
    hub.repositories |= {
        REPOSITORY: Repository({"teste.jsonl": as_jsonl(ROWS)}),
        "Alguem/fechado": Repository({"teste.jsonl": as_jsonl(ROWS)}, gated=True),
        "Alguem/cartao": Repository({"teste.jsonl": as_jsonl(ROWS)}, card),
        "Alguem/imagens": Repository({"teste.png": b""}),
    }
    with pytest.raises(DataError, match=message) as caught:
        fetch(spec(**more), quiet)
    assert remedy in caught.value.remedy
    assert "--source FOLDER" in caught.value.remedy
    assert more.get("hub", REPOSITORY) in caught.value.file


def test_a_hub_that_fails_or_is_away_is_said_with_a_way_out(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    hub.status = 503
    with pytest.raises(DataError, match="the hub answers 503") as caught:
        fetch(spec(), quiet)
    assert "try again" in caught.value.remedy
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(DataError, match="the hub cannot be reached") as caught:
        fetch(spec(), quiet)
    assert "--source FOLDER" in caught.value.remedy


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match="hub") as caught:
        fetch(spec(), quiet)
    assert "sotaque[hub]" in caught.value.remedy
    (tmp_path / "teste.jsonl").write_bytes(as_jsonl(ROWS))
    assert in_folder(spec(), tmp_path) == (tmp_path / "teste.jsonl",)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "teste.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtra, match="reading Parquet"):
        load(source_in({"official": place(spec()).spec}, tmp_path, (), "broverbs"), "pt")


def test_a_downloads_folder_that_cannot_be_written_is_named(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    hub.repositories[REPOSITORY] = Repository({"teste.jsonl": as_jsonl(ROWS)})
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "file"))
    with pytest.raises(DataError, match="cannot be written") as caught:
        fetch(spec(), quiet)
    assert "SOTAQUE_DOWNLOADS" in caught.value.remedy


@pytest.mark.parametrize(
    "name",
    [
        "teste.jsonl",
        "teste.csv",
        "teste.json",
        "teste.parquet",
        "data/teste-00000-of-00001.parquet",
        "teste/0000.parquet",
        "ditados_teste.csv",
    ],
)
def test_a_folder_may_hold_the_split_in_any_form_and_place(tmp_path: Path, name: str):
    require_module("pyarrow")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(FORMS[path.suffix](ROWS))
    found = source_in({"official": place(spec()).spec}, tmp_path, (), "broverbs")
    loaded = load(found, "pt")
    assert len(loaded.files["quiz"].items) == 60
    assert loaded.files["quiz"].path == path
    assert (loaded.declared, loaded.spec.comparable, loaded.spec.revision) == ("official", False, "")
    assert loaded.spec.provenance.author == "unknown"


def test_lists_as_python_prints_them_are_read_back(tmp_path: Path):
    (tmp_path / "teste.csv").write_bytes(as_printed_csv(ROWS))
    loaded = load(source_in({"official": place(spec()).spec}, tmp_path, (), "broverbs"), "pt")
    assert [[o.text for o in item.options] for item in loaded.items["quiz"]] == [row["alternatives"] for row in ROWS]


def test_a_copy_of_the_repository_is_read_by_its_card(tmp_path: Path):
    require_module("huggingface_hub")
    card = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: teste\n    path: raw/b.jsonl\n---\n# oi\n"
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    (tmp_path / "raw").mkdir()
    for name in "ab":
        (tmp_path / "raw" / f"{name}.jsonl").write_bytes(as_jsonl(ROWS))
    assert in_folder(spec(), tmp_path) == (tmp_path / "raw" / "b.jsonl",)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "no file is named for split 'teste'"),
        (("testes.csv", "latest.csv"), "no file is named for split 'teste'"),
        (("teste.csv", "velho/teste.csv"), "several files could be split 'teste'"),
        (("teste-00000-of-00003.csv", "teste-00002-of-00003.csv"), "split 'teste' is not whole"),
    ],
)
def test_a_folder_that_does_not_say_which_file_is_the_split_is_refused(
    tmp_path: Path, names: tuple[str, ...], message: str
):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(UsageError, match=message):
        in_folder(spec(), tmp_path)
    with pytest.raises(UsageError, match="teste .as Parquet, JSONL, JSON or CSV"):
        source_in({"official": place(spec()).spec}, tmp_path, (), "broverbs")


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"correct_index": 7}, "'correct_index' is 7, and there are 5 alternatives"),
        ({"correct_index": -1}, "'correct_index' is '?-1"),
        ({"alternatives": ["só uma"]}, "1 alternatives"),
        ({"alternatives": ["a", " "]}, "alternative 1 is empty"),
        ({"input": ""}, "'input' is empty"),
    ],
)
def test_a_broken_row_is_named_in_every_form(tmp_path: Path, suffix: str, change: dict[str, object], message: str):
    require_module("pyarrow")
    rows = [ROWS[0], ROWS[1] | change, ROWS[2]]
    (tmp_path / f"teste{suffix}").write_bytes(FORMS[suffix](rows))
    with pytest.raises(ItemError, match=message) as caught:
        load(source_in({"official": place(spec()).spec}, tmp_path, (), "broverbs"), "pt")
    assert "row 1: " in caught.value.message
    # The first record of the CSV spreads over two lines: one alternative has a line break, which JSON writes as \n.
    assert caught.value.place == {".jsonl": "line 2", ".csv": "line 3"}.get(suffix, "row 2")


def test_a_missing_column_is_named_with_those_that_are_there(tmp_path: Path):
    (tmp_path / "teste.csv").write_text("input,resposta\na,b\n")
    with pytest.raises(ItemError, match="no column 'alternatives'") as caught:
        load(source_in({"official": place(spec()).spec}, tmp_path, (), "broverbs"), "pt")
    assert caught.value.remedy == "it has: input, resposta"


def test_only_keeps_the_items_of_one_task_and_names_what_there_is(tmp_path: Path):
    (tmp_path / "teste.jsonl").write_bytes(as_jsonl(ROWS))
    kept = load(source_in({"o": place(spec(only={"proverb": "2"})).spec}, tmp_path, (), "x"), "pt").files["quiz"]
    assert [(item.id, line) for item, line in zip(kept.items, kept.lines, strict=True)] == [
        ("6", 7),
        ("7", 8),
        ("8", 9),
    ]
    with pytest.raises(DataError, match="no item with proverb = 'x'") as caught:
        load(source_in({"o": place(spec(only={"proverb": "x"})).spec}, tmp_path, (), "x"), "pt")
    assert caught.value.remedy.startswith("there is: 0, 1, 10")


def test_repository_licence_and_revision_are_shown_before_anything_is_sent(hub: Hub):
    hub.repositories[REPOSITORY] = Repository({"teste.jsonl": as_jsonl(ROWS)})
    shown = preview(place(spec()))
    assert hub.asked == []
    assert shown.revision == "main: the commit it stands for is recorded when it is fetched"
    assert [(file.url, file.present) for file in shown.files] == [(f"hub: {REPOSITORY}, teste, revision main", False)]
    pull(place(spec()), quiet)
    shown = preview(place(spec()))
    assert (shown.revision, [file.present for file in shown.files]) == (COMMIT, [True])


SUITE = """format = 1
name = "ditados"
title = "Ditados"
languages = ["pt-BR"]
version = "1"
citation = "ninguém"
[sources.official]
format = "broverbs"
files = { quiz = { hub = "Alguem/ditados", split = "teste" } }
provenance = { author = "eles", review = "authors", licence = "CC0", share = "yes" }
comparable = true
[tasks.quiz]
about = "Qual?"
source = "quiz"
mode = "generate"
prompt = '''
{input}
{options}
'''
metrics = ["accuracy"]
cluster = "proverb"
"""


def test_pull_and_run_record_the_commit(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    hub.repositories[REPOSITORY] = Repository({"teste.jsonl": as_jsonl(ROWS)})
    (tmp_path / "suite.toml").write_text(SUITE, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    refused = sotaque("data", "pull", ".")
    assert (refused.code, hub.asked) == (2, [])
    assert "nothing was downloaded" in refused.err
    assert all(word in refused.out for word in ("CC0", REPOSITORY, "main"))
    pulled = sotaque("data", "pull", ".", "--yes")
    assert pulled.code == 0, pulled.err
    assert COMMIT in pulled.out
    assert "nothing to download" in sotaque("data", "pull", ".").out
    ran = sotaque("run", ".", "--model", "baseline/oracle", "--out", tmp_path / "runs")
    assert ran.code == 0, ran.err
    (record,) = (tmp_path / "runs").rglob("run.json")
    run = json.loads(record.read_text(encoding="utf-8"))
    assert run["source"]["revision"] == COMMIT
    assert run["source"]["files"].keys() == {"quiz"}
    assert run["source"]["name"] == "official"
