import os
import subprocess
import sys
import threading
from dataclasses import replace

import psutil
import pytest

from sotaque.engine.claims import Heartbeat, Process, is_gone, this_process
from sotaque.errors import StoreError


def test_this_process_is_not_gone() -> None:
    assert this_process().pid == os.getpid()
    assert not is_gone(this_process())


def test_ended_process_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    process = Process(this_process().host, child.pid, psutil.Process(child.pid).create_time())
    assert not is_gone(process)
    child.kill()
    child.communicate()
    assert is_gone(process)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no zombies")
def test_killed_process_that_nobody_waited_for_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    process = Process(this_process().host, child.pid, psutil.Process(child.pid).create_time())
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is still in the table
    assert psutil.pid_exists(child.pid)
    assert is_gone(process)
    child.communicate()


def test_later_process_with_the_same_number_is_another_one() -> None:
    assert is_gone(replace(this_process(), started=this_process().started - 3600))


def test_process_on_another_host_is_never_surely_gone() -> None:
    assert not is_gone(Process("outra-máquina", 2**22 + 1, 0.0))


def test_process_whose_data_we_may_not_see_is_not_surely_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: psutil.Process) -> float:
        raise psutil.AccessDenied

    here = this_process()
    monkeypatch.setattr(psutil.Process, "create_time", denied)
    assert not is_gone(here)


def test_heartbeat_goes_on_after_a_locked_file_and_ends_when_stopped() -> None:
    beats = threading.Semaphore(0)

    def beat() -> None:
        beats.release()
        raise StoreError("locked")

    heart = Heartbeat(beat, interval=0.001)
    assert all(beats.acquire(timeout=10) for _ in range(3))
    heart.stop()
    while beats.acquire(blocking=False):
        pass
    assert not beats.acquire(timeout=0.02)
