"""Replies -> samples: what became of every question, and the same again from a run folder without any model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from sotaque.engine.store import Store, Stored
from sotaque.errors import RunFolderError, StoreError
from sotaque.evaluate.questions import Question
from sotaque.evaluate.similarity import Encoders, similarities
from sotaque.prompts.hashes import item_hash
from sotaque.records import Failure, Item, Reading, Reply, Sample
from sotaque.runs import RunFolder
from sotaque.runs.samples import SampleLine
from sotaque.scoring.score import score_reply, scoring_hash
from sotaque.suites.asked import SuiteItems
from sotaque.suites.schema import Suite, Task

Read = tuple[Reading, str]
"""How replies are read, and the hash of it."""

NO_ENCODERS: Encoders = MappingProxyType({})


def score_all(
    questions: Sequence[Question], answers: Sequence[Stored | Failure], encoders: Encoders = NO_ENCODERS
) -> list[Sample]:
    """Score each answer; both sequences have the same order."""
    pairs = list(zip(questions, answers, strict=True))
    near = similarities([(asked.task.name, asked.prompt.item, _reply(answer)) for asked, answer in pairs], encoders)
    return [
        _sample(question, answer, value, _identity(encoders, question.task))
        for (question, answer), value in zip(pairs, near, strict=True)
    ]


def score_again(
    run: RunFolder, suite: Suite, loaded: SuiteItems, store: Store, encoders: Encoders = NO_ENCODERS
) -> list[Sample]:
    """Score a run's stored replies anew, as today's suite and scoring read them.

    Raises:
        RunFolderError: an item is gone, or is not what it was when it was asked.
        StoreError: the store does not hold a reply of the run.
    """
    items = {name: {item.id: item for item in loaded.tasks[name].items} for name in run.manifest.tasks}
    replies = store.get_many(line.reply_id for line in run.samples if _is_elsewhere(line))
    found = list(_again(run, suite, items, replies, store))
    near = similarities([(line.task, item, reply) for line, item, reply in found], encoders)
    readings: dict[tuple[str, int], Read] = {}
    samples: list[Sample] = []
    for (line, item, reply), value in zip(found, near, strict=True):
        task, kind = suite.tasks[line.task], (line.task, len(item.options))
        if kind not in readings:
            reading = task.reading(len(item.options))
            readings[kind] = reading, scoring_hash(reading, _identity(encoders, task))
        samples.append(_scored_anew(line, task, item, (reply, value), readings[kind]))
    return samples


def _again(
    run: RunFolder, suite: Suite, items: Mapping[str, Mapping[str, Item]], replies: Mapping[str, Reply], store: Store
) -> Iterator[tuple[SampleLine, Item, Reply | Failure]]:
    """Each line of a run with its item and its reply, once nothing about them has changed."""
    hashes: dict[tuple[str, str], str] = {}
    for line in run.samples:
        if line.task not in items:
            remedy = "write the folder anew from the stored replies, by running again"
            raise RunFolderError(f"task '{line.task}' is not in run.json", file=run.path, remedy=remedy)
        item = items[line.task].get(line.item)
        if item is None:
            raise RunFolderError(
                f"item {line.task}/{line.item} is not in the suite any more",
                file=run.path,
                remedy="put it back, name where the items are now with --source, or run again",
            )
        place = (line.task, item.id)
        if place not in hashes:
            hashes[place] = item_hash(item)
        if hashes[place] != line.item_hash:
            raise RunFolderError(
                f"item {line.task}/{line.item} has changed since the run",
                file=run.path,
                remedy="run again: only what changed is asked",
            )
        reply = line.reply
        if _is_elsewhere(line):
            if line.reply_id not in replies:
                raise StoreError(
                    f"{store.path} holds no reply {line.reply_id} of {line.task}/{line.item}",
                    "the run was made with another store (see SOTAQUE_HOME): rescore with that one, or run again",
                )
            reply = replies[line.reply_id]
        yield line, item, reply


def _is_elsewhere(line: SampleLine) -> bool:
    return line.withheld and bool(line.reply_id)


def _reply(answer: Stored | Failure) -> Reply | Failure:
    return answer.reply if isinstance(answer, Stored) else answer


def _identity(encoders: Encoders, task: Task) -> str:
    encoder = encoders.get(task.name)
    return encoder.identity if encoder else ""


def _scored_anew(
    line: SampleLine, task: Task, item: Item, answer: tuple[Reply | Failure, float | None], read: Read
) -> Sample:
    (reply, similarity), (reading, hashed) = answer, read
    return Sample(
        task=line.task,
        item=line.item,
        cluster=task.cluster_of(item),
        order=line.order,
        roles=line.roles,
        gold=line.gold,
        groups=task.groups_of(item),
        item_hash=line.item_hash,
        prompt_hash=line.prompt_hash,
        scoring_hash=hashed,
        repeat=line.repeat,
        reply_id=line.reply_id,
        reply=reply,
        score=score_reply(item, line.order, reply, reading, similarity),
        irregular=item.irregular,
    )


def _sample(question: Question, answer: Stored | Failure, similarity: float | None, encoder: str) -> Sample:
    task, prompt = question.task, question.prompt
    item = prompt.item
    reading = task.reading(len(item.options))
    reply = _reply(answer)
    return Sample(
        task=task.name,
        item=item.id,
        cluster=task.cluster_of(item),
        order=prompt.order,
        roles=tuple(option.role for option in item.options),
        gold=item.gold,
        groups=task.groups_of(item),
        item_hash=item_hash(item),
        prompt_hash=prompt.prompt_hash,
        scoring_hash=scoring_hash(reading, encoder),
        repeat=prompt.request.repeat,
        reply_id=answer.reply_id if isinstance(answer, Stored) else "",
        reply=reply,
        score=score_reply(item, prompt.order, reply, reading, similarity),
        irregular=item.irregular,
    )
