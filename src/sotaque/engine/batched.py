"""Asks a model that runs in this process, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sotaque.engine.ledger import POLL, Job, Ledger
from sotaque.engine.signals import Signals
from sotaque.errors import Fatal, ModelError
from sotaque.models.model import BatchModel
from sotaque.records import Failure, Reply


def answer_in_batches(ledger: Ledger, model: BatchModel, signals: Signals) -> None:
    """Until everything is settled. A failure of one request is final here: the same weights would fail again.

    Raises:
        Fatal: from the model.
        KeyboardInterrupt: a signal came; whatever the model has yielded is stored.
    """
    while ledger.has_more:
        signals.check()
        if jobs := ledger.take(model.batch_size):
            _answer(jobs, ledger, model, signals)
        elif ledger.has_more:
            time.sleep(POLL)
            ledger.look_again()


def _answer(jobs: Sequence[Job], ledger: Ledger, model: BatchModel, signals: Signals) -> None:
    by_request = {job.request: job for job in jobs}
    answers = iter(model.answer([job.request for job in jobs]))
    while True:
        with signals.interruptible():
            answered = next(answers, None)
        if answered is None:
            break
        request, answer = answered
        if request not in by_request:
            raise RuntimeError(f"{model.identity.name} answered a request that is not open: {request}")
        ledger.land(by_request.pop(request), _as_result(answer))
    for job in by_request.values():
        ledger.land(job, Failure("the model passed over this request"))


def _as_result(answer: Reply | ModelError) -> Reply | Failure:
    if isinstance(answer, Fatal):
        raise answer
    return Failure(answer.message) if isinstance(answer, ModelError) else answer
