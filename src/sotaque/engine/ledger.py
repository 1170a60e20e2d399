"""The state of one call of ``complete``: which requests are answered, claimed, or still to be asked."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sotaque.engine.pace import Settings
from sotaque.engine.rows import request_keys
from sotaque.engine.store import Store, Stored
from sotaque.models.model import Identity
from sotaque.records import Failure, Reply, Request

TELL_EVERY = 0.1
"""Seconds between two calls of ``Watch.landed``, at least."""

POLL = 0.2
"""Seconds between two looks at what other processes are working on."""

_LOOK_UP = 10_000


class Watch(Protocol):
    """Hears how far a call is; both methods count requests as they were passed in, equal ones several times."""

    def started(self, total: int, stored: int) -> None:
        """Called once: how many requests there are, and how many were answered before."""
        ...

    def landed(self, done: int, failed: int, in_flight: int) -> None:
        """Called at most every 0.1 s, and at the end: answered so far (with those from before), failed, under way."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """A request that we have claimed."""

    key: str
    request: Request


class Ledger:
    """Every key is in one place: queued, waiting (claimed elsewhere), under way (a ``Job``), or in the results."""

    def __init__(self, requests: Sequence[Request], identity: Identity, store: Store, settings: Settings) -> None:
        self._identity = identity
        self._store = store
        self._since = _oldest_acceptable(identity, store, settings)
        self._keys = request_keys(identity, requests)
        self._times = Counter(self._keys)
        self._requests = dict(zip(self._keys, requests, strict=True))
        self._results: dict[str, Stored | Failure] = {}
        self._queue = deque(self._times)
        self._waiting: deque[str] = deque()
        self._watch: Watch | None = None
        self._told = 0.0
        self.total = len(requests)
        self.done = self.failed = self._under_way = 0

    def look_up(self, watch: Watch | None, check: Callable[[], None]) -> None:
        """Take what is stored already; ``check`` may end it early by raising."""
        unique = list(self._times)
        for start in range(0, len(unique), _LOOK_UP):
            check()
            for key, stored in self._store.find(unique[start : start + _LOOK_UP], self._since).items():
                self._settle(key, stored)
        self._queue = deque(key for key in unique if key not in self._results)
        self._watch = watch
        if watch is not None:
            watch.started(self.total, self.done)

    @property
    def has_more(self) -> bool:
        """Whether anything is left that is neither settled nor under way here."""
        return bool(self._queue or self._waiting)

    def take(self, count: int) -> list[Job]:
        """Claim up to ``count`` requests; fewer, or none, when the rest is settled or claimed by other processes."""
        jobs: list[Job] = []
        while self._queue and len(jobs) < count:
            keys = [self._queue.popleft() for _ in range(min(count - len(jobs), len(self._queue)))]
            claims = self._store.claim(keys, self._since)
            self._waiting.extend(claims.held)
            jobs.extend(Job(key, self._requests[key]) for key in claims.granted)
            for key, stored in claims.stored.items():
                self._settle(key, stored)
        self._under_way += len(jobs)
        return jobs

    def look_again(self) -> None:
        """Queue what other processes had claimed: it may be answered, or free, by now. To be called every ``POLL``."""
        self._queue, self._waiting = self._waiting, self._queue

    def land(self, job: Job, answer: Reply | Failure) -> None:
        """Store a reply, or note a failure, which is never stored."""
        self._under_way -= 1
        if isinstance(answer, Failure):
            self._store.release([job.key])
            self._settle(job.key, answer)
        else:
            stored = self._store.put(job.key, job.request, self._identity, answer, self._since)
            self._settle(job.key, stored)

    def give_up(self, reason: str) -> None:
        """Everything that is not settled becomes a failure that was not tried to the end."""
        for key in self._times:
            if key not in self._results:
                self._settle(key, Failure(f"given up: {reason}", tries=0))

    def results(self) -> list[Stored | Failure]:
        """One for each request, in their order."""
        self._tell(in_flight=0)
        return [self._results[key] for key in self._keys]

    def _settle(self, key: str, result: Stored | Failure) -> None:
        self._results[key] = result
        if isinstance(result, Failure):
            self.failed += self._times[key]
        else:
            self.done += self._times[key]
        if self._watch is not None and time.monotonic() - self._told >= TELL_EVERY:
            self._tell(self._under_way)

    def _tell(self, in_flight: int) -> None:
        if self._watch is not None:
            self._told = time.monotonic()
            self._watch.landed(self.done, self.failed, in_flight)


def _oldest_acceptable(identity: Identity, store: Store, settings: Settings) -> float | None:
    if identity.stable or settings.reuse:
        return None
    return store.clock() if settings.since is None else settings.since
