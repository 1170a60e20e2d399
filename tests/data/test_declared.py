"""What may be declared about a source."""

import pytest
from pydantic import ValidationError

from sotaque.data.declared import FileSpec, SourceSpec

SUM = "0" * 64
PROVENANCE = {"author": "nós", "review": "unreviewed", "licence": "CC0", "share": "yes"}


def test_a_file_can_be_written_as_its_path_alone():
    source = SourceSpec.model_validate({"files": {"quiz": "quiz.jsonl"}, "provenance": PROVENANCE})
    assert source.files["quiz"] == FileSpec(path="quiz.jsonl")
    assert (source.format, source.comparable) == ("jsonl", False)


def test_the_published_name_is_the_end_of_the_address():
    assert FileSpec(url="https://example.org/a/b.csv?raw=1", sha256=SUM).name == "b.csv"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({}, "either a 'path' or a 'url'"),
        ({"path": "a", "url": "https://example.org/a", "sha256": SUM}, "either a 'path' or a 'url'"),
        ({"url": "ftp://example.org/a.csv", "sha256": SUM}, "not an http or https address"),
        ({"url": "file:///etc/passwd", "sha256": SUM}, "not an http or https address"),
        ({"url": "https://example.org/a.csv"}, "needs its sha256"),
        ({"url": "https://example.org/", "sha256": SUM}, "does not end in a file name"),
        ({"path": "a", "hub": "b/c", "split": "d"}, "either a 'path' or a 'url' or a 'hub'"),
        ({"path": "a", "split": "d"}, "belong to a 'hub' repository"),
        ({"hub": "b/c"}, "needs a 'split'"),
        ({"hub": "c", "split": "d"}, "pattern"),
        ({"hub": "b/../c", "split": "d"}, "pattern"),
        ({"hub": "b/c", "split": "d", "sha256": SUM}, "pinned by a commit"),
        ({"path": "a", "sha256": "abc"}, "pattern"),
        ({"path": "a", "bytes": 0}, "greater than 0"),
    ],
)
def test_a_file_that_cannot_be_found_again_is_refused(file: dict[str, object], message: str):
    with pytest.raises(ValidationError, match=message):
        FileSpec.model_validate(file)


@pytest.mark.parametrize("missing", sorted(PROVENANCE))
def test_no_source_without_provenance(missing: str):
    provenance = {name: value for name, value in PROVENANCE.items() if name != missing}
    with pytest.raises(ValidationError, match=f"provenance.{missing}"):
        SourceSpec.model_validate({"files": {"quiz": "quiz.jsonl"}, "provenance": provenance})
