"""A suite of 27 tasks stays readable: one line each, and details only where there is more to say."""

import dataclasses

from run_folders import manifest
from scored_samples import sample
from sotaque.records import Finish, Metric, Outcome, RunSpec
from sotaque.report.machine import to_json
from sotaque.report.table import plain_text
from sotaque.runs import write_run
from sotaque.stats.intervals import exact, proportion
from sotaque.summary import TaskFacts, notices, summarise
from sotaque.summary.results import AverageFacts

NAMES = [f"pt_tarefa_{n:02}_{kind}" for n in range(12) for kind in ("gen", "prob")] + ["pt_a", "pt_b", "pt_c"]


def facts(name: str) -> TaskFacts:
    twin = name.replace("_gen", "_prob") if name.endswith("_gen") else ""
    return TaskFacts(
        mode="choose" if name.endswith("_prob") else "generate",
        metrics=(Metric.EXACT_MATCH if name == "pt_a" else Metric.ACCURACY,),
        chance=exact(0.25, 40),
        baselines={"baseline/longest": proportion([1.0] * 30 + [0.0] * 10) if name == "pt_b" else exact(0.25, 40)},
        twin=twin,
        shots=5 if name.endswith("_gen") else 0,
        source=name.rsplit("_", 1)[0],
    )


def many(folder):
    rows = []
    for name in NAMES:
        metric = "exact_match" if name == "pt_a" else "accuracy"
        for i in range(40):
            right = i < (11 if name == "pt_c" else 30)
            outcome = Outcome.CORRECT if right else Outcome.TRUNCATED if name == "pt_b" else Outcome.WRONG
            finish = Finish.LENGTH if outcome is Outcome.TRUNCATED else Finish.STOP
            rows.append(sample(i, outcome, task=name, values={metric: float(right)}, finish=finish))
    task = manifest().tasks["contextual"]
    records = {name: task.model_copy(update={"mode": facts(name).mode}) for name in NAMES}
    averages = {
        "gramatica": AverageFacts("?", tuple(n for n in NAMES if n.endswith("_gen")), "Gen"),
        "gramatica_prob": AverageFacts("?", tuple(n for n in NAMES if n.endswith("_prob")), "Prob"),
    }
    summary = summarise(rows, {name: facts(name) for name in NAMES}, averages)
    made = manifest(tasks=records, spec=RunSpec("brasil", "openai/m-small"))
    return write_run(made, rows, summary, out=folder / "run")


def test_each_task_has_one_line_and_only_the_one_with_something_to_say_has_details(tmp_path):
    text = plain_text([many(tmp_path)], width=100)
    lines = text.splitlines()
    assert len(lines) < 90
    for name in NAMES:
        assert sum(line.strip().startswith(f"{name} ") and "%" in line for line in lines) >= 1, name
    assert [line.split()[0] for line in lines if "30 correct" in line] == ["pt_b"]
    assert "30 correct, 10 cut off" in text


def test_names_are_whole_on_a_narrow_terminal(tmp_path):
    lines = plain_text([many(tmp_path)], width=80).splitlines()
    for name in NAMES:
        assert any(line.strip().startswith(f"{name} ") and "%" in line for line in lines), name


def test_averages_and_twins_stand_below_the_tasks(tmp_path):
    text = plain_text([many(tmp_path)], width=100)
    assert "  Gen\n" in text
    assert "mode and shots: generated minus chosen" in text
    assert "mean of 12 pairs" in text
    assert "exact match" in text


def test_verdicts_are_said_once_with_the_tasks_they_hold_for(tmp_path):
    said = notices(many(tmp_path).summary)
    assert said == (
        "Without reading anything, a simple rule scores far above chance in pt_b (longest 75.0 %): a score near that "
        "shows nothing about understanding.",
        "The score is not distinguishable from the best rule that reads nothing in pt_b.",
        "The score is not distinguishable from chance in pt_c.",
    )


def test_the_json_has_all_of_it(tmp_path):
    run = many(tmp_path)
    text = to_json([run])
    assert '"averages"' in text
    assert '"mode and shots"' in text
    assert dataclasses.asdict(run.summary)["averages"]["gramatica"]["estimate"]["value"] == 0.75


def test_many_names_are_cut_short_in_the_heading(tmp_path):
    run = many(tmp_path)
    tasks = {
        name: task.model_copy(update={"rendering": "text" if task.mode == "choose" else "chat"})
        for name, task in run.manifest.tasks.items()
    }
    cut = dataclasses.replace(run, manifest=run.manifest.model_copy(update={"tasks": tasks}))
    assert "pt_tarefa_02_gen and 12 more; as text:" in " ".join(plain_text([cut], width=200).split())
