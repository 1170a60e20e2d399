"""One whole run, top to bottom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sotaque.engine.complete import complete
from sotaque.engine.ledger import Watch
from sotaque.engine.pace import DEFAULTS, Settings
from sotaque.engine.store import Store
from sotaque.evaluate.facts import average_facts, task_facts
from sotaque.evaluate.questions import needs, pose, tasks_for_model
from sotaque.evaluate.record import Timer, manifest_of, source_record, suite_record
from sotaque.evaluate.samples import score_again, score_all
from sotaque.models.model import Model
from sotaque.prompts.render import protocol_for
from sotaque.records import RunSpec
from sotaque.runs import RunFolder, read_run, write_run
from sotaque.suites.items import load_items
from sotaque.suites.schema import Protocol, Suite, Task
from sotaque.summary import summarise


@dataclass(frozen=True, slots=True)
class Desk:
    """What a run works with besides suite, model and spec.

    Attributes:
        store: where replies are looked for and kept.
        settings: how the model is asked.
        watch: hears of progress.
        runs: the folder in which run folders are made.
        with_items: keep texts in the run folder although the items may not be shared.
    """

    store: Store
    settings: Settings = DEFAULTS
    watch: Watch | None = None
    runs: Path = Path("runs")
    with_items: bool = False


def evaluate(suite: Suite, model: Model, spec: RunSpec, desk: Desk) -> RunFolder:
    """Run the chosen tasks of one suite on one model, and write a run folder.

    Replies that the store holds are not asked for again, so an interrupted run is resumed by running it again.

    Raises:
        UsageError, DataError: before anything is sent.
        UnsupportedMode: the model cannot do what a task needs; before the first request.
        Fatal: no request to this model can succeed.
        StoreError, Interrupted: replies that landed before are stored.
        RunFolderError: the folder cannot be written; the replies are stored.
    """
    timer = Timer.start()
    tasks, _ = tasks_for_model(suite, spec, model)
    loaded = load_items(suite, spec.source, [task.name for task in tasks])
    model.prepare(needs(tasks, spec, model))
    asking = pose(suite, spec, model, loaded=loaded)
    requests = [question.prompt.request for question in asking.questions]
    answers = complete(requests, model, desk.store, desk.settings, desk.watch)
    samples = score_all(asking.questions, answers)
    how = {name: (plan.task, plan.protocol) for name, plan in asking.plans.items()}
    summary = summarise(samples, task_facts(how, loaded, samples, spec), average_facts(suite))
    manifest = manifest_of(asking, model, answers, summary, timer)
    return read_run(write_run(manifest, samples, summary, runs=desk.runs, with_items=desk.with_items))


def rescore(run: RunFolder, suite: Suite, desk: Desk, *, source: str | None = None) -> RunFolder:
    """Score a run's stored replies anew, with today's suite and scoring, and write a new run folder.

    Needs no model. Costs nothing.

    Args:
        run: as read from its folder.
        suite: the suite as it is today.
        desk: the store that holds the replies, and where the new folder goes.
        source: where the items are, if not where the run found them.

    Raises:
        RunFolderError: an item is gone or has changed.
        StoreError: a reply is not in this store.
        UsageError, DataError: from reading suite and items.
    """
    spec = run.manifest.spec
    loaded = load_items(suite, source or spec.source, list(run.manifest.tasks))
    samples = score_again(run, suite, loaded, desk.store)
    how = _protocols(suite, spec, run)
    summary = summarise(samples, task_facts(how, loaded, samples, spec), average_facts(suite))
    changes = {
        "suite": suite_record(suite),
        "source": source_record(suite, loaded),
        "warnings": summary.warnings,
        "rescored_from": run.path.name,
    }
    manifest = run.manifest.model_copy(update=changes)
    return read_run(write_run(manifest, samples, summary, runs=desk.runs, with_items=desk.with_items))


def _protocols(suite: Suite, spec: RunSpec, run: RunFolder) -> Mapping[str, tuple[Task, Protocol]]:
    return {name: (suite.tasks[name], protocol_for(suite.tasks[name], spec)) for name in run.manifest.tasks}
