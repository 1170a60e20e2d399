"""What must fit together in a task: its mode, what counts as the answer, how that is measured, and its examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sotaque.language.normalize import key
from sotaque.records import Metric
from sotaque.suites.faults import Fault
from sotaque.suites.schema import METRICS, Suite, Task

OF_A_TEXT = frozenset({Metric.EXACT_MATCH, Metric.BERTSCORE_F1, Metric.JUDGE_SCORE})
"""Metrics of open answers; all others need options."""


def _metrics(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    path = ("tasks", name, "metrics")
    for metric in task.metrics:
        if metric not in METRICS[task.mode]:
            known = ", ".join(METRICS[task.mode])
            message = f"'{metric}' cannot be measured in mode {task.mode}"
            yield Fault(path, message, f"in this mode: {known}")
        elif metric in OF_A_TEXT and not task.is_open:
            yield Fault(path, f"'{metric}' measures open answers", 'write answer = "text", or metrics = ["accuracy"]')
        elif task.is_open and metric not in OF_A_TEXT:
            message = f"'{metric}' measures a choice, and the answer is a text"
            yield Fault(path, message, 'write metrics = ["exact_match"], or answer = "label" or "option"')
        elif metric is Metric.WEIGHTED_F1 and not task.classes:
            yield Fault(path, f"'{metric}' needs fixed options", 'write classes = ["...", "..."] and gold = "FIELD"')


def _encoder(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    measured = Metric.BERTSCORE_F1 in task.metrics
    if measured and task.encoder is None:
        remedy = 'name it: encoder = { model = "neuralmind/bert-large-portuguese-cased", layer = 18 }'
        yield Fault(("tasks", name, "metrics"), f"'{Metric.BERTSCORE_F1}' needs an encoder", remedy)
    if task.encoder is not None and not measured:
        remedy = f'write metrics = ["{Metric.BERTSCORE_F1}"], or drop it'
        yield Fault(("tasks", name, "encoder"), "no metric of this task uses an encoder", remedy)


def _classes(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    path = ("tasks", name, "classes")
    if not task.classes:
        return
    if len(task.classes) == 1:
        yield Fault(path, "only one class", "a choice needs at least two")
    if not task.gold:
        yield Fault(path, "nothing says which class is right", 'name the field that does: gold = "FIELD"')
    if task.is_open:
        yield Fault(path, "an open question has no classes", 'write answer = "label" or answer = "option"')
    first: dict[str, str] = {}
    for text in task.classes:
        same = first.setdefault(key(text, suite.languages[0]), text)
        if same is not text:
            yield Fault(path, f"'{same}' and '{text}' read the same", "name each class once")


def _shots(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    protocols = {"published": task.protocol.published, "default": task.protocol.default}
    for which, protocol in protocols.items():
        if protocol and protocol.pick == "balanced" and task.is_open:
            message = "open answers have no classes to balance"
            yield Fault(("tasks", name, "protocol", which, "pick"), message, 'write pick = "random" or pick = "first"')


def _shortcuts(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    if task.shortcuts and task.is_open:
        yield Fault(("tasks", name, "shortcuts"), "an open question has no options to pick from", "drop 'shortcuts'")


ANSWER_LOOKS: tuple[Callable[[Suite, str, Task], Iterator[Fault]], ...] = (
    _metrics,
    _encoder,
    _classes,
    _shots,
    _shortcuts,
)
