"""One request, sent until it is answered or given up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sotaque.engine.pace import Pace, Settings
from sotaque.errors import Rejected, Transient
from sotaque.records import Failure, Reply, Request


async def ask_until_answered(
    ask: Callable[[Request], Awaitable[Reply]], request: Request, pace: Pace
) -> Reply | Failure:
    """Send one request, again where that may help. Called with a slot of ``pace``, which is given back.

    While it waits for its next try, the request holds no slot. The slot is kept by an error that ends the run, so that
    nothing else is sent.

    Raises:
        Fatal: from ``ask``.
        GaveUp: the server has not answered anything for too long.
    """
    tally = _Tally(pace.settings)
    while True:
        sent = asyncio.get_running_loop().time()
        result: Reply | Failure | None = None
        wait = 0.0
        try:
            result = await _one_try(ask, request, pace.settings.timeout)
            pace.replied()
        except Rejected as error:
            pace.replied()
            result = Failure(error.message, tally.tries + 1)
        except Transient as error:
            tally.count(error)
            pace.failed(error, sent)
            wait = pace.backoff(tally.tries, error)
            if tally.is_exhausted:
                result = Failure(f"{error.message} (tried {tally.tries} times)", tally.tries)
        pace.leave()
        if result is not None:
            return result
        await asyncio.sleep(wait)
        await pace.enter()


class _TimedOut(Transient):
    """No answer in time: the server may be working on too much."""


class _Tally:
    """How often one request failed, and for what."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._timeouts = self._overloads = self._others = 0
        self._asked_to_wait = 0.0

    def count(self, error: Transient) -> None:
        self._asked_to_wait = error.retry_after or 0.0
        if isinstance(error, _TimedOut):
            self._timeouts += 1
        elif error.overload:
            self._overloads += 1
        else:
            self._others += 1

    @property
    def tries(self) -> int:
        return self._timeouts + self._overloads + self._others

    @property
    def is_exhausted(self) -> bool:
        allowed = self._settings
        return (
            self._timeouts >= allowed.timeout_tries
            or self._overloads >= allowed.overload_tries
            or self._others >= allowed.tries
            or self._asked_to_wait > allowed.patience
        )


async def _one_try(ask: Callable[[Request], Awaitable[Reply]], request: Request, timeout: float) -> Reply:
    try:
        async with asyncio.timeout(timeout):
            return await ask(request)
    except TimeoutError as error:
        raise _TimedOut(f"no reply within {timeout:g} s", overload=True) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody cancelled us: the adapter's connection was torn down under the request.
        raise Transient("the request was cancelled inside the adapter") from error
