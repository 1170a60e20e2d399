"""Several real processes on one store: killed, interrupted, or side by side, against a server that counts."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from aiohttp import web
from engine_doubles import chats
from engine_driver import ANSWERED

from sotaque.engine.store import Store

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
CONCURRENCY = 4  # as in engine_driver


class CountingServer:
    """Answers each POST after ``latency`` seconds with its body, and keeps every body that it saw."""

    def __init__(self) -> None:
        self.latency = 0.01
        self.seen: list[str] = []
        self._arrived = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> "CountingServer":
        self._thread.start()
        self.url = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def wait_for(self, count: int) -> None:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.seen) >= count, timeout=30)

    def settle(self) -> None:
        """Let what has arrived be counted."""
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.02), self._loop).result()

    async def _start(self) -> str:
        application = web.Application()
        application.router.add_post("/", self._answer)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/"

    async def _answer(self, request: web.Request) -> web.Response:
        text = await request.text()
        with self._arrived:
            self.seen.append(text)
            self._arrived.notify_all()
        await asyncio.sleep(self.latency)
        return web.Response(text=text)


@pytest.fixture
def server() -> Iterator[CountingServer]:
    with CountingServer() as running:
        yield running


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(HERE / "engine_driver.py"), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8"},
    )


def count(path: Path, table: str) -> int:
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


def prompts(number: int) -> list[str]:
    return [request.messages[0].content for request in chats(number)]


def test_twenty_kills_lose_nothing_and_repeat_only_what_was_in_flight(path: Path, server: CountingServer) -> None:
    random = Random(11)
    server.latency = 0.03
    lost = 0
    for attempt in range(20):
        process = start("post", path, 200, server.url)
        if attempt % 2:  # at any moment, be it while it opens the store
            time.sleep(random.uniform(0, 0.4))
        else:
            server.wait_for(len(server.seen) + random.randint(1, 12))
        process.kill()
        process.communicate()
        server.settle()
        in_flight = len(server.seen) - count(path, "replies") - lost
        assert 0 <= in_flight <= CONCURRENCY
        lost += in_flight
    assert lost >= 10
    process = start("post", path, 200, server.url)
    output, errors = process.communicate(timeout=60)
    assert json.loads(output) == prompts(200), errors
    assert count(path, "replies") == 200
    assert count(path, "claims") == 0
    assert set(server.seen) == set(prompts(200))
    assert len(server.seen) == 200 + lost


def test_two_processes_share_the_work_and_ask_nothing_twice(path: Path, server: CountingServer) -> None:
    processes = [start("post", path, 300, server.url) for _ in range(2)]
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert json.loads(output) == prompts(300), errors
    assert sorted(server.seen) == sorted(prompts(300))
    assert count(path, "replies") == 300


def test_work_of_a_killed_process_is_taken_over_at_once_by_one_that_waits(path: Path, server: CountingServer) -> None:
    server.latency = 600
    first = start("post", path, 3, server.url)
    server.wait_for(3)
    server.latency = 0.01
    second = start("post", path, 3, server.url)
    with pytest.raises(subprocess.TimeoutExpired):
        second.communicate(timeout=1.5)
    assert len(server.seen) == 3
    first.kill()
    first.communicate()
    output, errors = second.communicate(timeout=10)
    assert json.loads(output) == prompts(3), errors
    assert len(server.seen) == 6


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["hang", "stubborn", "batch"])
def test_signal_ends_a_run_within_two_seconds_and_says_how_to_resume(
    kind: str, number: signal.Signals, path: Path
) -> None:
    process = start(kind, path, 2 * ANSWERED)
    assert process.stderr is not None
    assert process.stderr.readline() == "hanging\n"
    sent = time.monotonic()
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - sent < 2
    assert process.returncode == 130
    assert f"stopped by {'Ctrl-C' if number == signal.SIGINT else 'SIGTERM'}" in errors
    assert f"run the same command again: {ANSWERED} of {2 * ANSWERED} replies are stored" in errors
    assert kind == "batch" or "closed" in errors
    assert "Traceback" not in errors
    assert count(path, "replies") == ANSWERED
    assert count(path, "claims") == 0


def test_interrupted_run_on_a_server_without_identity_is_resumed_with_reuse(path: Path) -> None:
    process = start("hang-unstable", path, 2 * ANSWERED)
    assert process.stderr is not None
    assert process.stderr.readline() == "hanging\n"
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert "run the same command again with --reuse: 5 of 10" in errors


def test_waiting_for_another_process_can_be_interrupted(path: Path, server: CountingServer) -> None:
    server.latency = 600
    first = start("post", path, 2, server.url)
    server.wait_for(2)
    second = start("post", path, 2, server.url)
    with pytest.raises(subprocess.TimeoutExpired):
        second.communicate(timeout=1.5)
    sent = time.monotonic()
    second.terminate()
    _, errors = second.communicate(timeout=30)
    assert time.monotonic() - sent < 2
    assert "0 of 2 replies are stored" in errors
    with Store(path):
        assert count(path, "claims") == 2
    first.kill()
    first.communicate()
