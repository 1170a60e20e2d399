"""Real processes: killed at any moment, stopped by signals, two at once; nothing is lost and nothing asked twice."""

import errno
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import Ended, environment, finish, start
from own_suites import write_suite

KILLS = 20
ITEMS = 200
CONCURRENCY = 8


class Server:
    """The answering server in its own process; ``seen`` are the prompts of all POSTs so far."""

    def __init__(self, url: str, log: Path) -> None:
        self.url, self._log = url, log

    @property
    def seen(self) -> list[str]:
        return [
            json.loads(line)
            for line in self._log.read_text(encoding="utf-8").splitlines(keepends=True)
            if line.endswith("\n")
        ]

    def settle(self) -> None:
        """Once it answers this, it has read what had arrived before."""
        urllib.request.urlopen(f"{self.url}/models", timeout=10).read()

    def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + 30
        while len(self.seen) < count:
            assert time.monotonic() < deadline
            time.sleep(0.005)


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    delay = str(getattr(request, "param", 0.03))
    log = tmp_path / "posts.log"
    log.touch()
    script = Path(__file__).with_name("answering_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script), "--delay", delay, "--log", str(log)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdout is not None
    yield Server(process.stdout.readline().strip(), log)
    process.kill()
    process.communicate()


class Runs:
    """One suite and one store; each call is the same command line."""

    def __init__(self, folder: Path, suite: Path, server: Server) -> None:
        self.home, self.out = folder / "home", folder / "runs"
        self._command = (
            "run", suite, "-m", "vllm/toy", "--base-url", server.url, "--reuse", "--concurrency", CONCURRENCY
        )  # fmt: skip

    def start(self, out: Path | None = None) -> subprocess.Popen[str]:
        return start(*self._command, "--out", out or self.out, SOTAQUE_HOME=str(self.home))

    def finish(self) -> Ended:
        return finish(self.start())

    @property
    def folders(self) -> list[Path]:
        return sorted(self.out.iterdir()) if self.out.exists() else []

    def count(self, table: str) -> int:
        path = self.home / "replies.sqlite"
        if not path.exists():
            return 0
        connection = sqlite3.connect(path, timeout=30)
        try:
            return connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
        except sqlite3.OperationalError as error:
            assert "no such table" in str(error)  # killed before it had made them
            return 0
        finally:
            connection.close()


def content(folder: Path) -> dict[str, Any]:
    """A run folder without what time and the store alone decide.

    Left out of run.json: ``times``, ``replies`` (how many came from the store) and ``usage.asked_now``;
    of each sample: ``reply.seconds``; of summary.json: each task's ``median_seconds``. Nothing else.
    """
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del run["times"], run["replies"], run["usage"]["asked_now"]
    samples = [json.loads(line) for line in (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
    for sample in samples:
        del sample["reply"]["seconds"]
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    for task in summary["tasks"].values():
        del task["median_seconds"]
    return {"run.json": run, "samples.jsonl": samples, "summary.json": summary}


def test_twenty_kills_leave_no_trace_in_the_results(tmp_path: Path, server: Server) -> None:
    dice = random.Random(20)
    suite = write_suite(tmp_path / "contas", ITEMS)
    runs = Runs(tmp_path / "killed", suite, server)
    lost = 0
    for kill in range(KILLS):
        process = runs.start()
        if kill % 3 == 0:  # at any moment: while Python starts, while the store is opened
            time.sleep(dice.uniform(0.05, 0.8))
        else:
            server.wait_for(len(server.seen) + dice.randint(1, 14))
        process.kill()
        process.communicate()
        server.settle()
        in_flight = len(server.seen) - runs.count("replies") - lost
        assert 0 <= in_flight <= CONCURRENCY
        lost += in_flight
        assert not runs.folders
    assert lost >= KILLS / 2  # or the kills hit nothing
    assert runs.count("replies") < ITEMS
    ended = runs.finish()
    assert ended.code == 0, ended.err
    assert len(server.seen) == ITEMS + lost
    assert runs.count("claims") == 0

    undisturbed = Runs(tmp_path / "undisturbed", suite, server)
    assert undisturbed.finish().code == 0
    assert len(server.seen) == 2 * ITEMS + lost
    (resumed,), (plain,) = runs.folders, undisturbed.folders
    assert content(resumed) == content(plain)
    assert sorted(file.name for file in resumed.iterdir()) == ["run.json", "samples.jsonl", "summary.json"]


def test_two_processes_on_one_store_share_the_work_and_both_have_the_whole_result(tmp_path: Path, server: Server):
    suite = write_suite(tmp_path / "contas", ITEMS)
    runs = Runs(tmp_path, suite, server)
    outs = [tmp_path / "one", tmp_path / "two"]
    processes = [runs.start(out) for out in outs]
    for process in processes:
        ended = finish(process)
        assert ended.code == 0, ended.err
    assert set(Counter(server.seen).values()) == {1}
    assert len(server.seen) == runs.count("replies") == ITEMS
    first, second = (content(next(out.iterdir())) for out in outs)
    assert first == second
    fresh = [json.loads((next(out.iterdir()) / "run.json").read_text())["replies"]["fresh"] for out in outs]
    assert sum(fresh) == ITEMS


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_within_two_seconds_and_the_same_command_asks_for_the_rest(
    number: signal.Signals, tmp_path: Path, server: Server
) -> None:
    suite = write_suite(tmp_path / "contas", ITEMS)
    runs = Runs(tmp_path, suite, server)
    process = runs.start()
    server.wait_for(30)
    sent = time.monotonic()
    process.send_signal(number)
    ended = finish(process)
    assert time.monotonic() - sent < 2
    assert ended.code == 130
    stored = runs.count("replies")
    assert f"stopped by {'Ctrl-C' if number == signal.SIGINT else 'SIGTERM'}" in ended.err
    assert f"run the same command again: {stored} of {ITEMS} replies are stored" in ended.err
    assert "Traceback" not in ended.err and ended.out == "" and not runs.folders
    server.settle()
    before = len(server.seen)
    assert before - stored <= CONCURRENCY
    assert runs.finish().code == 0
    assert len(server.seen) - before == ITEMS - stored


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_outside_the_engine_ends_with_a_message_too(number: signal.Signals, tmp_path: Path) -> None:
    """It waits for a list of items out of a pipe that nobody writes to."""
    pipe = tmp_path / "ids.txt"
    os.mkfifo(pipe)
    process = start("run", "masalbench", "-m", "baseline/first", "--items", pipe)
    writer = _when_somebody_reads(pipe)
    process.send_signal(number)
    ended = finish(process)
    os.close(writer)
    assert ended.code == 130
    assert f"stopped by {'Ctrl-C' if number == signal.SIGINT else 'SIGTERM'}" in ended.err
    assert "run the same command again" in ended.err and "Traceback" not in ended.err


def _when_somebody_reads(pipe: Path) -> int:
    deadline = time.monotonic() + 30
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO and time.monotonic() < deadline
            time.sleep(0.01)
