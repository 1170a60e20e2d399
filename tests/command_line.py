"""The ``sotaque`` command as tests call it: inside this process, or as a process of its own."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from sotaque.cli.main import main

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


def sotaque(*arguments: object) -> Ended:
    """Run one command line in this process, as ``main`` runs it."""
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            with patch.object(sys, "argv", ["sotaque", *map(str, arguments)]):
                main()
    except SystemExit as end:
        code = end.code
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert isinstance(code, int)
    return Ended(code, out.getvalue(), err.getvalue())


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "sotaque", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """This process's, with the source tree on the path and UTF-8 pipes."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", **more}


def start(*arguments: object, **more: str) -> subprocess.Popen[str]:
    """Start a command as a process of its own; ``more`` goes into its environment."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Tests that run in the background ignore Ctrl-C, and what they start would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return subprocess.Popen(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment(**more),
    )


def finish(process: subprocess.Popen[str], timeout: float = 60) -> Ended:
    out, err = process.communicate(timeout=timeout)
    return Ended(process.returncode, out, err)
