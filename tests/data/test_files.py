"""Pinned files: fetched once over loopback, checked every time."""

import hashlib
from pathlib import Path

import pytest

from sotaque.data.declared import FileSpec
from sotaque.data.files import download, is_present, opened, place_of
from sotaque.errors import ChecksumError, DataError

BODY = b"ditado,sentido\n" * 9000
SUM = hashlib.sha256(BODY).hexdigest()


def quiet(name: str, done: int, total: int | None) -> None:
    """No progress wanted."""


def left_behind(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_pinned_file_is_fetched_once_with_progress(publisher: tuple[str, list[str]]):
    base, asked = publisher
    spec = FileSpec(url=f"{base}/data.csv", sha256=SUM, bytes=len(BODY))
    seen: list[tuple[str, int, int | None]] = []
    path = download(spec, lambda *step: seen.append(step))
    assert path.read_bytes() == BODY
    assert path == place_of(spec, Path("anywhere"))
    assert seen[-1] == ("data.csv", len(BODY), len(BODY))
    download(spec, quiet)
    assert asked == ["/data.csv"]


def test_a_damaged_download_is_fetched_again(publisher: tuple[str, list[str]]):
    base, asked = publisher
    spec = FileSpec(url=f"{base}/data.csv", sha256=SUM)
    download(spec, quiet).write_bytes(b"damaged")
    assert not is_present(spec, Path())
    assert download(spec, quiet).read_bytes() == BODY
    assert len(asked) == 2


def test_other_bytes_than_the_pinned_ones_are_refused_and_not_kept(publisher: tuple[str, list[str]], downloads: Path):
    base, _ = publisher
    spec = FileSpec(url=f"{base}/data.csv", sha256="0" * 64, bytes=len(BODY))
    with pytest.raises(ChecksumError) as caught:
        download(spec, quiet)
    assert SUM in caught.value.message
    assert "0" * 64 in caught.value.message
    assert "the publisher has changed the file" in caught.value.remedy
    assert left_behind(downloads) == []


def test_a_file_longer_than_declared_is_not_read_to_its_end(publisher: tuple[str, list[str]], downloads: Path):
    base, _ = publisher
    with pytest.raises(ChecksumError, match="longer than the 10 bytes it should have"):
        download(FileSpec(url=f"{base}/data.csv", sha256=SUM, bytes=10), quiet)
    assert left_behind(downloads) == []


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("/gone.csv", DataError, "the server answers 404"),
        ("/moved.csv", DataError, "cannot be downloaded"),
        ("/short.csv", DataError, "the connection ended after 70,000 of 135,000 bytes"),
    ],
)
def test_an_address_that_does_not_deliver_is_an_error_with_a_way_out(
    publisher: tuple[str, list[str]], downloads: Path, path: str, error: type[DataError], message: str
):
    base, _ = publisher
    with pytest.raises(error, match=message) as caught:
        download(FileSpec(url=base + path, sha256=SUM), quiet)
    assert caught.value.file == base + path
    assert "--source FOLDER" in caught.value.remedy
    assert left_behind(downloads) == []


def test_no_server_is_an_error_with_a_way_out():
    with pytest.raises(DataError, match="cannot be downloaded") as caught:
        download(FileSpec(url="http://127.0.0.1:1/data.csv", sha256=SUM), quiet)
    assert "--source FOLDER" in caught.value.remedy


def test_a_downloads_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "file"))
    with pytest.raises(DataError, match="cannot be written") as caught:
        download(FileSpec(url="http://127.0.0.1:1/data.csv", sha256=SUM), quiet)
    assert "SOTAQUE_DOWNLOADS" in caught.value.remedy


def test_a_file_is_checked_when_it_is_opened(tmp_path: Path):
    (tmp_path / "quiz.csv").write_bytes(BODY)
    stream, found = opened(tmp_path / "quiz.csv", FileSpec(path="quiz.csv", sha256=SUM), "")
    with stream:
        assert stream.read() == BODY
    assert (found.sha256, found.bytes) == (SUM, len(BODY))
    with pytest.raises(ChecksumError, match=f"sha256 is {SUM}.*pinned is 111"):
        opened(tmp_path / "quiz.csv", FileSpec(path="quiz.csv", sha256="1" * 64), "")


def test_a_missing_file_and_a_folder_in_its_place_are_errors(tmp_path: Path):
    with pytest.raises(DataError, match="no such file"):
        opened(tmp_path / "quiz.csv", FileSpec(path="quiz.csv"), "look again")
    with pytest.raises(DataError, match="cannot be read"):
        opened(tmp_path, FileSpec(path="quiz.csv"), "look again")
