"""Models, loops and requests that the engine's tests share."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sotaque.engine.store import Stored
from sotaque.errors import ModelError
from sotaque.models.model import Identity
from sotaque.records import Ability, Choose, Failure, Generate, Message, OptionScore, Reply, Request, Sampling

PROVERBS = (
    "Água mole em pedra dura",
    "Quem tudo quer, nada tem",
    "از تو حرکت، از خدا برکت",
    "نابرده رنج گنج میسر نمی‌شود",
)


def chat(number: int, repeat: int = 0) -> Generate:
    text = f"{PROVERBS[number % len(PROVERBS)]} {number}"
    return Generate(Sampling(max_tokens=64), messages=(Message("user", text),), repeat=repeat)


def chats(count: int) -> list[Request]:
    return [chat(number) for number in range(count)]


def choice(number: int) -> Choose:
    return Choose(f"{PROVERBS[0]} {number}:", (" ir", " ir embora"))


class _Anyone:
    def __init__(self, identity: Identity | None = None) -> None:
        self.identity = identity or Identity("openai/test", {"url": "http://127.0.0.1/v1"})
        self.abilities = frozenset(Ability)

    def prepare(self, needs: frozenset[Ability]) -> None: ...

    def preview(self, request: Request) -> str:
        return repr(request)

    def refusal(self, ability: Ability) -> str:
        return ""


class Served(_Anyone):
    """A ServedModel. ``behave(request, tries_before)`` may sleep, raise, or return a reply of its own."""

    def __init__(self, behave: Callable | None = None, identity: Identity | None = None) -> None:
        super().__init__(identity)
        self.behave = behave
        self.asked: list[Request] = []
        self.in_flight = self.most_in_flight = self.closed = 0

    async def ask(self, request: Request) -> Reply:
        before = self.asked.count(request) if self.behave else 0
        self.asked.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            answer = await self.behave(request, before) if self.behave else None
            return answer or Reply(text=f"resposta a {request}")
        finally:
            self.in_flight -= 1

    async def close(self) -> None:
        self.closed += 1


class Batched(_Anyone):
    """A BatchModel that answers with option scores, or with what ``behave(request)`` returns or raises."""

    def __init__(self, batch_size: int = 4, behave: Callable | None = None) -> None:
        super().__init__(Identity("local", {"weights": "abc"}))
        self.batch_size = batch_size
        self.behave = behave
        self.batches: list[list[Request]] = []

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply | ModelError]]:
        self.batches.append(list(requests))
        for request in reversed(requests):
            answer = self.behave(request) if self.behave else None
            yield request, answer or Reply(scores=(OptionScore(-1.5, 2), OptionScore(-2.5, 3)))


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        wait = self._selector.select

        def select(timeout: float | None = None) -> list:
            events = wait(None if timeout is None else 0)
            if not events and timeout:
                self.now += timeout
            return events

        self._selector.select = select

    def time(self) -> float:
        return self.now


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write everywhere; tests of read-only files run as nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def claims_in(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM claims").fetchone()
    connection.close()
    return count


def replies_in(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM replies").fetchone()
    connection.close()
    return count


def texts(results: Iterable[Stored | Failure]) -> list[str | None]:
    return ["FAILED" if isinstance(result, Failure) else result.reply.text for result in results]


class Log:
    """A Watch that keeps what it hears."""

    def __init__(self) -> None:
        self.start: tuple[int, int] | None = None
        self.steps: list[tuple[int, int, int]] = []

    def started(self, total: int, stored: int) -> None:
        self.start = (total, stored)

    def landed(self, done: int, failed: int, in_flight: int) -> None:
        self.steps.append((done, failed, in_flight))
