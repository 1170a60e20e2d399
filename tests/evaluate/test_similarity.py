"""Whole runs that measure BERTScore: of a server, of baselines, scored anew, and refused before anything is sent."""

import importlib.util
import json
import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import finish, sotaque, start
from fault_server import FaultServer, by_text, chat, status
from optional_parts import require_module
from sotaque.engine.pace import Settings
from sotaque.errors import MissingExtra, UsageError
from sotaque.evaluate.evaluate import Desk, evaluate, rescore
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.records import Outcome, RunSpec
from sotaque.runs import RunFolder, read_run
from sotaque.scoring.bertscore import f1, find_encoder
from sotaque.suites.schema import Encoder
from sotaque.suites.suite import load_suite
from tiny_encoder import save_encoder

TOML = """\
format = 1
name = "abertas"
title = "Perguntas abertas"
languages = ["pt-BR"]
version = "0.1.0"

[sources.own]
files = { perguntas = "perguntas.jsonl" }
provenance = { author = "a test", review = "unreviewed", licence = "CC0-1.0", share = "yes" }

[tasks.coisas]
about = "O que é isto?"
source = "perguntas"
mode = "generate"
answer = "text"
prompt = "Pergunta: {pergunta}"
metrics = ["bertscore_f1", "exact_match"]
encoder = { model = "ninguem/encoder", layer = 2 }
cluster = "assunto"
"""
PRIVATE = TOML.replace('share = "yes"', 'share = "no"')

ITEMS = [
    ("pão", "O que é pão de queijo?", ["um pãozinho assado com queijo"]),
    ("doce", "O que é brigadeiro?", ["um doce de chocolate", "um docinho de festa"]),
    ("dança", "O que é frevo?", ["uma dança de Pernambuco"]),
    ("dança", "O que é samba?", ["uma dança e um ritmo"]),
    ("rua", "O que é camelô?", ["um vendedor de rua"]),
    ("rua", "O que é orelhão?", ["um telefone de rua"]),
]
WHOLE = {"pão": "um pãozinho com queijo", "brigadeiro": "um docinho de festa", "frevo": "uma casa"}
SAID = {
    "pão de queijo": chat(WHOLE["pão"]),
    "brigadeiro": chat(WHOLE["brigadeiro"]),
    "frevo": chat(WHOLE["frevo"]),
    "samba": chat(""),
    "camelô": chat("um vendedor de", "length"),
    "orelhão": status(400, "fora do tema"),
}


@pytest.fixture(params=[TOML, PRIVATE], ids=["texts in the folder", "texts in the store only"])
def suite(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write(tmp_path / "abertas", request.param)


def write(folder: Path, toml: str = TOML) -> Path:
    folder.mkdir()
    (folder / "suite.toml").write_text(toml, encoding="utf-8")
    rows = [{"assunto": topic, "pergunta": text, "answers": answers} for topic, text, answers in ITEMS]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "perguntas.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_module("bert_score", "torch", "transformers")
    return save_encoder(tmp_path_factory.mktemp("similarity") / "bert", longest=None)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(by_text(SAID, chat("?"))) as running:
        yield running


def asked(desk: Desk, suite: Path, server: FaultServer, **given: object) -> RunFolder:
    model = open_model("vllm/toy", ModelOptions(base_url=server.url))
    spec = RunSpec(suite=str(suite), model="vllm/toy", **given)
    return evaluate(load_suite(suite), model, spec, replace(desk, settings=Settings(tries=1, reuse=True)))


# ---------------------------------------------------------------- a run


def test_a_run_grades_whole_answers_and_counts_all_others_as_nothing(
    suite: Path, encoder: Path, desk: Desk, server: FaultServer
):
    run = asked(desk, suite, server, encoder=str(encoder))
    used = find_encoder(Encoder(model=str(encoder), layer=2))
    values = f1(used, list(WHOLE.values()), [answers for _, _, answers in ITEMS[:3]])
    assert values[1] == pytest.approx(1.0, abs=1e-6)
    found = [sample.score.values.get("bertscore_f1") for sample in run.samples]
    assert found == [*(pytest.approx(min(1.0, value), abs=1e-6) for value in values), 0.0, 0.0, None]
    task = run.summary.tasks["coisas"]
    kinds = {kind: count for kind, count in task.outcomes.items() if count}
    assert kinds == {Outcome.GRADED: 3, Outcome.EMPTY: 1, Outcome.TRUNCATED: 1, Outcome.ERROR: 1}
    assert (task.counted, task.headline.n, task.headline.clusters) == (5, 5, 4)
    assert task.headline.value == pytest.approx(sum(values) / 5, abs=1e-5)
    assert task.headline.method == "t, clustered"
    assert task.metrics["exact_match"].value == pytest.approx(1 / 5)
    assert (task.chance, dict(task.baselines)) == (None, {})
    assert read_run(run.path).summary == run.summary


def test_run_json_says_what_was_used(suite: Path, encoder: Path, desk: Desk, server: FaultServer):
    run = asked(desk, suite, server, encoder=str(encoder))
    record = run.manifest.tasks["coisas"].fields["encoder"]
    assert isinstance(record, dict)
    assert (record["model"], record["layer"], record["rescale"]) == (str(encoder), 2, None)
    assert record["content"] == find_encoder(Encoder(model=str(encoder), layer=2)).content
    assert run.manifest.spec.encoder == str(encoder)


def test_without_clusters_the_interval_is_students(tmp_path: Path, encoder: Path, desk: Desk, server: FaultServer):
    folder = write(tmp_path / "soltas", TOML.replace('cluster = "assunto"\n', ""))
    mark = asked(desk, folder, server, encoder=str(encoder)).summary.tasks["coisas"].headline
    values = [sample.score.values["bertscore_f1"] for sample in read_run(next(desk.runs.iterdir())).samples[:5]]
    half = 2.7764451052 * statistics.stdev(values) / 5**0.5
    assert (mark.low, mark.high) == (
        pytest.approx(max(0.0, statistics.mean(values) - half), abs=1e-6),
        pytest.approx(min(1.0, statistics.mean(values) + half), abs=1e-6),
    )


@pytest.mark.parametrize(("name", "value"), [("oracle", 1.0), ("majority", None)])
def test_baselines_that_write_answers_are_graded_like_any_model(
    name: str, value: float | None, suite: Path, encoder: Path, desk: Desk
):
    spec = RunSpec(suite=str(suite), model=f"baseline/{name}", encoder=str(encoder))
    task = evaluate(load_suite(suite), open_model(f"baseline/{name}"), spec, desk).summary.tasks["coisas"]
    assert task.outcomes[Outcome.GRADED] == len(ITEMS)
    assert task.headline.value is not None
    if value is not None:
        assert task.headline.value == pytest.approx(value, abs=1e-6)
    else:
        assert 1 / len(ITEMS) < task.headline.value < 1


def test_the_table_calls_it_by_its_name(suite: Path, encoder: Path, tmp_path: Path):
    ended = sotaque("run", suite, "--model", "baseline/oracle", "--encoder", encoder, "--out", tmp_path / "runs")
    assert ended.code == 0, ended.err
    assert "BERTScore F1" in ended.out
    assert "6 graded" in ended.out
    assert "100.0 %" in ended.out


# ---------------------------------------------------------------- scored anew


def test_rescoring_equals_the_run_and_asks_nothing(suite: Path, encoder: Path, desk: Desk, server: FaultServer):
    run = asked(desk, suite, server, encoder=str(encoder))
    sent = len(server.posts)
    again = rescore(run, load_suite(suite), desk)
    assert again.samples == run.samples
    assert again.summary == run.summary
    assert again.manifest == run.manifest.model_copy(update={"rescored_from": run.path.name})
    assert len(server.posts) == sent


def test_another_layer_gives_other_values_and_another_scoring_hash(
    suite: Path, encoder: Path, desk: Desk, server: FaultServer
):
    run = asked(desk, suite, server, encoder=str(encoder))
    again = rescore(run, load_suite(suite), desk, encoder_layer=3)
    assert again.samples[0].score.values != run.samples[0].score.values
    assert {sample.scoring_hash for sample in again.samples}.isdisjoint({sample.scoring_hash for sample in run.samples})
    record = again.manifest.tasks["coisas"].fields["encoder"]
    assert isinstance(record, dict)
    assert (record["layer"], again.manifest.spec.encoder_layer) == (3, 3)


def test_rescore_takes_an_encoder_on_the_command_line(tmp_path: Path, encoder: Path, monkeypatch: pytest.MonkeyPatch):
    folder, other = write(tmp_path / "abertas"), save_encoder(tmp_path / "other", layers=4)
    monkeypatch.chdir(tmp_path)
    ended = sotaque("run", folder, "--model", "baseline/majority", "--encoder", encoder)
    assert ended.code == 0, ended.err
    (run,) = Path("runs").iterdir()
    ended = sotaque("rescore", run, "--encoder", other, "--encoder-layer", 4, "--out", "again")
    assert ended.code == 0, ended.err
    (again,) = Path("again").iterdir()
    assert read_run(again).manifest.spec.encoder_layer == 4
    assert read_run(again).summary.tasks["coisas"].headline != read_run(run).summary.tasks["coisas"].headline


# ---------------------------------------------------------------- refused before the first request


def test_without_the_extra_nothing_is_sent(
    suite: Path, desk: Desk, server: FaultServer, monkeypatch: pytest.MonkeyPatch
):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "bert_score" else found(name))
    with pytest.raises(MissingExtra, match=r"task 'coisas'.*\n.*pip install '\.\[bertscore\]'"):
        asked(desk, suite, server)
    assert server.posts == []


def test_a_layer_that_is_not_there_is_refused_before_anything_is_sent(
    suite: Path, encoder: Path, desk: Desk, server: FaultServer
):
    with pytest.raises(UsageError, match="has 3 layers, and layer 9 was asked for"):
        asked(desk, suite, server, encoder=str(encoder), encoder_layer=9)
    assert server.posts == []


def test_without_the_hub_nothing_is_sent_and_the_message_names_the_way_out(
    tmp_path: Path, encoder: Path, server: FaultServer
):
    folder, nowhere = (
        write(tmp_path / "abertas"),
        {"HF_ENDPOINT": "http://127.0.0.1:1", "HF_HOME": str(tmp_path / "hf")},
    )
    given = ("run", folder, "--model", "vllm/toy", "--base-url", server.url, "--out", tmp_path / "runs")
    ended = finish(start(*given, **nowhere))
    assert ended.code == 2
    assert "the encoder ninguem/encoder: the hub cannot be reached" in ended.err
    assert "--encoder FOLDER" in ended.err
    assert server.posts == []


def test_an_encoder_in_the_hubs_cache_is_used_without_the_network(tmp_path: Path, encoder: Path):
    folder, home, commit = write(tmp_path / "abertas"), tmp_path / "hf", "c" * 40
    cached = home / "hub" / "models--ninguem--encoder"
    save_encoder(cached / "snapshots" / commit, longest=None)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit, encoding="ascii")
    given = ("run", folder, "--model", "baseline/oracle", "--out", tmp_path / "runs")
    ended = finish(start(*given, HF_ENDPOINT="http://127.0.0.1:1", HF_HOME=str(home)))
    assert ended.code == 0, ended.err
    (run,) = (tmp_path / "runs").iterdir()
    record = read_run(run).manifest.tasks["coisas"].fields["encoder"]
    assert isinstance(record, dict)
    assert record["model"] == "ninguem/encoder"
    assert record["content"] == find_encoder(Encoder(model=str(encoder), layer=2)).content


def test_a_plan_needs_no_encoder(suite: Path):
    ended = sotaque("run", suite, "--model", "baseline/oracle", "--plan")
    assert ended.code == 0, ended.err
