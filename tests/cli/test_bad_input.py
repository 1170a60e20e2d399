"""Bad input at the command line: each a message with file, place and remedy, exit code 2, and no traceback."""

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from command_line import ROOT, Ended, finish, sotaque, start
from fault_server import Answer, FaultServer, always, chat, models, status
from own_suites import sum_item, write_suite
from sotaque.cli import running
from sotaque.engine.store import Store

TOML, ITEMS = "suite.toml", "soma.jsonl"


@dataclass(frozen=True)
class Bad:
    """What is done to a good suite, and what the message must say: ``{suite}`` stands for its folder."""

    spoil: Callable[[Path], object]
    place: tuple[str, ...]
    remedy: str
    command: tuple[str, ...] = ("run", "{suite}", "-m", "baseline/first")


def swap(file: str, before: str, after: str) -> Callable[[Path], object]:
    def spoil(suite: Path) -> None:
        text = (suite / file).read_text(encoding="utf-8")
        assert before in text
        (suite / file).write_text(text.replace(before, after, 1), encoding="utf-8")

    return spoil


def change(number: int, **fields: object) -> Callable[[Path], object]:
    """Give item ``number`` other fields; ``None`` takes a field away."""

    def spoil(suite: Path) -> None:
        lines = (suite / ITEMS).read_text(encoding="utf-8").splitlines()
        item = {name: value for name, value in {**sum_item(number), **fields}.items() if value is not None}
        lines[number] = json.dumps(item, ensure_ascii=False)
        (suite / ITEMS).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return spoil


def write(file: str, content: bytes) -> Callable[[Path], object]:
    return lambda suite: (suite / file).write_bytes(content)


def long_line(suite: Path) -> None:
    with (suite / ITEMS).open("ab") as file:
        file.write(b'{"id": "longo", "historia": "' + b"x" * 50_000_000 + b'"}\n')


def pinned(suite: Path) -> None:
    swap(TOML, '"soma.jsonl"', '{ path = "soma.jsonl", sha256 = "' + "0" * 64 + '" }')(suite)


def pipe(suite: Path) -> None:
    (suite / ITEMS).unlink()
    os.mkfifo(suite / ITEMS)


def nothing(suite: Path) -> None:
    """The suite is good; the command line is not."""


BAD = {
    "misspelt key": Bad(
        swap(TOML, "metrics = ", "metricas = "), ("{suite}/suite.toml", "tasks.soma.metricas", "line 24"), "metrics"
    ),
    "unknown placeholder": Bad(
        swap(TOML, "{historia}", "{história}"), ("{suite}/suite.toml", "tasks.soma.prompt", "{história}"), "'historia'"
    ),
    "task without metric": Bad(
        swap(TOML, 'metrics = ["accuracy"]\nby', "by"), ("{suite}/suite.toml", "tasks.soma.metrics"), '["accuracy"]'
    ),
    "future format": Bad(swap(TOML, "format = 1", "format = 2"), ("{suite}/suite.toml", "format", "line 1"), "upgrade"),
    "no TOML": Bad(swap(TOML, 'mode = "generate"', "mode = generate"), ("{suite}/suite.toml", "line 16"), "quotes"),
    "missing field": Bad(change(2, historia=None), ("{suite}/soma.jsonl", "line 3", "'historia'"), "to the item"),
    "one option": Bad(change(4, options=["9"], gold=0), ("{suite}/soma.jsonl", "line 5", "one option"), "at least two"),
    "gold out of range": Bad(change(1, gold=4), ("{suite}/soma.jsonl", "line 2", "gold"), "0"),
    "duplicate ids": Bad(change(5, id="s001"), ("{suite}/soma.jsonl", "line 6", "s001", "line 2"), "id"),
    "no JSON": Bad(swap(ITEMS, '"id": "s002"', '"id": s002'), ("{suite}/soma.jsonl", "line 3"), "JSON"),
    "wrong sha256": Bad(pinned, ("{suite}/soma.jsonl", "sha256", "0" * 64), "suite.toml"),
    "invalid UTF-8": Bad(
        write(ITEMS, '{"id": "é"}\n'.encode("latin-1")), ("{suite}/soma.jsonl", "line 1", "0xE9"), "UTF-8"
    ),
    "invalid UTF-8 in suite.toml": Bad(
        write(TOML, 'format = 1\nname = "é"\n'.encode("latin-1")), ("{suite}/suite.toml", "line 2"), "UTF-8"
    ),
    "UTF-16": Bad(write(ITEMS, "{}\n".encode("utf-16")), ("{suite}/soma.jsonl", "line 1", "UTF-16"), "UTF-8"),
    "empty file": Bad(write(ITEMS, b""), ("{suite}/soma.jsonl",), "one JSON object per line"),
    "empty suite.toml": Bad(write(TOML, b""), ("{suite}/suite.toml", "format"), "format = 1"),
    "50 MB line": Bad(long_line, ("{suite}/soma.jsonl", "line 9", "50,0"), "one item per line"),
    "lists without end": Bad(
        swap(TOML, "format = 1", "format = 1\nx = " + "[" * 9000), ("{suite}/suite.toml", "too deep"), "needs neither"
    ),
    "tables without end": Bad(
        swap(TOML, "format = 1", "format = 1\n" + "a." * 9000 + "b = 1"), ("{suite}/suite.toml", "too deep"), "neither"
    ),
    "number without end": Bad(
        swap(TOML, "format = 1", "format = 1\nx = " + "9" * 5000), ("{suite}/suite.toml", "too many digits"), "neither"
    ),
    "path with a NUL": Bad(
        swap(TOML, '"soma.jsonl"', '"so\\u0000ma.jsonl"'), ("{suite}/suite.toml", "control characters"), "files"
    ),
    "URL with a line break": Bad(
        swap(TOML, '"soma.jsonl"', '{ url = "http://127.0.0.1:9/x\\ny", sha256 = "' + "0" * 64 + '" }'),
        ("{suite}/suite.toml", "control characters"),
        "files",
    ),
    "URL without a file": Bad(
        swap(TOML, '"soma.jsonl"', '{ url = "http://127.0.0.1:9/..", sha256 = "' + "0" * 64 + '" }'),
        ("{suite}/suite.toml", "does not end in a file name"),
        "files",
    ),
    "pipe in place of items": Bad(pipe, ("{suite}/soma.jsonl", "a pipe or a device"), "suite.toml"),
    "missing items": Bad(lambda suite: (suite / ITEMS).unlink(), ("{suite}/soma.jsonl",), "suite.toml"),
    "folder without suite.toml": Bad(lambda suite: (suite / TOML).unlink(), ("{suite}",), "suite.toml"),
    "unknown suite": Bad(nothing, ("masalbanch",), "masalbench", ("run", "masalbanch", "-m", "baseline/first")),
    "unknown source": Bad(
        nothing, ("'masalbench'", "oficial"), "official", ("run", "masalbench", "-m", "local", "--source", "oficial")
    ),
    "unknown task": Bad(
        nothing, ("'contas'", "somma"), "soma", ("run", "{suite}", "-m", "baseline/first", "-t", "somma")
    ),
    "unknown kind of model": Bad(
        nothing, ("opnai/gpt", "Did you mean openai/gpt?"), "Names of models", ("run", "{suite}", "-m", "opnai/gpt")
    ),
    "unknown baseline": Bad(nothing, ("logest",), "baseline/longest", ("run", "{suite}", "-m", "baseline/logest")),
    "model that is only a kind": Bad(nothing, ("openai",), "openai/NAME", ("run", "{suite}", "-m", "openai")),
    "missing key": Bad(nothing, ("OPENAI_API_KEY",), "export OPENAI_API_KEY", ("run", "{suite}", "-m", "openai/gpt")),
    "key in place of its variable": Bad(
        nothing, ("--api-key-env",), "MY_KEY", ("run", "{suite}", "-m", "openai/x", "--api-key-env", "sk-12-ab-secret")
    ),
    "no URL": Bad(
        nothing, ("localhost:8000",), "http://", ("run", "{suite}", "-m", "vllm/x", "--base-url", "localhost:8000")
    ),
    "file of ids that is not there": Bad(
        nothing, ("ids.txt",), "one id a line", ("run", "{suite}", "-m", "baseline/first", "--items", "ids.txt")
    ),
    "limit and first": Bad(
        nothing,
        ("--limit", "--first"),
        "first",
        ("run", "{suite}", "-m", "baseline/first", "--limit", "2", "--first", "2"),
    ),
    "limit of 0": Bad(nothing, ("--limit 0",), "1 or more", ("run", "{suite}", "-m", "baseline/first", "--limit", "0")),
    "concurrency of 0": Bad(
        nothing, ("concurrency",), "1 or more", ("run", "{suite}", "-m", "baseline/first", "--concurrency", "0")
    ),
    "extra body that is no JSON": Bad(
        nothing, ("--extra-body",), "JSON", ("run", "{suite}", "-m", "openai/x", "--extra-body", "[1]")
    ),
    "extra body that JSON cannot say": Bad(
        nothing, ("--extra-body", "NaN"), "JSON", ("run", "{suite}", "-m", "openai/x", "--extra-body", '{{"a": NaN}}')
    ),
    "host that cannot be looked up": Bad(
        nothing,
        ("not reachable", "No connection"),
        "label",
        ("run", "{suite}", "-m", "vllm/x", "--base-url", f"http://{'a' * 70}.invalid/v1"),
    ),
    "max cost without prices": Bad(
        nothing, ("--max-cost", "vllm/x"), "--prices", ("run", "{suite}", "-m", "vllm/x", "--max-cost", "1")
    ),
    "item that is not there": Bad(nothing, ("no such items: soma/s999",), "TASK/ID", ("show", "{suite}", "soma/s999")),
    "item without a task": Bad(nothing, ("'s001'",), "soma", ("show", "{suite}", "s001")),
    "no run folder": Bad(nothing, ("{suite}/run.json",), "run.json", ("report", "{suite}")),
    "export of no run folder": Bad(nothing, ("{suite}/run.json",), "run.json", ("export", "{suite}")),
    "rescoring no run folder": Bad(nothing, ("{suite}/run.json",), "run.json", ("rescore", "{suite}")),
    "preparing another model": Bad(nothing, ("llama",), "prepare local", ("models", "prepare", "llama")),
    "pulling an unknown suite": Bad(nothing, ("alba2",), "alba", ("data", "pull", "alba2")),
    "misspelt command": Bad(nothing, ("'rnu'",), "run", ("rnu",)),
    "misspelt option": Bad(nothing, ("--modle",), "--model", ("run", "{suite}", "--modle", "local")),
    "value that is none of the choices": Bad(
        nothing, ("--protocol",), "published", ("run", "{suite}", "-m", "local", "--protocol", "paper")
    ),
}


@pytest.fixture(autouse=True)
def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)


def assert_is_a_message(ended: Ended, *parts: str) -> None:
    assert ended.code == 2, ended
    assert ended.out == ""
    assert "Traceback" not in ended.err
    # typer breaks its own messages into lines, in a box
    flat = " ".join(ended.err.replace("│", " ").split())
    for part in parts:
        assert part in flat, ended.err


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_file_place_and_remedy(name: str, suite: Path) -> None:
    bad = BAD[name]
    bad.spoil(suite)
    ended = sotaque(*(part.format(suite=suite) for part in bad.command))
    # Only the braces of {suite} stand for something.
    assert_is_a_message(ended, *(part.replace("{suite}", str(suite)) for part in bad.place))
    message, *rest = ended.err.strip().split("\n  ", 1)
    assert bad.remedy in (rest[0] if message.startswith("error:") else ended.err)
    assert not (suite.parent / "runs").exists()


def test_all_broken_rows_are_listed_at_once(suite: Path) -> None:
    for spoil in (change(1, gold=9), change(3, options=["um"], gold=0), change(6, id="s000")):
        spoil(suite)
    ended = sotaque("show", suite)
    assert ended.code == 2
    for line in ("line 2", "line 4", "line 7"):
        assert line in ended.err


def test_a_bom_is_no_fault(suite: Path) -> None:
    for file in (TOML, ITEMS):
        (suite / file).write_bytes(b"\xef\xbb\xbf" + (suite / file).read_bytes())
    assert sotaque("run", suite, "-m", "baseline/oracle").code == 0


# ---------------------------------------------------------------- what is not installed, writable, or large enough


@pytest.mark.parametrize(
    ("module", "extra", "command"),
    [
        ("pyarrow", "parquet", ("export", "{run}", "--to", "parquet")),
        ("torch", "local", ("run", "{suite}", "-m", "local")),
        ("transformers", "local", ("run", "{suite}", "-m", "hf/some/model")),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    module: str, extra: str, command: tuple[str, ...], suite: Path, tmp_path: Path
) -> None:
    """In a process in which the import system does not find the package, as on a computer that lacks it."""
    assert sotaque("run", suite, "-m", "baseline/first", "--out", "made").code == 0
    (run,) = (tmp_path / "made").iterdir()
    (tmp_path / "hide").mkdir()
    hiding = (
        "import importlib.util as u, sys; find = u.find_spec; "
        f"u.find_spec = lambda name, *a: None if name == {module!r} else find(name, *a); sys.modules[{module!r}] = None"
    )
    (tmp_path / "hide" / "sitecustomize.py").write_text(hiding, encoding="utf-8")
    places = os.pathsep.join([str(tmp_path / "hide"), str(ROOT / "src")])
    ended = finish(start(*(part.format(run=run, suite=suite) for part in command), PYTHONPATH=places))
    assert_is_a_message(ended, f"needs the extra '{extra}'", f"pip install 'sotaque[{extra}]'")


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder in which nobody may write, reached by any user."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "runs").mkdir()
    (folder / "home").mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def as_ordinary_user() -> Iterator[None]:
    """Root may write everywhere; so these commands run as nobody."""
    if os.name != "posix":
        pytest.skip("file permissions work differently here")
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)


def test_a_read_only_runs_folder_is_named_and_the_replies_are_kept(read_only: Path, monkeypatch, request) -> None:
    suite = write_suite(read_only / "contas")
    (read_only / "runs").chmod(0o555)
    (read_only / "home").chmod(0o777)
    monkeypatch.setenv("SOTAQUE_HOME", str(read_only / "home"))
    monkeypatch.chdir(read_only)
    request.getfixturevalue("as_ordinary_user")
    ended = sotaque("run", suite, "-m", "baseline/first", "--out", read_only / "runs")
    assert_is_a_message(ended, f"{read_only}/runs", "permission denied", "run again: all replies are stored")
    assert _stored(read_only / "home" / "replies.sqlite") == 8


def test_a_read_only_home_folder_is_named(read_only: Path, monkeypatch, request) -> None:
    suite = write_suite(read_only / "contas")
    (read_only / "home").chmod(0o555)
    monkeypatch.setenv("SOTAQUE_HOME", str(read_only / "home"))
    monkeypatch.chdir(read_only)
    request.getfixturevalue("as_ordinary_user")
    ended = sotaque("run", suite, "-m", "baseline/first")
    assert_is_a_message(ended, f"{read_only}/home/replies.sqlite", "SOTAQUE_HOME")


def test_a_full_disk_ends_the_run_with_a_remedy_and_keeps_what_was_stored(tmp_path: Path, monkeypatch) -> None:
    suite = write_suite(tmp_path / "muitas", 200)
    monkeypatch.setattr(running, "Store", partial(Store, max_pages=24))
    store = Path(os.environ["SOTAQUE_HOME"]) / "replies.sqlite"
    command = ("run", suite, "-m", "vllm/toy", "--reuse")
    with FaultServer(always(chat("B"))) as server:
        ended = sotaque(*command, "--base-url", server.url)
        assert_is_a_message(ended, str(store), "free some disk space", "run the same command again")
        kept = _stored(store)
        assert 0 < kept < 200
        assert not (tmp_path / "runs").exists()
        monkeypatch.setattr(running, "Store", Store)
        asked = len(server.posts)
        assert sotaque(*command, "--base-url", server.url).code == 0
    assert len(server.posts) - asked == 200 - kept


def _stored(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0]
    finally:
        connection.close()


# ---------------------------------------------------------------- hostile text

EVIL = "\x1b]0;evil\x07\x1b[2J[/red][bold]\u202e"


def without_controls(ended: Ended) -> str:
    said = ended.out + ended.err
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize(
    "command", [("suites", "{suite}"), ("show", "{suite}"), ("data", "pull", "{suite}", "--source", "own")]
)
def test_text_of_a_suite_neither_steers_the_terminal_nor_is_markup(command: tuple[str, ...], suite: Path) -> None:
    evil = json.dumps(EVIL)
    swap(TOML, '"Contas de cabeça"', evil)(suite)
    swap(TOML, '"Quanto é a soma?"', evil)(suite)
    swap(TOML, '"a test"', evil)(suite)
    swap(TOML, "max_tokens = 32", f"max_tokens = 32\nstop = [{evil}]\nwhy = {evil}")(suite)
    ended = sotaque(*(part.format(suite=suite) for part in command))
    assert ended.code == 0
    assert "\\x1b[2J[/red]" in without_controls(ended).replace("\n", "")


@pytest.mark.parametrize("answer", [status(401, EVIL), status(404, f"no model {EVIL}"), status(400, EVIL)], ids=str)
def test_errors_of_a_server_do_not_steer_the_terminal(answer: Answer, suite: Path) -> None:
    gets = {"/v1/models": models("toy", EVIL)}
    with FaultServer(always(answer), gets) as server:
        said = without_controls(sotaque("run", suite, "-m", "vllm/[/toy", "--base-url", server.url))
    assert "\\x1b[2J" in said
