"""Whole prompts of every kind of task, kept as files that a person can read.

After a change that is meant, write them anew with SOTAQUE_WRITE_SNAPSHOTS=1, and read the difference.
"""

import os
from pathlib import Path

import pytest

from kinds_suite import write_kinds
from sotaque.prompts.order import order_for
from sotaque.prompts.render import plan, render
from sotaque.records import Choose, Generate, Request, RunSpec
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite

FOLDER = Path(__file__).parent / "snapshots"
ITEMS = {"aberta": "0", "plural": "1"}


def as_read(request: Request) -> str:
    """A chat with a heading for each turn, a text as it is, continuations with a bar where the model takes over."""
    if isinstance(request, Choose):
        return "\n".join([f"{request.context}|", *(f"|{text}" for text in request.continuations)]) + "\n"
    assert isinstance(request, Generate)
    if request.messages:
        return "\n".join(f"[{turn.role}]\n{turn.content}\n" for turn in request.messages)
    return f"{request.text}|\n"


@pytest.mark.parametrize(
    ("task", "protocol", "rendering"),
    [
        (task, protocol, rendering)
        for task in ("classe_gen", "sentido_gen", "sentido_letra", "plural")
        for protocol in ("published", "default")
        for rendering in ("chat", "text")
    ]
    + [("aberta", "default", "chat"), ("aberta", "default", "text")]
    + [("classe_prob", "default", "text"), ("sentido_prob", "default", "text")],
)
def test_a_prompt_is_what_it_was(tmp_path: Path, task: str, protocol, rendering):
    suite = load_suite(write_kinds(tmp_path))
    spec = RunSpec("palavras", "m", protocol=protocol)
    loaded = load_items(suite, "own", [task])
    made = plan(suite.tasks[task], loaded, spec, rendering)
    item = next(one for one in loaded.tasks[task].items if one.id == ITEMS.get(task, "2"))
    text = as_read(render(made, item, order_for(item, None)).request)
    file = FOLDER / f"{task}.{protocol}.{rendering}.txt"
    if os.environ.get("SOTAQUE_WRITE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_no_snapshot_is_left_over():
    pinned = {name for mark in test_a_prompt_is_what_it_was.pytestmark for name in (".".join(c) for c in mark.args[1])}
    assert {file.stem for file in FOLDER.glob("*.txt")} == pinned
