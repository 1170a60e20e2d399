"""Asks a model behind a network: many requests at once, in one event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from random import Random
from typing import Any

from sotaque.engine.ledger import POLL, Job, Ledger
from sotaque.engine.pace import Pace, Settings
from sotaque.engine.signals import Signals
from sotaque.engine.tries import ask_until_answered
from sotaque.models.model import ServedModel

_BACKLOG = 4
"""Requests begun but not settled, in multiples of the concurrency: some wait for their next try without a slot."""

_PARTING = 0.5
"""Seconds that cancelled requests, and then the model's ``close``, may take."""


def answer_over_network(ledger: Ledger, model: ServedModel, settings: Settings, signals: Signals) -> None:
    """Until everything is settled.

    Raises:
        Fatal: from the model; what is in flight is cancelled.
        GaveUp: the server has not answered anything for too long.
        KeyboardInterrupt: a signal came.
    """
    run = _run_in_thread if _is_in_loop() else _run
    try:
        run(_answer_all(ledger, model, settings, signals))
    except _Stopped:
        raise KeyboardInterrupt from None


async def _answer_all(ledger: Ledger, model: ServedModel, settings: Settings, signals: Signals) -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(settings, Random(), loop.time)
    crew = _Crew(_BACKLOG * settings.concurrency)
    signals.on_stop = lambda: loop.call_soon_threadsafe(crew.stop, _Stopped())
    try:
        if signals.caught is not None:
            raise _Stopped
        await _hand_out(ledger, model, pace, crew)
    except asyncio.CancelledError:
        if crew.stopped_by is None:
            raise
        raise crew.stopped_by from None
    finally:
        signals.on_stop = None
        await crew.dismiss()
        with suppress(TimeoutError):  # a connection that does not close is dropped with the loop
            async with asyncio.timeout(_PARTING):
                await model.close()


async def _hand_out(ledger: Ledger, model: ServedModel, pace: Pace, crew: _Crew) -> None:
    while ledger.has_more:
        await crew.has_room()
        await pace.enter()
        if jobs := ledger.take(1):
            crew.begin(_answer(jobs[0], ledger, model, pace))
            continue
        pace.leave()
        if ledger.has_more:
            await asyncio.sleep(POLL)
            ledger.look_again()
    await crew.all_settled()


async def _answer(job: Job, ledger: Ledger, model: ServedModel, pace: Pace) -> None:
    ledger.land(job, await ask_until_answered(model.ask, job.request, pace))


class _Stopped(Exception):
    """A signal came. Not a KeyboardInterrupt, which would tear down the loop before the connections are closed."""


class _Crew:
    """The tasks under way. The first error of any of them cancels the task that made the crew."""

    def __init__(self, size: int) -> None:
        self.stopped_by: BaseException | None = None
        self._size = size
        self._chief = asyncio.current_task()
        self._tasks: set[asyncio.Task[None]] = set()

    async def has_room(self) -> None:
        while len(self._tasks) >= self._size:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def stop(self, reason: BaseException) -> None:
        if self.stopped_by is None and self._chief is not None:
            self.stopped_by = reason
            self._chief.cancel()

    async def all_settled(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def dismiss(self) -> None:
        """Cancel what is left. A task that will not end in time is left behind; its claim is released all the same."""
        self._chief = None
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_PARTING)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.stop(error)


def _is_in_loop() -> bool:
    """Whether this thread runs an event loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run(work: Coroutine[Any, Any, None]) -> None:
    # Not asyncio.run: it would wait, without limit, for tasks that do not end and for name look-ups in threads.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(work)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _run_in_thread(work: Coroutine[Any, Any, None]) -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            _run(work)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="sotaque-requests")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
