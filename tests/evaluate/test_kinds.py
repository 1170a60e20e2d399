"""Whole runs of every kind of task: baselines are worth what arithmetic says, and nothing waits unsaid."""

import dataclasses
import json
from pathlib import Path

import pytest
from sklearn.metrics import f1_score

from command_line import sotaque
from fault_server import FaultServer, always, chat
from kinds_suite import WORDS, write_kinds
from sotaque.engine.store import Store
from sotaque.errors import UnsupportedMode
from sotaque.evaluate.evaluate import Desk, evaluate, rescore
from sotaque.models.baselines import RULES, baseline
from sotaque.records import Outcome, RunSpec
from sotaque.runs import read_run
from sotaque.suites.suite import load_suite
from sotaque.summary import notices

CLASSES = ("nome", "verbo", "advérbio")
GOLDS = [CLASSES.index(kind) for _, kind, _, _ in WORDS]
ALL = ("classe_gen", "classe_prob", "sentido_gen", "sentido_prob", "sentido_letra", "plural", "aberta")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_kinds(tmp_path / "palavras")


@pytest.fixture
def desk(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as store:
        yield Desk(store, runs=tmp_path / "runs")


def run(folder: Path, desk: Desk, rule: str, tasks: tuple[str, ...] = ALL, **spec):
    made = RunSpec(str(folder), f"baseline/{rule}", tasks=tasks, **spec)
    return evaluate(load_suite(folder), baseline(rule), made, desk)


def test_the_oracle_is_right_on_every_task_with_options_or_an_exact_answer(folder: Path, desk: Desk):
    done = run(folder, desk, "oracle")
    assert {name: task.headline.value for name, task in done.summary.tasks.items()} == dict.fromkeys(ALL[:-1], 1.0)
    assert done.manifest.left_out == ("aberta",)


@pytest.mark.parametrize("spec", [{}, {"shuffle": 3}, {"permute": True}, {"repeat": 3}], ids=str)
def test_the_majority_is_the_most_frequent_class_whatever_the_order(folder: Path, desk: Desk, spec):
    done = run(folder, desk, "majority", ("classe_gen", "classe_prob"), **spec).summary
    theirs = f1_score(GOLDS, [0] * len(GOLDS), average="weighted", zero_division=0)
    for task in done.tasks.values():
        assert task.headline.value == pytest.approx(theirs)
        assert task.metrics["accuracy"].value == pytest.approx(GOLDS.count(0) / len(GOLDS))


def test_the_majority_of_open_answers_is_the_most_frequent_one(folder: Path, desk: Desk):
    text = (folder / "termos.jsonl").read_text(encoding="utf-8").replace('"plural": "padarias"', '"plural": "Pães."')
    (folder / "termos.jsonl").write_text(text, encoding="utf-8")
    assert run(folder, desk, "majority", ("plural",)).summary.tasks["plural"].headline.value == pytest.approx(2 / 7)


def test_chance_on_weighted_f1_is_that_of_the_expected_table(folder: Path, desk: Desk):
    """Each class is guessed a third of the time: what scikit-learn says of three guesses per item."""
    tripled = [gold for gold in GOLDS for _ in CLASSES]
    theirs = f1_score(tripled, [0, 1, 2] * len(GOLDS), average="weighted", zero_division=0)
    task = run(folder, desk, "chance", ("classe_gen",)).summary.tasks["classe_gen"]
    assert task.headline.value == pytest.approx(theirs)
    assert task.chance is not None
    assert task.chance.value == pytest.approx(theirs)


def test_baselines_beside_a_score_are_what_they_score_alone(folder: Path, desk: Desk):
    for name in ("longest", "shortest", "first", "majority"):
        alone = run(folder, desk, name)
        for task, summary in alone.summary.tasks.items():
            assert summary.baselines[f"baseline/{name}"] == summary.headline, (name, task)


def test_rules_that_only_look_at_options_are_no_zero_on_open_questions(folder: Path, desk: Desk):
    beside = run(folder, desk, "oracle").summary.tasks["plural"]
    assert (set(beside.baselines), beside.chance) == ({"baseline/majority"}, None)
    for rule in RULES:
        left = run(folder, desk, rule).manifest.left_out
        assert left == (("aberta",) if rule in ("oracle", "majority") else ("plural", "aberta"))
        with pytest.raises(UnsupportedMode, match=f"baseline/{rule} has nothing to say on aberta"):
            run(folder, desk, rule, ("aberta",))


def test_a_limit_changes_no_prompt_and_no_example(folder: Path, desk: Desk):
    hashes = {(s.task, s.item): s.prompt_hash for s in run(folder, desk, "oracle").samples}
    for some in (run(folder, desk, "oracle", limit=3), run(folder, desk, "oracle", first=2)):
        assert some.samples
        assert all(hashes[s.task, s.item] == s.prompt_hash for s in some.samples)


# ---------------------------------------------------------------- a model


def answered(folder: Path, text: str, *options: str):
    with FaultServer(always(chat(text))) as server:
        done = sotaque(
            "run", folder, "-m", "openai/toy", "--base-url", server.url, "--mode", "generate", "--json",
            "--out", folder / "runs", *options,
        )  # fmt: skip
    return done, json.loads(done.out)["runs"][0] if done.out.startswith("{") else {}


def test_unreadable_answers_are_one_more_predicted_class(folder: Path):
    done, found = answered(folder, "não sei dizer")
    task = found["summary"]["tasks"]["classe_gen"]
    assert (done.code, task["metrics"]["weighted_f1"]["value"]) == (0, 0.0)
    assert task["classes"] == list(CLASSES)
    assert task["confusion"] == [[0.0, 0.0, 0.0, GOLDS.count(each)] for each in range(3)]


def test_a_constant_answer_has_the_weighted_f1_that_scikit_learn_gives_it(folder: Path):
    _, found = answered(folder, "Verbo.")
    task = found["summary"]["tasks"]["classe_gen"]
    theirs = f1_score(GOLDS, [1] * len(GOLDS), average="weighted", zero_division=0)
    assert task["metrics"]["weighted_f1"]["value"] == pytest.approx(theirs)
    assert task["metrics"]["weighted_f1"]["method"] == "bootstrap of clusters"
    assert task["not_applicable"] == 0
    assert found["summary"]["tasks"]["plural"]["not_applicable"] == 5


def test_shots_on_both_sides_leave_the_mode_alone(folder: Path, desk: Desk):
    twins = run(folder, desk, "oracle", shots=2).summary.twins
    assert twins is not None
    assert ({pair.shots for pair in twins.pairs}, twins.of) == ({(2, 2)}, "mode")
    assert sotaque("show", folder, "classe_gen/1", "--shots", "2").out.count('"assistant"') == 2
    assert sotaque("run", folder, "-m", "baseline/first", "--shots", "-1").code == 2


def test_run_json_holds_how_examples_were_picked(folder: Path):
    _, found = answered(folder, "nome")
    task = found["manifest"]["tasks"]["classe_gen"]
    assert {name: task["fields"][name] for name in ("shots", "pick", "exclude", "examples", "gold", "classes")} == {
        "shots": 3, "pick": "balanced", "exclude": "cluster", "examples": "exemplos", "gold": "classe",
        "classes": list(CLASSES),
    }  # fmt: skip
    assert task["published"] == {"pick": "first", "exclude": "item", "stop": ["\n\n\n"]}
    assert found["manifest"]["tasks"]["sentido_letra"]["fields"]["examples"] == "termos"
    assert set(found["manifest"]["source"]["files"]) == {"termos", "exemplos"}


def test_answers_that_await_a_judge_have_no_score_and_the_run_is_fine(folder: Path):
    with FaultServer(always(chat("Um ditado é uma frase do povo."))) as server:
        arguments = ("run", folder, "-m", "openai/toy", "--base-url", server.url, "--task", "aberta")
        done = sotaque(*arguments, "--out", folder / "runs")
        assert sotaque(*arguments, "--out", folder / "runs", "--json", "--max-unscored", "0").code == 0
    assert done.code == 0
    assert "awaits a judge" in done.out
    assert "2 awaiting a judge" in done.out
    assert "The answers await a judge: they are kept, and have no score yet." in done.out
    first = read_run(sorted((folder / "runs").iterdir())[0])
    task = first.summary.tasks["aberta"]
    assert (task.awaiting, task.counted, task.headline.value, first.summary.unscored_share) == (2, 0, None, 0.0)
    assert {sample.score.outcome for sample in first.samples} == {Outcome.AWAITING}
    assert notices(first.summary) == ()


def test_awaiting_answers_are_rescored_and_exported(folder: Path, tmp_path: Path):
    with FaultServer(always(chat("Uma frase."))) as server:
        sotaque(
            "run", folder, "-m", "openai/toy", "--base-url", server.url, "--task", "aberta", "--out", tmp_path / "r"
        )
    first = next((tmp_path / "r").iterdir())
    again = sotaque("rescore", first, "--out", tmp_path / "again")
    assert (again.code, "awaits a judge" in again.out) == (0, True)
    assert sotaque("export", first, "--out", tmp_path / "samples.csv").code == 0
    assert (tmp_path / "samples.csv").read_text(encoding="utf-8").count("awaiting_judge") == 2


def test_rescoring_gives_the_same_numbers(folder: Path, desk: Desk):
    first = run(folder, desk, "majority")
    again = rescore(first, load_suite(folder), desk)
    assert again.summary.averages == first.summary.averages
    for name, task in first.summary.tasks.items():
        assert dataclasses.replace(again.summary.tasks[name], median_seconds=0) == dataclasses.replace(
            task, median_seconds=0
        )


# ---------------------------------------------------------------- over tasks


def test_averages_are_plain_means_of_headlines_and_of_averages(folder: Path, desk: Desk):
    done = run(folder, desk, "majority").summary
    heads = {name: task.headline.value for name, task in done.tasks.items()}
    gen = (heads["classe_gen"] + heads["sentido_gen"]) / 2
    prob = (heads["classe_prob"] + heads["sentido_prob"]) / 2
    values = {name: average.estimate.value for name, average in done.averages.items()}
    assert values == pytest.approx({"palavras_gen": gen, "palavras_prob": prob, "tudo": (gen + prob) / 2})
    assert done.averages["tudo"].estimate.clusters == 8


def test_an_average_is_shown_only_when_all_its_parts_were_run(folder: Path, desk: Desk):
    done = run(folder, desk, "majority", ("classe_gen", "sentido_gen", "classe_prob")).summary
    assert list(done.averages) == ["palavras_gen"]


def test_one_side_of_a_pair_alone_makes_no_difference(folder: Path):
    _, found = answered(folder, "nome")
    assert found["summary"]["twins"] is None
    assert "palavras_gen" in found["summary"]["averages"]
