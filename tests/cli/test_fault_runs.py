"""Whole runs against a server that fails in every known way: each ends, scores no error, and counts what is missing."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from command_line import Ended, sotaque
from fault_server import (
    Answer,
    Behaviour,
    FaultServer,
    Seen,
    always,
    by_text,
    chat,
    cut,
    drop,
    failing,
    half,
    hang,
    sequence,
    status,
)
from own_suites import write_suite
from sotaque.records import Outcome
from sotaque.runs import read_run

KEY = "sk-test-9f8e7d6c5b4a39281706fedcba"
GOOD = chat("B")
ZE = "Zé colheu"  # two of eight items


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def ask(suite: Path, server: FaultServer, *more: object) -> Ended:
    return sotaque("run", suite, "-m", "openai/toy", "--base-url", server.url, "--timeout", "0.3", *more)


def outcomes() -> dict[Outcome, int]:
    (folder,) = Path("runs").iterdir()
    run = read_run(folder)
    for sample in run.samples:
        if sample.score.outcome is Outcome.ERROR:
            assert not sample.score.values and not sample.reply_id
    return {outcome: number for outcome, number in run.summary.tasks["soma"].outcomes.items() if number}


def answered(outcome: Outcome | None = None) -> dict[Outcome, int]:
    """All eight items; with an outcome, the two of Zé have that one."""
    found = outcomes()
    if outcome is not None:
        assert found.pop(outcome) == 2
    assert sum(found.values()) == (6 if outcome else 8)
    assert set(found) <= {Outcome.CORRECT, Outcome.WRONG}
    return found


@dataclass(frozen=True)
class Fault:
    """How the server behaves, what becomes of Zé's items (``None``: answered in the end), and the exit code."""

    behaviour: Callable[[], Behaviour]
    outcome: Outcome | None
    code: int
    tries: int = 2


def for_ze(answer: Answer) -> Callable[[], Behaviour]:
    return lambda: by_text({ZE: answer}, GOOD)


def at_first(*answers: Answer) -> Callable[[], Behaviour]:
    return lambda: sequence(*answers, GOOD)


SHOWN_AS = {Outcome.ERROR: "no reply", Outcome.TRUNCATED: "cut off"}
TOOL_CALL = [{"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]
SPENT = {"prompt_tokens": 12, "completion_tokens": 32, "completion_tokens_details": {"reasoning_tokens": 32}}

FAULTS = {
    "429 with Retry-After": Fault(at_first(*[status(429, headers={"Retry-After": "0.1"})] * 4), None, 0),
    "429 without Retry-After": Fault(at_first(*[status(429)] * 4), None, 0),
    "500 at first": Fault(at_first(status(500)), None, 0),
    "500 for ever": Fault(for_ze(status(500)), Outcome.ERROR, 1),
    "connections dropped at first": Fault(at_first(drop(), drop()), None, 0, tries=6),
    "connections dropped for ever": Fault(for_ze(drop()), Outcome.ERROR, 1),
    "an item that never answers": Fault(for_ze(hang()), Outcome.ERROR, 1),
    "a body cut short": Fault(for_ze(cut(GOOD)), Outcome.ERROR, 1),
    "truncated JSON": Fault(for_ze(half(GOOD)), Outcome.ERROR, 1),
    "empty choices": Fault(for_ze(Answer(body={"object": "chat.completion", "choices": []})), Outcome.ERROR, 1),
    "tool calls without content": Fault(for_ze(chat(None, "tool_calls", tool_calls=TOOL_CALL)), Outcome.EMPTY, 0),
    "content null, finish_reason length": Fault(for_ze(chat(None, "length")), Outcome.TRUNCATED, 0),
    "reasoning that uses the whole budget": Fault(
        for_ze(chat("", "length", reasoning_content="Quanto é mesmo? Vejamos", usage=SPENT)), Outcome.TRUNCATED, 0
    ),
    "reasoning that never closes its tag": Fault(for_ze(chat("<think>Quanto é? B", "length")), Outcome.TRUNCATED, 0),
    "a refusal": Fault(for_ze(chat(None, refusal="Não posso ajudar com isso.")), Outcome.REFUSED, 0),
    "400 for one item": Fault(for_ze(status(400, "content filter")), Outcome.ERROR, 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_server_never_costs_the_run(name: str, suite: Path) -> None:
    fault = FAULTS[name]
    with FaultServer(fault.behaviour()) as server:
        ended = ask(suite, server, "--tries", fault.tries)
    answered(fault.outcome)
    assert ended.code == fault.code, ended.err
    assert "Traceback" not in ended.err
    if fault.outcome is not None:
        assert f"2 {SHOWN_AS.get(fault.outcome, fault.outcome)}" in ended.out


def test_thirty_percent_random_failures_are_all_answered_by_trying_again(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "muitas", 60)
    with FaultServer(failing(0.3, GOOD, seed=5)) as server:
        ended = ask(suite, server)
    assert ended.code == 0, ended.err
    assert sum(outcomes().values()) == 60 and Outcome.ERROR not in outcomes()
    assert 70 < len(server.posts) < 130


def test_401_stops_at_once_and_says_which_variable_held_the_key(suite: Path) -> None:
    with FaultServer(always(status(401, f"Incorrect API key provided: {KEY}"))) as server:
        began = time.monotonic()
        ended = ask(suite, server)
        assert time.monotonic() - began < 2
    assert ended.code == 2
    assert len(server.posts) <= 8  # those that were under way together, none tried again
    assert "401" in ended.err and "OPENAI_API_KEY" in ended.err
    assert KEY not in ended.err and KEY[8:20] not in ended.err
    assert not Path("runs").exists()


def test_a_server_that_is_not_there_is_named_at_once(suite: Path) -> None:
    with FaultServer(always(GOOD)) as server:
        url = server.url
    ended = sotaque("run", suite, "-m", "openai/toy", "--base-url", url)
    assert ended.code == 2
    assert url.removesuffix("/v1") in ended.err and "is the server running?" in ended.err


@pytest.mark.parametrize(("limit", "code"), [("0.24", 1), ("0.25", 0), ("1", 0), ("0", 1)])
def test_exit_code_1_is_for_more_unscored_items_than_the_limit(limit: str, code: int, suite: Path) -> None:
    with FaultServer(by_text({ZE: status(400)}, GOOD)) as server:
        assert ask(suite, server, "--max-unscored", limit).code == code
    answered(Outcome.ERROR)


def test_what_failed_is_asked_again_by_the_same_command_and_nothing_else(suite: Path) -> None:
    with FaultServer(by_text({ZE: status(400)}, GOOD)) as server:
        assert ask(suite, server, "--reuse").code == 1
        server.behaviour = always(GOOD)
        before = len(server.posts)
        ended = ask(suite, server, "--reuse", "--out", "mended", "--json")
        assert len(server.posts) - before == 2
    assert ended.code == 0
    assert json.loads(ended.out)["runs"][0]["manifest"]["replies"] == {"from_store": 6, "fresh": 2, "failed": 0}


# ---------------------------------------------------------------- keys


def echoing(code: int) -> Behaviour:
    """A server that tells everything it was sent: in its error, or in the reply's text, model name and headers."""

    def behaviour(seen: Seen) -> Answer:
        said = seen.headers.get("Authorization", "")
        if code != 200:
            return status(code, f"You sent {said!r}", param=said)
        reply = chat(f"B, and you sent {said}", reasoning_content=said)
        return Answer(body={**reply.body, "model": said, "system_fingerprint": said}, headers={"X-Echo": said})

    return behaviour


@pytest.mark.parametrize("code", [200, 400, 401, 429, 500])
@pytest.mark.parametrize("way", ["variable", "login in the URL"])
def test_keys_are_shown_and_kept_nowhere(code: int, way: str, suite: Path, tmp_path: Path, monkeypatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("SOTAQUE_HOME", str(home))
    with FaultServer(echoing(code)) as server:
        url = server.url
        if way != "variable":
            monkeypatch.delenv("OPENAI_API_KEY")
            url = url.replace("http://", f"http://ana:{KEY}@")
        command = ("-m", "openai/toy", "--base-url", url)
        if code == 429:  # for ever it would be tried for minutes
            server.behaviour = lambda seen: echoing(429 if seen.number < 2 else 400)(seen)
        ended = [sotaque("run", suite, *command, "--tries", "1", "--first", "1")]
        ended += [sotaque("run", suite, *command, "--plan"), sotaque("show", suite, "soma/s001", *command)]
        said = {seen.headers.get("Authorization") for seen in server.posts}
    assert said and None not in said and "" not in said
    secrets = {KEY.encode(), *(header.split()[1].encode() for header in said)}
    for secret in secrets:
        for each in ended:
            assert secret not in (each.out + each.err).encode()
        for file in _files(home, tmp_path / "runs"):
            assert secret not in file.read_bytes(), file


def _files(*folders: Path) -> list[Path]:
    found = [Path(where) / name for folder in folders for where, _, names in os.walk(folder) for name in names]
    assert found
    return found
