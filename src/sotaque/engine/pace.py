"""How many requests are in flight, and when to try again.

The limit starts at 8, doubles per round while all goes well, and is halved when the server is overloaded (429, 503),
does not answer in time, or only fails; after the first halving it grows by one per round. What ends in bounded time:

- one request: after ``tries`` failures, ``timeout_tries`` time-outs or ``overload_tries`` refusals for overload;
- the run: after ``patience`` seconds without any reply (at least ``tries`` failures in a row), or when the server asks
  to wait longer than that. A dead server thus costs at most ``patience`` plus two time-outs, whatever is left to ask.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from sotaque.errors import Transient, UsageError

FIRST_LIMIT = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked.

    Attributes:
        concurrency: requests in flight at most.
        timeout: seconds one try may take.
        tries: how often a request is sent that fails for another reason than those below.
        timeout_tries: how often a request is sent that is not answered in time.
        overload_tries: how often a request is sent that the server refuses because of overload.
        patience: seconds without any reply after which a failing run is given up.
        backoff: seconds of the first wait, at most; each further one may be twice as long (full jitter).
        longest_backoff: seconds of any wait, at most, unless the server asks for more.
        reuse: take stored replies also of a model without a stable identity.
        since: seconds since 1970; replies of such a model count from this time on. ``None``: from the call on. A run
            of several calls sets it to its own start.
    """

    concurrency: int = 32
    timeout: float = 600.0
    tries: int = 10
    timeout_tries: int = 2
    overload_tries: int = 40
    patience: float = 900.0
    backoff: float = 0.5
    longest_backoff: float = 20.0
    reuse: bool = False
    since: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        for name in ("concurrency", "tries", "timeout_tries", "overload_tries"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}", f"give 1 or more for {name}")
        for name in ("timeout", "patience", "backoff", "longest_backoff"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is {getattr(self, name)}", f"give more than 0 seconds for {name}")


DEFAULTS = Settings()


class GaveUp(Exception):
    """The server has not answered anything for too long: whatever is left stays unanswered."""


class Pace:
    """The limit, the pauses and the back-off of one run; lives in one event loop.

    Args:
        settings: bounds.
        random: draws the jitter.
        now: seconds on a clock that never goes back; the event loop's.
    """

    def __init__(self, settings: Settings, random: Random, now: Callable[[], float]) -> None:
        self.settings = settings
        self.limit = float(min(settings.concurrency, FIRST_LIMIT))
        self.in_flight = 0
        self._random = random
        self._now = now
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._paused_until = now()
        self._last_reply = now()
        self._last_cut: float | None = None
        self._cuts_in_row = 0
        self._failures_in_row = 0

    async def enter(self) -> None:
        """Wait for a slot, and take it. Slots are given in the order in which they were asked for."""
        if self._waiting or self.in_flight >= int(self.limit):
            await self._turn()
        else:
            self.in_flight += 1
        try:
            while (pause := self._paused_until - self._now()) > 0:
                await asyncio.sleep(pause)
        except asyncio.CancelledError:
            self.leave()
            raise

    def leave(self) -> None:
        """Give the slot back, and hand free ones to who waits."""
        self.in_flight -= 1
        while self._waiting and self.in_flight < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():  # else it was cancelled while it waited
                self.in_flight += 1
                turn.set_result(None)

    def replied(self) -> None:
        """A try succeeded, or was refused for its own sake: the server is well."""
        self._last_reply = self._now()
        self._cuts_in_row = self._failures_in_row = 0
        growth = 1.0 if self._last_cut is None else 1.0 / self.limit
        self.limit = min(float(self.settings.concurrency), self.limit + growth)

    def failed(self, error: Transient, sent: float) -> None:
        """A try that began at ``sent`` failed: slow down, pause, or end the run.

        Raises:
            GaveUp: nothing has succeeded for too long.
        """
        self._failures_in_row += 1
        now = self._now()
        wait = error.retry_after or 0.0
        if error.overload and wait > self.settings.patience:
            raise GaveUp(f"the server asks to wait {wait:.0f} s: {error.message}")
        silence = now - self._last_reply
        if silence > self.settings.patience and self._failures_in_row >= self.settings.tries:
            raise GaveUp(f"no reply for {silence:.0f} s, {self._failures_in_row} failures in a row: {error.message}")
        if error.overload and wait:
            self._pause(wait)
        # A run of failures means trouble even if each looks accidental; thirty in a hundred at random never get there.
        if error.overload or self._failures_in_row > 2 * FIRST_LIMIT:
            self._cut(sent)

    def backoff(self, failures: int, error: Transient) -> float:
        """Seconds before a request that failed so often is sent again: full jitter, or what the server asks.

        A server that names its wait knows best: jitter then only spreads the requests, within twice that wait.
        """
        if not error.retry_after:
            return self._jitter(failures)
        spread = self.settings.backoff + 2 * error.retry_after
        return error.retry_after + min(self._jitter(failures), self._random.uniform(0.0, spread))

    async def _turn(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the slot was given at the same moment
                self.leave()
            raise

    def _cut(self, sent: float) -> None:
        # Tries sent before the last cut say nothing about whether it was enough.
        if self._last_cut is not None and sent <= self._last_cut:
            return
        self._last_cut = self._now()
        self._cuts_in_row += 1
        self.limit = max(1.0, self.limit / 2)
        if self._cuts_in_row > 1:
            self._pause(self._jitter(self._cuts_in_row - 1))

    def _pause(self, seconds: float) -> None:
        self._paused_until = max(self._paused_until, self._now() + seconds)

    def _jitter(self, failures: int) -> float:
        bound = min(self.settings.longest_backoff, self.settings.backoff * 2.0 ** min(failures - 1, 30))
        return self._random.uniform(0.0, bound)
