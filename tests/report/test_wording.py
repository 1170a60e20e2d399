"""What is said of items, protocol, subset and model."""

import pytest

from run_folders import OURS, THEIRS, WHY, manifest, official
from sotaque.records import RunSpec
from sotaque.report.wording import items_line, model_line, private_line, protocol_line, subset_line
from sotaque.runs import ModelRecord, SourceRecord, TaskRecord


def protocol(name, **tasks):
    return protocol_line(manifest(protocol=name, tasks=tasks))


def generate(**given):
    return TaskRecord(mode="generate", **given)


def test_own_items_bear_their_notice():
    assert items_line(SourceRecord(name="bundled", provenance=OURS)) == (
        "our own items, unreviewed; not comparable with published numbers"
    )


def test_official_items_bear_their_revision():
    source = SourceRecord(name="official", provenance=THEIRS, revision="493841a6eaf16e899278cd470c0bcce52d1ebe6b")
    assert items_line(source) == "official, revision 493841a6eaf1"


def test_a_folder_without_notice_is_named():
    assert items_line(SourceRecord(name="folder", provenance=THEIRS)) == "folder"


def test_published_protocol_with_reconstructed_prompt():
    assert protocol("published", a=generate(reconstructed=("prompt",))) == (
        "protocol as published, prompt reconstructed"
    )
    assert protocol("published", a=generate(reconstructed=("prompt", "stop", "shots"))) == (
        "protocol as published, prompt, stop and shots reconstructed"
    )


def test_published_protocol_with_nothing_to_add():
    assert protocol("published", a=generate(), b=generate()) == "protocol as published"


def test_default_protocol_says_where_and_why_it_differs():
    task = generate(fields={"max_tokens": 64}, published={"max_tokens": 5}, why=WHY)
    assert protocol("default", a=task, b=task) == (
        "default protocol: 64 tokens where the paper has 5 (five tokens cut off reasoning models)"
    )


def test_several_differences_and_other_fields():
    task = generate(fields={"shots": 1, "stop": ["\n"], "top_p": None}, published={"shots": 0, "stop": [], "top_p": 1})
    assert protocol("default", a=task) == (
        'default protocol: 1 shots where the paper has 0, stop ["\n"] where the paper has [] '
        "and top_p none where the paper has 1"
    )


def test_tasks_that_differ_are_named():
    task = generate(fields={"max_tokens": 64}, published={"max_tokens": 5})
    assert protocol("default", a=task, b=generate(), c=generate()) == (
        "default protocol; a: 64 tokens where the paper has 5; b, c as it is"
    )


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({}, ""),
        ({"limit": 100, "seed": 3}, "100 items per task, drawn by seed 3"),
        ({"first": 10}, "the first 10 items of each task"),
        ({"items": frozenset({"a", "b"})}, "2 named items"),
        ({"shuffle": 0, "repeat": 3}, "options reordered by seed 0, 3 answers per item"),
        ({"permute": True}, "each item in every rotation of its options"),
    ],
)
def test_a_subset_is_told(given, line):
    assert subset_line(RunSpec("s", "m", **given)) == line


def test_model_with_rendering():
    tasks = {"a": generate(rendering="chat")}
    assert model_line(manifest(tasks=tasks)) == "openai/m-small: m-small at example.org (chat prompts)"
    mixed = {**tasks, "b": TaskRecord(mode="choose", rendering="text")}
    assert model_line(manifest(tasks=mixed)).endswith("(as chat: a; as text: b)")
    none = {"a": generate()}
    assert model_line(manifest(tasks=none, model=ModelRecord(name="baseline/first"))) == "baseline/first"


def test_a_private_copy_is_marked_with_the_reason():
    assert private_line(official()) == ""
    assert private_line(official(private=True)) == (
        "PRIVATE COPY: holds texts of items that may not be passed on (share = unknown)"
    )
