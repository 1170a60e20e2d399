"""Runs a command as a whole process and says what it took."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Took:
    seconds: float
    peak_mb: float


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Took:
    """Wall seconds, and the largest resident memory of the process itself."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Took(seconds, usage.ru_maxrss / 1024)
