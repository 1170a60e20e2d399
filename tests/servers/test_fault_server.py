"""The fault server does what its users rely on: as a process of its own, and in what it counts."""

import asyncio
import subprocess
import sys
from pathlib import Path

import fault_server
from asking import ask, chat_request, served
from fault_server import FaultServer, always, chat, failing
from sotaque.errors import Transient


def test_as_a_process_it_prints_its_url_and_logs_each_request(tmp_path):
    command = [sys.executable, fault_server.__file__, "--reply", "C", "--log", str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            assert [reply.text for reply in ask(served(url), chat_request("um"), chat_request("dois"))] == ["C", "C"]
        finally:
            process.kill()
    lines = Path(tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert sorted(part for part in ("um", "dois") if any(part in line for line in lines)) == ["dois", "um"]


def test_it_counts_what_is_in_flight():
    with FaultServer(always(chat("B", delay=0.05))) as server:
        ask(served(server.url), *(chat_request(str(n)) for n in range(7)))
    assert server.peak == 7
    assert len(server.posts) == 7


def test_a_share_of_requests_fails_with_errors_worth_another_try():
    async def outcomes(url: str) -> list[object]:
        model = served(url)
        try:
            tries = (model.ask(chat_request(str(n))) for n in range(60))
            return await asyncio.gather(*tries, return_exceptions=True)
        finally:
            await model.close()

    with FaultServer(failing(0.3, chat("B"))) as server:
        found = asyncio.run(outcomes(server.url))
    failed = [one for one in found if isinstance(one, BaseException)]
    assert 8 <= len(failed) <= 30
    assert all(isinstance(one, Transient) for one in failed)
