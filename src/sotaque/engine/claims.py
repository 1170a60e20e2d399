"""Who is working on a request: claims keep two processes on one store from asking for the same thing.

A claim is a lease. It is renewed while its process lives, and others may take it over when it runs out, or at once
when they can see that its process is gone.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

from sotaque.errors import StoreError

_SAME_START = 5.0
"""Seconds by which two readings of one process's start may differ: both are derived from the wall clock."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process, told apart from a later one with the same number by its start time (seconds since 1970)."""

    host: str
    pid: int
    started: float


@cache
def _this_process(pid: int) -> Process:
    return Process(_host(), pid, psutil.Process(pid).create_time())


def this_process() -> Process:
    """The running process."""
    return _this_process(os.getpid())


def is_gone(process: Process) -> bool:
    """Whether a process has surely ended. One on another host never surely has."""
    if process.host != this_process().host:
        return False
    try:
        running = psutil.Process(process.pid)
        if abs(running.create_time() - process.started) > _SAME_START:
            return True
        return running.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


class Heartbeat:
    """Calls ``beat`` every ``interval`` seconds in a thread of its own.

    A thread, because a local model may compute for minutes inside one call that gives nothing else a turn.
    """

    def __init__(self, beat: Callable[[], None], interval: float) -> None:
        self._beat = beat
        self._interval = interval
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sotaque-claims", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it. A beat that waits for a locked file is left behind: it can renew nothing any more."""
        self._stopped.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while not self._stopped.wait(self._interval):
            # A full or locked file will be met by the main thread as well, which reports it; the next beat may pass.
            with suppress(StoreError):
                self._beat()


def _host() -> str:
    """This machine since its last start, and the set of process numbers we see: containers may share a host name."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)
