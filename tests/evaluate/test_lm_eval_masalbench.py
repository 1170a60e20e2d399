"""Published MasalBench items, option by option, in lm-evaluation-harness and here: Persian, four options each."""

import os
from pathlib import Path

import pytest

from lm_eval_sides import Sides, both_sides, shared_folder
from sotaque.records import RunSpec

TASK = "contextual_prob"
CLOSE = 1e-3
NAMES = {"accuracy": "acc", "accuracy_per_character": "acc_norm", "accuracy_per_byte": "acc_bytes"}
# The peer needs minutes for 100 (``SOTAQUE_PARITY_ITEMS=100``); the checks take fewer.
ITEMS = int(os.environ.get("SOTAQUE_PARITY_ITEMS", "20"))


@pytest.fixture(scope="session")
def sides(official: Path, tmp_path_factory: pytest.TempPathFactory) -> Sides:
    spec = RunSpec("masalbench", "local", source=str(official / "masalbench"), tasks=(TASK,), first=ITEMS)
    return both_sides([spec], shared_folder(tmp_path_factory, "masalbench"))


def test_accuracies_are_the_same(sides: Sides) -> None:
    assert len(sides.samples[TASK]) == ITEMS
    assert sides.summaries[TASK].ties == 0
    for name, theirs in {
        "accuracy": "acc",
        "accuracy_per_character": "acc_norm",
        "accuracy_per_byte": "acc_bytes",
    }.items():
        assert sides.metric(TASK, name) == pytest.approx(sides.theirs(TASK, theirs), abs=1e-12)


def test_every_option_of_every_item_has_the_same_log_probability(sides: Sides) -> None:
    gaps = {seam.item: seam.gap for seam in sides.seams(TASK)}
    assert {item: gap for item, gap in gaps.items() if not gap < CLOSE} == {}


def test_both_cut_every_item_at_the_same_token(sides: Sides) -> None:
    assert [seam.item for seam in sides.seams(TASK) if not seam.alike] == []
