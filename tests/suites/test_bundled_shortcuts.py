"""No bundled task has a shortcut that is not declared; the page that lists what rules earn is what they earn."""

import re
import sys
from types import ModuleType

import pytest

from command_line import ROOT
from sotaque.audit.shortcuts import ALPHA, ENOUGH_ITEMS, MARGIN, RULES
from sotaque.suites.catalog import BUNDLED
from sotaque.suites.suite import load_suite

PAGE = ROOT / "docs" / "shortcuts.md"
REMEDY = "docs/shortcuts.md is not what the items earn: run `python recipes/shortcut_table.py`, and read the difference"
WITH_OPTIONS = [(name, task.name) for name in BUNDLED for task in load_suite(name).tasks.values() if not task.is_open]


@pytest.fixture(scope="module")
def table() -> ModuleType:
    sys.path.insert(0, str(ROOT / "recipes"))
    try:
        sys.modules.pop("shortcut_table", None)
        import shortcut_table
    finally:
        sys.path.remove(str(ROOT / "recipes"))
    return shortcut_table


@pytest.fixture(scope="module")
def measured(table: ModuleType) -> dict[tuple[str, str], object]:
    return {(name, row.task.name): row for name in BUNDLED for row in table.rows(name)}


@pytest.mark.parametrize("where", WITH_OPTIONS, ids="/".join)
def test_no_rule_that_answers_nothing_is_right_too_often(
    where: tuple[str, str], measured: dict[tuple[str, str], object]
):
    row = measured[where]
    faults = [
        f"{each.rule}: {each.rate.value:.3f}, {each.against} {each.expected:.3f}, p {each.adjusted:.2g}"
        for each in row.found
        if each.shows and not each.reason
    ]
    remedy = "change the options, not the seed; or declare it in suite.toml, with the reason"
    assert not faults, "\n".join([*faults, remedy])


@pytest.mark.parametrize("where", WITH_OPTIONS, ids="/".join)
def test_what_is_declared_is_there(where: tuple[str, str], measured: dict[tuple[str, str], object]):
    for each in measured[where].found:
        assert not each.reason or each.excess > 0, (
            f"{each.rule} earns no more than {each.against}: drop the declaration"
        )


def test_every_task_with_options_is_measured_with_every_rule(measured: dict[tuple[str, str], object]):
    assert set(measured) == set(WITH_OPTIONS)
    assert len(WITH_OPTIONS) >= 32
    assert {len(row.found) for row in measured.values()} == {len(RULES)} == {6}


def test_the_limits_are_those_that_were_promised():
    assert (ENOUGH_ITEMS, MARGIN, ALPHA) == (150, 0.10, 0.01)


def test_the_page_is_what_the_items_earn(table: ModuleType, tmp_path):
    table.main(tmp_path / "made.md")
    assert (tmp_path / "made.md").read_bytes() == PAGE.read_bytes(), REMEDY


def test_the_page_has_every_task_with_options():
    text = PAGE.read_text(encoding="utf-8")
    for name, task in WITH_OPTIONS:
        section = text.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
        (line,) = re.findall(rf"^\| `{task}` \|.*$", section, re.MULTILINE)
        assert line.count(" %") == 1 + len(RULES)
