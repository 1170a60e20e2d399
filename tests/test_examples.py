"""The examples run as they stand, and stay short."""

import runpy
from pathlib import Path

import pytest

from command_line import ROOT
from sotaque.runs import read_run

EXAMPLE = ROOT / "examples" / "run_from_python.py"


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_a_whole_run_from_python_prints_the_numbers_of_its_run_folder(printed: list[str]) -> None:
    folder, *lines = printed
    run = read_run(Path(folder))
    assert [task.items for task in run.summary.tasks.values()] == [10, 10]
    for line, (name, task) in zip(lines, run.summary.tasks.items(), strict=False):
        assert line.startswith(f"{name}: {task.headline.value:.3f} [")
        assert line.endswith(f"n = 10, chance {task.chance.value:.2f}")
    assert [line.split()[:3] for line in lines[2:]] == [
        [sample.task, sample.item, sample.score.outcome] for sample in run.samples[:3]
    ]


def test_the_example_is_about_25_lines() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 30
