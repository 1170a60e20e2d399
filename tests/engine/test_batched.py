import sqlite3
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from engine_doubles import Batched, choice, claims_in, replies_in, texts

from sotaque.engine.complete import complete
from sotaque.engine.store import Store, Stored
from sotaque.errors import Fatal, Rejected
from sotaque.records import Choose, Failure, Reply


def test_batches_are_of_the_size_the_model_likes(store: Store) -> None:
    model = Batched(batch_size=4)
    requests = [choice(number) for number in range(10)]
    results = complete(requests, model, store)
    assert [len(batch) for batch in model.batches] == [4, 4, 2]
    assert all(isinstance(result, Stored) and result.reply.scores for result in results)
    again = Batched(batch_size=4)
    complete(requests, again, store)
    assert again.batches == []


def test_item_that_a_local_model_rejects_is_a_failure_and_the_rest_is_fine(store: Store) -> None:
    def too_long(request: Choose) -> Rejected | None:
        return Rejected("longer than the window of 2048 tokens") if request == choice(3) else None

    results = complete([choice(number) for number in range(10)], Batched(4, too_long), store)
    assert results[3] == Failure("longer than the window of 2048 tokens")
    assert texts(results).count("FAILED") == 1


def test_replies_of_a_batch_that_breaks_in_the_middle_are_stored(path: Path) -> None:
    def breaks(request: Choose) -> None:
        if request == choice(4):
            raise MemoryError

    with Store(path) as store, pytest.raises(MemoryError):
        complete([choice(number) for number in range(8)], Batched(8, breaks), store)
    assert replies_in(path) == 3  # the double answers from the last to the first
    assert claims_in(path) == 0


def test_fatal_error_of_a_local_model_ends_the_run(store: Store) -> None:
    model = Batched(4, lambda request: Fatal("the weights are damaged"))
    with pytest.raises(Fatal, match="damaged"):
        complete([choice(number) for number in range(40)], model, store)
    assert len(model.batches) == 1


def test_request_that_a_model_passes_over_is_a_failure(store: Store) -> None:
    class Forgetful(Batched):
        def answer(self, requests: list[Choose]) -> Iterable:
            return super().answer(requests[1:])

    results = complete([choice(number) for number in range(8)], Forgetful(4), store)
    assert [place for place, result in enumerate(results) if isinstance(result, Failure)] == [0, 4]


def test_answer_to_a_request_that_was_not_asked_is_a_mistake(store: Store) -> None:
    class Confused(Batched):
        def answer(self, requests: list[Choose]) -> Iterable:
            yield choice(99), Reply(text="?")

    with pytest.raises(RuntimeError, match="not open"):
        complete([choice(0)], Confused(), store)


def test_batch_that_takes_longer_than_the_lease_keeps_its_claims(path: Path) -> None:
    lease = 0.8
    verdicts: list[list[str]] = []

    with Store(path, lease=lease) as store, Store(path, lease=lease) as other:

        def long_batch(request: Choose) -> None:
            keys = [key for (key,) in sqlite3.connect(path).execute("SELECT key FROM claims")]
            end = time.monotonic() + 2 * lease
            while time.monotonic() < end:
                threading.Event().wait(lease / 8)
                verdicts.append(other.claim(keys).granted)

        results = complete([choice(0)], Batched(1, long_batch), store)
    assert "FAILED" not in texts(results)
    assert len(verdicts) >= 8
    assert verdicts == [[]] * len(verdicts)
