"""What only a real terminal shows: a command at the other end of a pseudo-terminal."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from command_line import command, environment, sotaque
from own_suites import write_suite

ESCAPE = "\x1b[31mred\x1b[0m"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A suite one of whose options is a control sequence."""
    folder = write_suite(tmp_path / "contas", 1)
    items = folder / "soma.jsonl"
    text = items.read_text(encoding="utf-8")
    items.write_text(text.replace('"options": ["', '"options": ["\\u001b[31mred\\u001b[0m', 1), encoding="utf-8")
    return folder


def on_a_terminal(*arguments: object) -> str:
    """All that a command writes to the terminal it runs in."""
    ours, its = pty.openpty()
    process = subprocess.Popen(command(*arguments), stdout=its, stderr=its, stdin=its, env=environment())
    os.close(its)
    written = b""
    try:
        while piece := os.read(ours, 4096):
            written += piece
    except OSError:  # Linux: the other end is closed
        assert written
    finally:
        os.close(ours)
    assert process.wait() == 0, written.decode("utf-8", "replace")
    return written.decode("utf-8", "replace")


def test_a_terminal_does_not_obey_what_an_item_says(hostile: Path) -> None:
    shown = on_a_terminal("show", hostile, "soma/s000", "--model", "baseline/first")
    assert "\\x1b[31mred\\x1b[0m" in shown and ESCAPE not in shown


def test_a_pipe_gets_what_would_be_sent_to_the_letter(hostile: Path) -> None:
    assert ESCAPE in sotaque("show", hostile, "soma/s000", "--model", "baseline/first").out


@pytest.mark.parametrize("repeat", [0, -1, 10**20])
def test_repeats_are_bounded(hostile: Path, repeat: int) -> None:
    ended = sotaque("run", hostile, "--model", "baseline/first", "--repeat", repeat)
    assert ended.code == 2
    assert "--repeat" in ended.err and "1 to 1000" in ended.err
