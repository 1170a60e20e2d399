"""Every command: help, output for people and for machines, encodings, closed pipes."""

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from cli_tree import commands, leaves, options
from command_line import command, environment, finish, sotaque, start
from fault_server import FaultServer, always, chat
from own_suites import write_suite
from sotaque import __version__
from sotaque.suites.catalog import bundled_folder

TREE = dict(commands())


# ---------------------------------------------------------------- help


@pytest.mark.parametrize("path", TREE, ids=lambda path: " ".join(path) or "sotaque")
def test_every_command_has_help_for_itself_and_for_each_option(path: tuple[str, ...]) -> None:
    found = TREE[path]
    assert found.help and found.help.strip().endswith(".")
    for each in found.params:
        assert each.help, f"{each.name} has no help"
    ended = sotaque(*path, "--help")
    assert (ended.code, ended.err) == (0, "")
    for name in options(found):
        assert name in ended.out
    assert sotaque(*path, "-h") == ended


def test_the_commands_are_those_of_the_design() -> None:
    assert {" ".join(path) for path in leaves()} == {
        "run", "suites", "show", "models", "models prepare", "data pull", "report", "rescore", "export",
    }  # fmt: skip


@pytest.mark.parametrize("path", [(), ("data",)])
def test_a_group_alone_shows_its_commands(path: tuple[str, ...]) -> None:
    ended = sotaque(*path)
    assert "Usage" in ended.out + ended.err
    assert "pull" in ended.out + ended.err or "rescore" in ended.out + ended.err


def test_version() -> None:
    assert sotaque("--version").out == f"sotaque {__version__}\n"


def test_start_up_loads_nothing_heavy() -> None:
    heavy = ("torch", "transformers", "scipy", "numpy", "aiohttp", "pyarrow", "pydantic")
    code = f"import sys, sotaque.cli.main; print([name for name in {heavy!r} if name in sys.modules])"
    assert subprocess.check_output([command()[0], "-c", code], env=environment(), text=True) == "[]\n"


# ---------------------------------------------------------------- lists


def test_suites_are_listed_with_tasks_sources_licence_and_review() -> None:
    out = sotaque("suites").out
    for part in (
        "masalbench",
        "* contextual ",
        "contextual_prob",
        "source official",
        "licence: CC-BY-4.0",
        "unreviewed",
    ):
        assert part in out


def test_suites_as_json() -> None:
    found = {suite["name"]: suite for suite in json.loads(sotaque("suites", "--json").out)}["masalbench"]
    assert found["tasks"]["contextual"]["default"] and not found["tasks"]["contextual_prob"]["default"]
    assert found["sources"]["official"]["provenance"]["share"] == "unknown"


def test_models_are_listed_with_the_variables_of_their_keys() -> None:
    out = sotaque("models").out
    for part in ("openai/NAME", "OPENAI_API_KEY", "maritaca/NAME", "hf/ID-or-PATH", "local", "baseline/NAME"):
        assert part in out


def test_a_suite_is_shown_with_both_protocols_and_its_first_items() -> None:
    out = sotaque("show", "masalbench").out
    for part in ("published", "default", "max_tokens", "contextual/c01", "12 items"):
        assert part in out


# ---------------------------------------------------------------- one item, as it would be sent


def first_item() -> dict[str, str]:
    lines = (bundled_folder("masalbench") / "contextual.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(lines[0])


def shown_body(*more: object) -> tuple[str, dict]:
    ended = sotaque("show", "masalbench", "contextual/c01", *more)
    assert ended.code == 0, ended.err
    head, body = ended.out.split("\n", 1)
    return head, json.loads(body)


def test_a_persian_item_is_shown_in_persian_as_the_body_that_would_be_sent() -> None:
    ended = sotaque("show", "masalbench", "contextual/c01", "--model", "openai/gpt-x")
    item = first_item()
    for line in item["dialogue"].splitlines():
        assert line in ended.out
    assert "الف) " + item["options"][0]["text"] in ended.out
    head, body = shown_body("--model", "openai/gpt-x")
    assert head == "POST https://api.openai.com/v1/chat/completions"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("gpt-x", 0.0, 64)


def test_what_is_shown_is_what_a_server_then_receives() -> None:
    with FaultServer(always(chat("ب"))) as server:
        target = ("--model", "vllm/toy", "--base-url", server.url)
        _, body = shown_body(*target)
        Path("ids.txt").write_text("# só uma\ncontextual/c01\n", encoding="utf-8")
        assert sotaque("run", "masalbench", *target, "-t", "contextual", "--items", "ids.txt").code == 0
        (seen,) = server.posts
    assert seen.body == body


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        (("--protocol", "published"), "max_tokens", 5),
        (("--max-tokens", "7"), "max_tokens", 7),
        (("--as", "text"), "prompt", None),
    ],
)
def test_options_of_show_shape_what_is_shown(given: tuple[str, ...], field: str, value: object) -> None:
    _, body = shown_body(*given)
    assert field in body
    assert value is None or body[field] == value


def test_the_rules_of_an_item_are_shown_beside_what_is_sent() -> None:
    shown = sotaque("show", "alba", "word_plays/word_plays-2", "--model", "openai/NAME")
    assert (shown.code, "check: acrostic (word LUME) of the verses" in shown.err) == (0, True)
    assert "acrostic" not in shown.out


def test_a_shuffled_item_is_shown_shuffled() -> None:
    (_, plain), (_, shuffled) = shown_body(), shown_body("--shuffle", "5")
    assert plain != shuffled
    lines = [
        set(re.sub(r"(?m)^\S+\) ", "", body["messages"][-1]["content"]).splitlines()) for body in (plain, shuffled)
    ]
    assert lines[0] == lines[1]


# ---------------------------------------------------------------- run, report, rescore, export


def test_json_is_one_document_and_nothing_else(suite: Path) -> None:
    ended = sotaque("run", suite, "-m", "baseline/longest", "-m", "baseline/chance", "--json")
    found = json.loads(ended.out)
    assert (ended.code, ended.err) == (0, "")
    assert [run["manifest"]["model"]["name"] for run in found["runs"]] == ["baseline/longest", "baseline/chance"]
    assert found["runs"][1]["summary"]["tasks"]["soma"]["metrics"]["accuracy"]["value"] == 0.25


def test_a_run_says_where_it_is_kept_and_report_prints_the_same_table_again(suite: Path) -> None:
    ran = sotaque("run", suite, "-m", "baseline/longest")
    (folder,) = Path("runs").iterdir()
    assert f"Kept in runs/{folder.name}" in " ".join(ran.out.split())
    assert sotaque("report", folder).out == ran.out
    assert json.loads(sotaque("report", folder, "--json").out)["runs"][0]["folder"] == str(folder)


def test_every_suite_on_every_model_is_one_run_and_one_folder(suite: Path) -> None:
    ended = sotaque("run", f"{suite}, masalbench", "-m", "baseline/first", "-m", "baseline/oracle", "--limit", "2")
    assert ended.code == 0
    assert len(list(Path("runs").iterdir())) == 4
    assert "Contas de cabeça" in ended.out and "MasalBench" in ended.out


def test_rescoring_writes_another_folder_with_the_same_samples(suite: Path) -> None:
    sotaque("run", suite, "-m", "baseline/longest", "--out", "first")
    (folder,) = Path("first").iterdir()
    ended = sotaque("rescore", folder, "--out", "again", "--json")
    assert ended.code == 0, ended.err
    (again,) = Path("again").iterdir()
    assert (again / "samples.jsonl").read_bytes() == (folder / "samples.jsonl").read_bytes()
    assert json.loads(ended.out)["runs"][0]["manifest"]["rescored_from"] == folder.name


def test_a_suite_that_moved_is_named_for_rescoring(suite: Path) -> None:
    sotaque("run", suite, "-m", "baseline/longest", "--out", "first")
    (folder,) = Path("first").iterdir()
    suite.rename("elsewhere")
    missing = sotaque("rescore", folder)
    assert missing.code == 2 and str(suite) in missing.err
    assert sotaque("rescore", folder, "--suite", "elsewhere").code == 0


def test_export_writes_a_row_for_each_sample(suite: Path) -> None:
    sotaque("run", suite, "-m", "baseline/longest")
    (folder,) = Path("runs").iterdir()
    ended = sotaque("export", folder)
    assert ended.out == "samples.csv: 8 rows\n"
    with Path("samples.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == [f"s00{number}" for number in range(8)]


def test_a_private_copy_is_marked_and_stays_marked(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "contas")
    text = (suite / "suite.toml").read_text(encoding="utf-8").replace('share = "yes"', 'share = "no"')
    (suite / "suite.toml").write_text(text, encoding="utf-8")
    with FaultServer(always(chat("É a B, disse Zé."))) as server:
        target = (suite, "-m", "vllm/toy", "--base-url", server.url, "--reuse")
        bare = sotaque("run", *target, "--out", "bare")
        private = sotaque("run", *target, "--out", "private", "--with-items")
    texts = {
        name: (next(Path(name).iterdir()) / "samples.jsonl").read_text(encoding="utf-8") for name in ("bare", "private")
    }
    assert "disse Zé" in texts["private"] and "disse Zé" not in texts["bare"]
    assert "private" in private.out.lower() and "private" not in bare.out.lower()
    (folder,) = Path("private").iterdir()
    assert "private" in sotaque("rescore", folder, "--out", "again").out.lower()


def test_a_plan_sends_nothing_and_prices_what_it_would_take(suite: Path) -> None:
    Path("prices.toml").write_text(
        'currency = "BRL"\n[prices."vllm/toy"]\nprompt = 10\ncompletion = 20\n', encoding="utf-8"
    )
    with FaultServer(always(chat("B"))) as server:
        target = (suite, "-m", "vllm/toy", "--base-url", server.url, "--plan")
        table = sotaque("run", *target)
        found = json.loads(sotaque("run", *target, "--prices", "prices.toml", "--json").out)
        assert server.seen == []
    assert "Nothing was sent" in table.out and "no price" in table.out
    (row,) = found
    assert (row["suite"], row["model"], row["requests"]) == ("contas", "vllm/toy", 8)
    assert row["completion_tokens_at_most"] == 256
    assert row["cost"] == pytest.approx((row["prompt_tokens"] * 10 + 256 * 20) / 1e6)
    assert row["cost_at_most"] == pytest.approx((row["prompt_tokens_at_most"] * 10 + 256 * 20) / 1e6)
    assert not Path("runs").exists()


def test_a_spent_limit_ends_with_2_and_the_next_run_goes_on(suite: Path) -> None:
    Path("prices.toml").write_text(
        'currency = "BRL"\n[prices."vllm/toy"]\nprompt = 1000\ncompletion = 10000\n', encoding="utf-8"
    )
    with FaultServer(always(chat("B"))) as server:  # 0.042 BRL a reply
        target = (suite, "-m", "vllm/toy", "--base-url", server.url, "--reuse", "--concurrency", "1")
        ended = sotaque("run", *target, "--prices", "prices.toml", "--max-cost", "0.6")
        assert ended.code == 2
        assert "--max-cost 0.6 BRL: 0." in ended.err and "higher limit" in ended.err
        assert 0 < len(server.posts) < 8
        finished = sotaque("run", *target, "--prices", "prices.toml", "--max-cost", "10")
        assert finished.code == 0
        assert "cost 0." in finished.out and "BRL now, 0.3360 in all" in " ".join(finished.out.split())
        assert len(server.posts) == 8


def test_pulling_data_shows_licence_citation_and_size_before_it_asks(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "downloads"))
    ended = finish(start("data", "pull", "masalbench"))  # nobody to answer
    assert ended.code == 2
    for part in ("not stated", "cite:", "1,748,765 bytes", "493841a6eaf1"):
        assert part in ended.out
    assert "nothing was downloaded" in ended.err and "--yes" in ended.err
    assert not (tmp_path / "downloads").exists()


# ---------------------------------------------------------------- where output goes


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""},
        {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": ""},
    ],
    ids=lambda locale: " ".join(f"{name}={value}" for name, value in locale.items()),
)
def test_persian_never_breaks_a_stream_that_cannot_show_it(locale: dict[str, str]) -> None:
    for arguments in (("show", "masalbench", "contextual/c01"), ("run", "masalbench", "-m", "baseline/first")):
        process = subprocess.run(command(*arguments), env=environment(**locale), capture_output=True, check=False)
        assert process.returncode == 0, process.stderr
        assert b"Traceback" not in process.stderr
        if arguments[0] == "show":
            said = process.stdout.decode("utf-8").split("\n", 1)[1]
            content = json.loads(said)["messages"][-1]["content"]
            assert first_item()["dialogue"] in content  # JSON stays JSON, and the same text


def test_a_file_name_that_is_no_utf8_is_named_in_the_message(tmp_path: Path) -> None:
    if os.name != "posix":
        pytest.skip("file names are text here")
    process = subprocess.run(
        [*map(os.fsencode, command("show")), b"caf\xe9"], env=environment(), capture_output=True, check=False
    )
    assert process.returncode == 2
    assert rb"there is no suite 'caf\udce9'" in process.stderr


def test_output_that_is_no_terminal_has_no_colours_and_no_bar(suite: Path) -> None:
    ended = finish(start("run", suite, "-m", "baseline/first"))
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
@pytest.mark.parametrize("arguments", [("suites",), ("suites", "--json"), ("show", "masalbench", "contextual/c01")])
def test_a_reader_that_goes_away_is_no_error(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        command(*arguments), env=environment(), stdout=writing, stderr=subprocess.PIPE, check=False, text=True
    )
    os.close(writing)
    assert process.returncode == 0, process.stderr
    assert "Traceback" not in process.stderr and "BrokenPipe" not in process.stderr
