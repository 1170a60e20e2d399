"""One whole run, top to bottom."""

from __future__ import annotations

import gc
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sotaque.engine.complete import complete
from sotaque.engine.ledger import Watch
from sotaque.engine.pace import DEFAULTS, Settings
from sotaque.engine.store import Store
from sotaque.evaluate.facts import average_facts, task_facts
from sotaque.evaluate.price import Tariff
from sotaque.evaluate.questions import needs, pose, tasks_for_model
from sotaque.evaluate.record import Timer, cost_record, manifest_of, source_record, suite_record
from sotaque.evaluate.samples import score_again, score_all
from sotaque.evaluate.similarity import encoders_for, with_encoders
from sotaque.models.model import Model
from sotaque.prompts.render import protocol_for
from sotaque.records import RunSpec
from sotaque.runs import RunFolder, write_run
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
        tariff: what the model's tokens cost, for the record.
    """

    store: Store
    settings: Settings = DEFAULTS
    watch: Watch | None = None
    runs: Path = Path("runs")
    with_items: bool = False
    tariff: Tariff | None = None


def evaluate(suite: Suite, model: Model, spec: RunSpec, desk: Desk) -> RunFolder:
    """Run the chosen tasks of one suite on one model, and write a run folder.

    Replies that the store holds are not asked for again, so an interrupted run is resumed by running it again.

    Raises:
        UsageError, DataError: before anything is sent.
        UnsupportedMode: the model cannot do what a task needs; before the first request.
        MissingExtra, UnknownModel: an encoder that a task needs cannot be had; before the first request.
        Fatal: no request to this model can succeed.
        StoreError, Interrupted: replies that landed before are stored.
        RunFolderError: the folder cannot be written; the replies are stored.
    """
    timer = Timer.start()
    tasks, _ = tasks_for_model(suite, spec, model)
    loaded = load_items(suite, spec.source, [task.name for task in tasks])
    encoders = encoders_for(tasks, spec)
    model.prepare(needs(tasks, spec, model))
    asking = pose(suite, spec, model, loaded=loaded)
    requests = [question.prompt.request for question in asking.questions]
    answers = complete(requests, model, desk.store, desk.settings, desk.watch)
    with uncollected():
        samples = score_all(asking.questions, answers, encoders)
        how = {name: (plan.task, plan.protocol) for name, plan in asking.plans.items()}
        summary = summarise(samples, task_facts(how, loaded, samples, spec), average_facts(suite))
        manifest = manifest_of(asking, model, answers, summary, timer)
        rest = {
            "cost": cost_record(manifest.usage, desk.tariff),
            "tasks": with_encoders(manifest.tasks, encoders),
        }
        manifest = manifest.model_copy(update=rest)
        return write_run(manifest, samples, summary, runs=desk.runs, with_items=desk.with_items)


def rescore(
    run: RunFolder,
    suite: Suite,
    desk: Desk,
    *,
    source: str | None = None,
    encoder: str = "",
    encoder_layer: int | None = None,
) -> RunFolder:
    """Score a run's stored replies anew, with today's suite and scoring, and write a new run folder.

    Needs no model. Costs nothing.

    Args:
        run: as read from its folder.
        suite: the suite as it is today.
        desk: the store that holds the replies, and where the new folder goes.
        source: where the items are, if not where the run found them.
        encoder: for BERTScore, if not the one of the run.
        encoder_layer: likewise.

    Raises:
        RunFolderError: an item is gone or has changed.
        StoreError: a reply is not in this store.
        UsageError, DataError: from reading suite and items.
    """
    spec = run.manifest.spec
    if encoder:
        spec = replace(spec, encoder=encoder, encoder_layer=None)
    if encoder_layer:
        spec = replace(spec, encoder_layer=encoder_layer)
    with uncollected():
        return _rescored(run, suite, desk, source, spec)


def _rescored(run: RunFolder, suite: Suite, desk: Desk, source: str | None, spec: RunSpec) -> RunFolder:
    loaded = load_items(suite, source or spec.source, list(run.manifest.tasks))
    encoders = encoders_for((suite.tasks[name] for name in run.manifest.tasks), spec)
    samples = score_again(run, suite, loaded, desk.store, encoders)
    how = _protocols(suite, spec, run)
    summary = summarise(samples, task_facts(how, loaded, samples, spec), average_facts(suite))
    changes = {
        "suite": suite_record(suite),
        "source": source_record(suite, loaded),
        "spec": spec,
        "tasks": with_encoders(run.manifest.tasks, encoders),
        "warnings": summary.warnings,
        "rescored_from": run.path.name,
    }
    manifest = run.manifest.model_copy(update=changes)
    return write_run(manifest, samples, summary, runs=desk.runs, with_items=desk.with_items)


def _protocols(suite: Suite, spec: RunSpec, run: RunFolder) -> Mapping[str, tuple[Task, Protocol]]:
    return {name: (suite.tasks[name], protocol_for(suite.tasks[name], spec)) for name in run.manifest.tasks}


@contextmanager
def uncollected() -> Generator[None]:
    """Scoring makes many records and no cycles: looking for cycles among 100,000 of them takes a third of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
