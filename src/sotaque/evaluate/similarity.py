"""BERTScore of open answers: encoders are found before anything is asked, and used once all answers are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from sotaque.records import Failure, Item, Metric, Reply, RunSpec
from sotaque.runs.manifest import TaskRecord
from sotaque.scoring.bertscore import Encoder, check_extra, f1, find_encoder
from sotaque.scoring.score import written_answer
from sotaque.suites.schema import Task

Encoders = Mapping[str, Encoder]
"""By task; only those that measure BERTScore."""


def encoders_for(tasks: Iterable[Task], spec: RunSpec) -> dict[str, Encoder]:
    """The encoders that these tasks need. None is loaded yet.

    Raises:
        MissingExtra: bert-score is not installed.
        UnknownModel, UsageError: see ``find_encoder``.
    """
    found: dict[str, Encoder] = {}
    for task in tasks:
        if Metric.BERTSCORE_F1 in task.metrics and task.encoder is not None:
            check_extra(f"task '{task.name}', which measures BERTScore,")
            found[task.name] = find_encoder(task.encoder, spec.encoder, spec.encoder_layer)
    return found


def similarities(replies: Sequence[tuple[str, Item, Reply | Failure]], encoders: Encoders) -> list[float | None]:
    """BERTScore F1 of each (task, item, reply), in one pass for each encoder.

    ``None`` where the task does not measure it, or where nothing was answered.
    """
    found: list[float | None] = [None] * len(replies)
    places: dict[Encoder, list[tuple[int, str]]] = {}
    for place, (task, _, reply) in enumerate(replies):
        answer = written_answer(reply) if task in encoders else None
        if answer is not None:
            places.setdefault(encoders[task], []).append((place, answer))
    for encoder, asked in places.items():
        values = f1(encoder, [answer for _, answer in asked], [replies[place][1].answers for place, _ in asked])
        for (place, _), value in zip(asked, values, strict=True):
            found[place] = value
    return found


def with_encoders(tasks: Mapping[str, TaskRecord], encoders: Encoders) -> dict[str, TaskRecord]:
    """The records of tasks, with what BERTScore was computed with."""
    return {name: _with(record, encoders.get(name)) for name, record in tasks.items()}


def _with(record: TaskRecord, encoder: Encoder | None) -> TaskRecord:
    fields: dict[str, JsonValue] = {name: value for name, value in record.fields.items() if name != "encoder"}
    if encoder is not None:
        fields["encoder"] = {**encoder.record}
    return record.model_copy(update={"fields": fields})
