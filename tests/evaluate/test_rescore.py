"""Scoring stored replies anew: equal to the run, without a model, and plain about what is missing or has changed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fault_server import FaultServer, always, by_text, chat, status
from own_suites import TOML, write_suite
from sotaque.engine.pace import Settings
from sotaque.engine.store import Store
from sotaque.errors import RunFolderError, StoreError, UsageError
from sotaque.evaluate.evaluate import Desk, evaluate, rescore
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.records import Outcome, RunSpec
from sotaque.runs import RunFolder, read_run
from sotaque.suites.suite import load_suite

PRIVATE = TOML.replace('share = "yes"', 'share = "no"')
FAST = Settings(tries=1, reuse=True)


def asked(desk: Desk, suite: Path, behaviour=None, **given) -> RunFolder:
    with FaultServer(behaviour or always(chat("Acho que é a letra B."))) as server:
        model = open_model("vllm/toy", ModelOptions(base_url=server.url))
        spec = RunSpec(suite=str(suite), model="vllm/toy", **given)
        return evaluate(load_suite(suite), model, spec, replace(desk, settings=FAST))


def edit(suite: Path, file: str, before: str, after: str) -> None:
    text = (suite / file).read_text(encoding="utf-8")
    assert before in text
    (suite / file).write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture(params=[TOML, PRIVATE], ids=["texts in the folder", "texts in the store only"])
def suite(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_suite(tmp_path / "contas", toml=request.param)


@pytest.mark.parametrize("given", [{}, {"permute": True}, {"shuffle": 3, "repeat": 2}, {"limit": 3}])
def test_rescoring_equals_the_run_and_asks_nothing(given, suite: Path, desk: Desk) -> None:
    run = asked(desk, suite, **given)  # its server is gone by now
    again = rescore(run, load_suite(suite), desk)
    assert again.path != run.path
    assert again.samples == run.samples
    assert again.summary == run.summary
    assert again.manifest == run.manifest.model_copy(update={"rescored_from": run.path.name})


def test_a_scoring_rule_that_changed_gives_new_outcomes_and_another_scoring_hash(suite: Path, desk: Desk) -> None:
    run = asked(desk, suite, always(chat("Γ, a terceira.")))
    assert {sample.score.outcome for sample in run.samples} == {Outcome.INVALID}
    edit(suite, "suite.toml", 'labels = "A B C D"', 'labels = "Α Β Γ Δ"')
    again = rescore(run, load_suite(suite), desk)
    assert {sample.score.read for sample in again.samples} == {"Γ"}
    assert {sample.score.picked for sample in again.samples} == {2}
    for after, before in zip(again.samples, run.samples, strict=True):
        assert after.scoring_hash != before.scoring_hash
        assert (after.item_hash, after.prompt_hash) == (before.item_hash, before.prompt_hash)


def test_failures_stay_failures(suite: Path, desk: Desk) -> None:
    run = asked(desk, suite, by_text({"Lúcia": status(400, "fora do tema")}, chat("B")))
    again = rescore(run, load_suite(suite), desk)
    assert again.summary.tasks["soma"].outcomes[Outcome.ERROR] == 2
    assert again.samples == run.samples


def test_an_item_that_changed_since_is_reported_by_name(suite: Path, desk: Desk) -> None:
    run = asked(desk, suite)
    edit(suite, "soma.jsonl", "Lúcia colheu 5 ", "Lúcia colheu 55 ")
    with pytest.raises(RunFolderError, match="item soma/s002 has changed since the run") as refused:
        rescore(run, load_suite(suite), desk)
    assert "run again" in refused.value.remedy


def test_an_item_that_was_removed_is_reported_by_name(suite: Path, desk: Desk) -> None:
    run = asked(desk, suite)
    lines = (suite / "soma.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (suite / "soma.jsonl").write_text("".join(lines[:5] + lines[6:]), encoding="utf-8")
    with pytest.raises(RunFolderError, match="item soma/s005 is not in the suite any more") as refused:
        rescore(run, load_suite(suite), desk)
    assert refused.value.remedy


def test_a_task_that_was_removed_is_reported_by_name(suite: Path, desk: Desk) -> None:
    run = asked(desk, suite)
    edit(suite, "suite.toml", "[tasks.soma]", "[tasks.adicao]")
    edit(suite, "suite.toml", "[tasks.soma.protocol", "[tasks.adicao.protocol")
    edit(suite, "suite.toml", '"soma"]', '"adicao"]')
    edit(suite, "suite.toml", 'twin = "soma"', 'twin = "adicao"')
    with pytest.raises(UsageError, match="has no task 'soma'"):
        rescore(run, load_suite(suite), desk)


def test_replies_that_another_store_holds_are_missed_by_name(tmp_path: Path, desk: Desk) -> None:
    suite = write_suite(tmp_path / "contas", toml=PRIVATE)
    run = asked(desk, suite)
    with Store(tmp_path / "other.sqlite") as store, pytest.raises(StoreError) as refused:
        rescore(run, load_suite(suite), replace(desk, store=store))
    assert "holds no reply" in refused.value.message and "soma/s000" in refused.value.message
    assert "SOTAQUE_HOME" in refused.value.remedy


def test_a_folder_with_texts_needs_no_store(tmp_path: Path, desk: Desk) -> None:
    suite = write_suite(tmp_path / "contas")
    run = asked(desk, suite)
    with Store(tmp_path / "other.sqlite") as store:
        assert rescore(run, load_suite(suite), replace(desk, store=store)).samples == run.samples


def test_a_suite_under_the_home_folder_is_found_again(tmp_path: Path, desk: Desk, monkeypatch) -> None:
    """run.json writes the home folder as ~, so that a shared folder does not tell who ran it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    suite = write_suite(tmp_path / "contas")
    run = read_run(asked(desk, suite, source=str(suite)).path)
    written = json.loads((run.path / "run.json").read_text(encoding="utf-8"))["spec"]
    assert (written["suite"], written["source"]) == ("~/contas", "~/contas")
    assert rescore(run, load_suite(run.manifest.spec.suite), desk).samples == run.samples


def test_a_sample_of_a_task_that_the_run_does_not_have_is_refused(suite: Path, desk: Desk) -> None:
    run = asked(desk, suite)
    edit(run.path, "samples.jsonl", '"task":"soma"', '"task":"outra"')
    with pytest.raises(RunFolderError, match="task 'outra' is not in run.json"):
        rescore(read_run(run.path), load_suite(suite), desk)
