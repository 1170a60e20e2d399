"""Sources: what is shown before a download, and what a folder of the user's is taken for."""

import hashlib
from pathlib import Path

import pytest

from sotaque.data.declared import SourceSpec
from sotaque.data.sources import Place, in_folder, load, preview, pull
from sotaque.errors import ChecksumError, DataError, UsageError

ROWS = b'{"question": "?", "options": ["a", "b"], "gold": 0}\n{"question": "!", "options": ["a", "A"], "gold": 0}\n'
PROVENANCE = {"author": "eles", "review": "authors", "licence": "not stated", "share": "unknown"}


def source(**file: object) -> SourceSpec:
    return SourceSpec.model_validate({"files": {"quiz": file}, "provenance": PROVENANCE, "revision": "abc"})


def place(spec: SourceSpec, folder: Path = Path()) -> Place:
    return Place("official", "official", spec, folder, "ditados")


def quiet(name: str, done: int, total: int | None) -> None:
    """No progress wanted."""


def test_licence_size_and_address_are_known_before_anything_is_sent(publisher: tuple[str, list[str]]):
    base, asked = publisher
    body = b"ditado,sentido\n" * 9000
    spec = source(url=f"{base}/data.csv", sha256=hashlib.sha256(body).hexdigest(), bytes=len(body))
    shown = preview(place(spec))
    assert (shown.provenance.licence, shown.revision, shown.missing_bytes) == ("not stated", "abc", len(body))
    assert [(file.url, file.bytes, file.present) for file in shown.files] == [(f"{base}/data.csv", len(body), False)]
    assert asked == []
    assert [path.read_bytes() for path in pull(place(spec), quiet)] == [body]
    assert preview(place(spec)).files[0].present
    assert preview(place(spec)).missing_bytes == 0


def test_items_are_read_with_what_is_known_of_their_file(tmp_path: Path):
    (tmp_path / "quiz.jsonl").write_bytes(ROWS)
    loaded = load(place(source(path="quiz.jsonl"), tmp_path), "pt")
    file = loaded.files["quiz"]
    assert (file.sha256, file.bytes, file.lines) == (hashlib.sha256(ROWS).hexdigest(), len(ROWS), (1, 2))
    assert loaded.irregular == (("quiz", "1", "options 1 and 2 read the same"),)


def test_a_pinned_file_is_checked_again_when_it_is_read(downloads: Path):
    spec = source(url="https://example.org/quiz.jsonl", sha256=hashlib.sha256(ROWS).hexdigest())
    with pytest.raises(DataError, match="no such file") as caught:
        load(place(spec), "pt")
    assert "sotaque data pull ditados" in caught.value.remedy
    file = preview(place(spec)).files[0].path
    file.parent.mkdir(parents=True)
    file.write_bytes(ROWS)
    assert load(place(spec), "pt").files["quiz"].place == "https://example.org/quiz.jsonl"
    file.write_bytes(ROWS + b"\n")
    with pytest.raises(ChecksumError):
        load(place(spec), "pt")


def test_a_folder_is_the_source_whose_files_it_holds(tmp_path: Path):
    (tmp_path / "quiz.jsonl").write_bytes(ROWS)
    pinned = source(url="https://example.org/x/quiz.jsonl", sha256=hashlib.sha256(ROWS).hexdigest())
    found = in_folder({"ours": source(path="other.jsonl"), "official": pinned}, tmp_path, (), "ditados")
    assert (found.source, found.declared, found.spec.provenance) == (str(tmp_path), "official", pinned.provenance)
    assert len(load(found, "pt").items["quiz"]) == 2


def test_a_folder_without_files_says_what_was_looked_for(tmp_path: Path):
    with pytest.raises(UsageError, match="holds the files of no source") as caught:
        in_folder({"ours": source(path="sub/other.jsonl")}, tmp_path, (), "ditados")
    assert caught.value.remedy == "needed: ours: other.jsonl"
