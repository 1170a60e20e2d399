"""One row per sample, as CSV and Parquet."""

import csv
import dataclasses
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optional_parts import require_module
from run_folders import manifest, official
from scored_samples import GENERATE, failed, sample
from sotaque.errors import MissingExtra, UsageError
from sotaque.records import OptionScore, Reply, Usage
from sotaque.report.export import COLUMNS, export, guarded, unguarded
from sotaque.runs import read_run, write_run
from sotaque.summary import summarise

HOSTILE = '=HYPERLINK("http://x")\n"ب",\u2028'


@pytest.fixture
def run(tmp_path):
    rows = [
        sample(0, text=HOSTILE, usage=Usage(9, 2), groups={"region": "-NE"}),
        dataclasses.replace(sample(1), reply=Reply(scores=(OptionScore(-1.5, 2), OptionScore(-2.5, 3)))),
        failed(2),
    ]
    return read_run(write_run(manifest(), rows, summarise(rows, {"contextual": GENERATE}), out=tmp_path / "run").path)


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_one_row_per_sample_with_every_column(run, tmp_path):
    rows = table(export(run, "csv", tmp_path / "x.csv"))
    assert list(rows[0]) == [*COLUMNS, "value_accuracy", "group_region"]
    assert [row["item"] for row in rows] == ["0", "1", "2"]
    assert [row["outcome"] for row in rows] == ["correct", "correct", "error"]
    assert [row["value_accuracy"] for row in rows] == ["1.0", "1.0", ""]
    assert rows[0]["picked_role"] == "correct"
    assert (rows[0]["prompt_tokens"], rows[1]["logprobs"], rows[2]["error"]) == (
        "9",
        "[-1.5, -2.5]",
        "time-out after 60 s",
    )


def test_csv_is_plain_utf8_with_line_feeds(run, tmp_path):
    raw = export(run, "csv", tmp_path / "x.csv").read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw
    assert "ب" in raw.decode("utf-8")


def test_formulas_are_disarmed_and_numbers_are_not(run, tmp_path):
    safe = table(export(run, "csv", tmp_path / "safe.csv"))
    assert safe[0]["text"] == "'" + HOSTILE
    assert safe[0]["group_region"] == "'-NE"
    assert unguarded(safe[0]["text"]) == HOSTILE
    raw = table(export(run, "csv", tmp_path / "raw.csv", guard=False))
    assert raw[0]["text"] == HOSTILE


@given(st.text())
def test_guarding_is_reversible_and_leaves_no_formula(text):
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_parquet_holds_the_same_rows(run, tmp_path):
    require_module("pyarrow")
    from pyarrow import parquet

    rows = parquet.read_table(export(run, "parquet", tmp_path / "x.parquet")).to_pylist()
    assert list(rows[0]) == [*COLUMNS, "value_accuracy", "group_region"]
    assert (rows[0]["text"], rows[0]["private"], rows[0]["seconds"]) == (HOSTILE, False, 0.5)
    assert (rows[2]["picked"], rows[2]["value_accuracy"], rows[2]["error"]) == (None, None, "time-out after 60 s")


def test_parquet_without_pyarrow_names_the_extra(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sotaque\[parquet\]'"):
        export(run, "parquet", tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()


def test_an_existing_file_is_not_overwritten(run, tmp_path):
    (tmp_path / "x.csv").write_text("mine")
    with pytest.raises(UsageError, match=r"x\.csv exists"):
        export(run, "csv", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(run, tmp_path):
    with pytest.raises(UsageError, match=r"nowhere.*cannot be written: no such file"):
        export(run, "csv", tmp_path / "nowhere" / "x.csv")


def test_nothing_half_written_stays(run, tmp_path):
    export(run, "csv", tmp_path / "x.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "x.csv"]


def test_private_copies_are_marked_in_every_row(tmp_path):
    rows = [sample(0, text="ب")]
    summary = summarise(rows, {"contextual": GENERATE})
    private = read_run(write_run(official(), rows, summary, out=tmp_path / "p", with_items=True).path)
    bare = read_run(write_run(official(), rows, summary, out=tmp_path / "b").path)
    [marked] = table(export(private, "csv", tmp_path / "p.csv"))
    [plain] = table(export(bare, "csv", tmp_path / "b.csv"))
    assert (marked["private"], marked["text"], marked["withheld"]) == ("True", "ب", "False")
    assert (plain["private"], plain["text"], plain["withheld"]) == ("False", "", "True")
