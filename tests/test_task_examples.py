"""The page of examples is what the suites make, and has every published task."""

import json
import re
import sys
from pathlib import Path

import pytest

from command_line import ROOT
from sotaque.evaluate.questions import pose
from sotaque.models.catalog import open_model
from sotaque.records import Choose, RunSpec
from sotaque.suites.catalog import BUNDLED
from sotaque.suites.suite import load_suite

PAGE = ROOT / "docs" / "examples.md"
REMEDY = "docs/examples.md is not what the suites make: run `python recipes/task_examples.py`, and read the difference"

IN_BOTH_MODES = (
    "br_def_expr br_expr_def br_region_exp pt_aum pt_dim pt_category pt_comp_type pt_count_morf pt_der_comp "
    "pt_der_type pt_expr_class pt_word_class"
).split()
PUBLISHED = {
    "brasilidade": [f"{name}_{mode}" for name in IN_BOTH_MODES for mode in ("gen", "prob")]
    + ["pt_conjugate", "pt_correct", "pt_morfema"],
    "broverbs": ["pts", "stp"],
    "alba": "language_variety culture_bound_semantics discourse_analysis word_plays syntax morphology lexicology "
    "phonetics_phonology".split(),
    "masalbench": ["contextual", "cross_cultural"],
}
STOP = "stop sequence (two blank lines read as three line breaks)"
TWINS = ["pts_prob", "stp_prob", "contextual_prob", "cross_cultural_prob"]


@pytest.fixture(scope="module")
def written() -> str:
    return PAGE.read_text(encoding="utf-8")


def section(page: str, task: str) -> str:
    return page.split(f"\n### {task}\n", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]


def test_the_page_is_what_the_suites_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "recipes"))
    for name in ("task_examples", "protocol_table"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import task_examples

    task_examples.main(tmp_path / "made.md")
    assert (tmp_path / "made.md").read_bytes() == PAGE.read_bytes(), REMEDY


def test_the_published_tasks_are_27_and_2_and_8_and_2() -> None:
    counts = {suite: len(set(tasks)) for suite, tasks in PUBLISHED.items()}
    assert counts == {"brasilidade": 27, "broverbs": 2, "alba": 8, "masalbench": 2}


def test_every_published_task_and_every_twin_has_one_example(written: str) -> None:
    headings = re.findall(r"^### (\w+)$", written, re.MULTILINE)
    for task in [*(task for tasks in PUBLISHED.values() for task in tasks), *TWINS]:
        assert headings.count(task) == 1, task
        assert section(written, task).count("*Right*: ") == 1
        assert f"[`{task}`](#{task})" in written


@pytest.mark.parametrize("name", BUNDLED)
def test_no_task_of_a_suite_is_missing_and_none_is_taken_for_published(name: str, written: str) -> None:
    suite = load_suite(name)
    assert set(PUBLISHED[name]) <= {task.name for task in suite.tasks.values() if task.protocol.published}
    for task in suite.tasks:
        assert f"\n### {task}\n" in written


@pytest.mark.parametrize("name", BUNDLED)
def test_an_example_is_what_would_be_sent(name: str, written: str) -> None:
    """The question, the instruction and the last example, as they stand in the body of the request."""
    suite, model = load_suite(name), open_model("openai/NAME")
    for task in suite.tasks:
        asked = pose(suite, RunSpec(name, "openai/NAME", tasks=(task,), first=1), model).questions[0].prompt.request
        shown = section(written, task)
        if isinstance(asked, Choose):
            assert f"```text\n{asked.context}\n```" in shown
            assert all(f"|{text}\n" in shown for text in asked.continuations)
        else:
            turns = json.loads(model.preview(asked).split("\n", 1)[1])["messages"]
            for turn in [each for each in turns if each["role"] == "system"] + turns[-3:]:
                assert f"[{turn['role']}]" in shown
                assert f"\n{turn['content']}\n" in shown


def test_one_task_of_each_template_shows_all_its_examples(written: str) -> None:
    for name in BUNDLED:
        suite, whole = load_suite(name), dict[str, bool]()
        for task in suite.tasks.values():
            if task.protocol.default.shots and task.mode == "generate":
                shots = section(written, task.name).count("[assistant]")
                key = task.template or task.name
                whole[key] = whole.get(key, False) or shots == task.protocol.default.shots
                hidden = re.search(r"^(\d+) examples stand here", section(written, task.name), re.MULTILINE)
                assert shots + int(hidden[1] if hidden else 0) == task.protocol.default.shots
        assert all(whole.values())


def test_persian_stands_in_blocks_that_run_right_to_left(written: str) -> None:
    persian = re.findall(r"```text\n(?=\W*[\u0600-\u06ff])", written)
    framed = re.findall(r'<div dir="rtl">\n\n```text\n[^`]+\n```\n\n</div>\n', written)
    assert len(framed) == len(persian) >= 5
    assert written.count("<div") == written.count("</div>") == len(framed)


@pytest.mark.parametrize("name", BUNDLED)
def test_what_is_marked_as_reconstructed_is_what_runs_list(name: str, written: str) -> None:
    """The entries of ``reconstructed``, and the prompt where the published items do not bring it: no more, no less."""
    suite = load_suite(name)
    part = written.split(f"\n## {suite.title}\n", 1)[1].split("\n## ", 1)[0]
    fields = re.findall(r"^\| (.+?) \|.*\*\*yes\*\*", part, re.MULTILINE)
    marked = {field.split(", of `")[0] for field in fields}
    listed = set[str]()
    for task in suite.tasks.values():
        if task.protocol.published:
            listed |= set(task.protocol.published.reconstructed) | (set() if task.prompts else {"prompt"})
    names = {"decoding (greedy)": {"temperature", "top_p"}, STOP: {"stop"}}
    assert marked == {field for entry in listed for field in names.get(entry, {entry})}
