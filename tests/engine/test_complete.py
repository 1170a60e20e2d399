import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from engine_doubles import Batched, Served, VirtualTimeLoop, chat, chats, choice

from sotaque.engine.complete import complete
from sotaque.engine.pace import Settings
from sotaque.engine.rows import request_keys
from sotaque.engine.store import Store, Stored
from sotaque.errors import Fatal, Rejected, StoreError, Transient
from sotaque.models.model import Identity
from sotaque.records import Choose, Failure, Generate, Reply, Sampling


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


# ------------------------------------------------------------- what comes back


def test_results_stand_in_the_order_of_the_requests(store: Store) -> None:
    async def later_ones_first(request: Generate, before: int) -> None:
        await asyncio.sleep(0.02 if "0" in request.messages[0].content else 0)

    requests = [*chats(12), *reversed(chats(20))]
    results = complete(requests, Served(later_ones_first), store)
    assert texts(results) == [f"resposta a {request}" for request in requests]


def test_second_call_asks_nothing_and_returns_the_same(store: Store) -> None:
    first = complete(chats(20), Served(), store)
    again = Served()
    second = complete(chats(20), again, store)
    assert again.asked == []
    assert all(result.fresh for result in first)
    assert [replace(result, fresh=False) for result in first] == second


def test_reply_id_names_the_reply_in_the_store(store: Store) -> None:
    (result,) = complete([chat(1)], Served(), store)
    assert store.get(result.reply_id) == result.reply


def test_equal_requests_are_asked_once(store: Store) -> None:
    model = Served()
    log = Log()
    results = complete([chat(1), chat(2), chat(1), chat(1)], model, store, watch=log)
    assert len(model.asked) == 2
    assert results[0] == results[2] == results[3] != results[1]
    assert log.start == (4, 0)
    assert log.steps[-1] == (4, 0, 0)


def test_added_row_asks_one_more_and_nothing_else(store: Store) -> None:
    complete(chats(10), Served(), store)
    model = Served()
    complete([*chats(5), chat(99), *chats(10)[5:]], model, store)
    assert model.asked == [chat(99)]


def test_no_requests_no_calls(store: Store) -> None:
    log = Log()
    model = Served()
    assert complete([], model, store, watch=log) == []
    assert complete([], Batched(), store) == []
    assert log.start == (0, 0)
    assert (model.asked, model.closed) == ([], 0)


@pytest.mark.parametrize(
    "other",
    [
        (replace(chat(0), repeat=1), Served()),
        (replace(chat(0), sampling=Sampling(65)), Served()),
        (replace(chat(0), sampling=Sampling(64, temperature=0.7)), Served()),
        (replace(chat(0), sampling=Sampling(64, seed=1)), Served()),
        (chat(0), Served(identity=Identity("openai/another", {"url": "http://127.0.0.1/v1"}))),
        (chat(0), Served(identity=Identity("openai/test", {"url": "http://127.0.0.1/v1", "weights": "other"}))),
    ],
    ids=["repeat", "max_tokens", "temperature", "seed", "model", "weights"],
)
def test_reply_is_not_reused_for_anything_that_may_change_it(other: tuple[Generate, Served], store: Store) -> None:
    complete([chat(0)], Served(), store)
    request, model = other
    complete([request], model, store)
    assert model.asked == [request]


def test_interrupted_after_seven_of_twenty_asks_for_the_other_thirteen(store: Store) -> None:
    async def stop_after_seven(request: Generate, before: int) -> None:
        if len(model.asked) > 7:
            raise Fatal("the server is gone")

    model = Served(stop_after_seven)
    with pytest.raises(Fatal):
        complete(chats(20), model, store, Settings(concurrency=1))
    resumed = Served()
    log = Log()
    results = complete(chats(20), resumed, store, watch=log)
    assert resumed.asked == chats(20)[7:]
    assert log.start == (20, 7)
    assert texts(results) == [f"resposta a {request}" for request in chats(20)]


def test_watch_hears_the_end_and_is_not_called_for_every_reply(store: Store) -> None:
    log = Log()
    complete(chats(500), Served(), store, watch=log)
    assert log.steps[-1] == (500, 0, 0)
    assert len(log.steps) < 100
    assert [done for done, _, _ in log.steps] == sorted(done for done, _, _ in log.steps)


def test_model_that_can_be_asked_in_no_way_is_a_mistake(store: Store) -> None:
    class Neither:
        identity = Identity("x")

    with pytest.raises(TypeError, match="Neither"):
        complete([chat(0)], Neither(), store)


# ------------------------------------------------------------- identity that is not stable

UNSTABLE = Identity("local-server", {"url": "http://127.0.0.1:8080"}, stable=False)


def test_server_that_may_have_changed_is_asked_anew_and_the_old_reply_is_kept(path: Path) -> None:
    with Store(path) as store:
        (old,) = complete([chat(0)], Served(identity=UNSTABLE), store)
        anew = Served(identity=UNSTABLE)
        (new,) = complete([chat(0)], anew, store)
        assert anew.asked == [chat(0)]
        assert (old.reply_id[-2:], new.reply_id[-2:]) == (".0", ".1")
        assert store.get(old.reply_id) == old.reply


def test_one_run_of_several_calls_asks_such_a_server_once(path: Path) -> None:
    with Store(path) as store:
        complete([chat(0)], Served(identity=UNSTABLE), store)
        run = Settings(since=store.clock())
        model = Served(identity=UNSTABLE)
        complete([chat(0), chat(1)], model, store, run)
        complete([chat(1), chat(0)], model, store, run)
        assert model.asked == [chat(0), chat(1)]


def test_reuse_takes_the_latest_reply_of_such_a_server(path: Path) -> None:
    with Store(path) as store:
        complete([chat(0)], Served(identity=UNSTABLE), store)
        (latest,) = complete([chat(0)], Served(identity=UNSTABLE), store)
        model = Served(identity=UNSTABLE)
        (reused,) = complete([chat(0)], model, store, Settings(reuse=True))
        assert model.asked == []
        assert reused.reply_id == latest.reply_id


# ------------------------------------------------------------- failures


def test_a_third_of_tries_failing_at_random_loses_nothing(store: Store, virtual_time: list[VirtualTimeLoop]) -> None:
    random = Random(3)
    errors = [Transient("500"), Transient("dropped"), Transient("429", overload=True)]

    async def flaky(request: Generate, before: int) -> None:
        await asyncio.sleep(0.05)
        if random.random() < 0.3:
            raise random.choice(errors)

    results = complete(chats(400), Served(flaky), store)
    assert texts(results) == [f"resposta a {request}" for request in chats(400)]


def test_request_that_always_fails_is_a_failure_and_the_rest_is_fine(
    store: Store, virtual_time: list[VirtualTimeLoop]
) -> None:
    async def one_fails(request: Generate, before: int) -> None:
        await asyncio.sleep(0.05)
        if request == chat(7):
            raise Transient("500 Internal Server Error")

    model = Served(one_fails)
    results = complete(chats(100), model, store)
    assert results[7] == Failure("500 Internal Server Error (tried 10 times)", tries=10)
    assert texts(results).count("FAILED") == 1
    assert model.asked.count(chat(7)) == 10
    assert virtual_time[0].now < 200


def test_request_that_is_never_answered_is_tried_twice(store: Store, virtual_time: list[VirtualTimeLoop]) -> None:
    async def one_hangs(request: Generate, before: int) -> None:
        await asyncio.sleep(10**6 if request == chat(7) else 0.05)

    results = complete(chats(100), Served(one_hangs), store)
    assert results[7] == Failure("no reply within 600 s (tried 2 times)", tries=2)
    assert texts(results).count("FAILED") == 1
    assert virtual_time[0].now < 1300


def test_rejected_request_is_asked_once_and_not_stored(path: Path) -> None:
    async def one_is_too_long(request: Generate, before: int) -> None:
        if request == chat(7):
            raise Rejected("400: context length exceeded")

    with Store(path) as store:
        for _ in range(2):  # the second call asks again: failures are not stored
            model = Served(one_is_too_long)
            results = complete(chats(10), model, store)
            assert results[7] == Failure("400: context length exceeded", tries=1)
            assert model.asked.count(chat(7)) == 1
    assert replies_in(path) == 9
    assert claims_in(path) == 0


def test_server_that_refuses_thirty_times_answers_everything_in_the_end(
    store: Store, virtual_time: list[VirtualTimeLoop]
) -> None:
    async def storm(request: Generate, before: int) -> None:
        await asyncio.sleep(0.05)
        if len(model.asked) <= 30:
            raise Transient("429 Too Many Requests", overload=True)

    model = Served(storm)
    assert "FAILED" not in texts(complete(chats(200), model, store))
    assert len(model.asked) == 230


def test_server_that_dies_for_good_leaves_failures_in_bounded_time(
    path: Path, virtual_time: list[VirtualTimeLoop]
) -> None:
    async def dies(request: Generate, before: int) -> None:
        await asyncio.sleep(0.05)
        if len(model.asked) > 100:
            raise Transient("connection refused")

    model = Served(dies)
    with Store(path) as store:
        results = complete(chats(1000), model, store)
    failures = [result for result in results if isinstance(result, Failure)]
    assert replies_in(path) == len(results) - len(failures) >= 60
    assert any("given up: no reply for" in failure.message for failure in failures)
    assert virtual_time[0].now < 1000
    assert len(model.asked) < 3000
    assert claims_in(path) == 0


def test_fatal_error_ends_the_run_at_once(path: Path) -> None:
    async def refuses(request: Generate, before: int) -> None:
        await asyncio.sleep(0)
        raise Fatal("401: the key was refused")

    model = Served(refuses)
    with Store(path) as store, pytest.raises(Fatal, match="401"):
        complete(chats(1000), model, store)
    assert len(model.asked) <= 8
    assert model.closed == 1
    assert claims_in(path) == 0


def test_replies_that_landed_before_a_fatal_error_are_stored(path: Path) -> None:
    async def expires(request: Generate, before: int) -> None:
        if len(model.asked) > 40:
            raise Fatal("401: the key has expired")

    model = Served(expires)
    with Store(path) as store, pytest.raises(Fatal):
        complete(chats(100), model, store)
    assert replies_in(path) == 40


def test_error_in_an_adapter_is_not_hidden(path: Path) -> None:
    async def wrong(request: Generate, before: int) -> None:
        if len(model.asked) == 5:
            raise ZeroDivisionError

    model = Served(wrong)
    with Store(path) as store, pytest.raises(ZeroDivisionError):
        complete(chats(100), model, store)
    assert model.closed == 1
    assert claims_in(path) == 0


@pytest.mark.parametrize("kind", [Served, Batched])
def test_full_disk_ends_the_run_and_keeps_what_was_stored(kind: type, path: Path) -> None:
    with Store(path, max_pages=60) as store, pytest.raises(StoreError, match="full"):
        complete([choice(number) for number in range(2000)], kind(), store)
    stored = replies_in(path)
    assert stored > 20
    with Store(path) as store:
        log = Log()
        complete([choice(number) for number in range(2000)], kind(), store, watch=log)
        assert log.start == (2000, stored)


# ------------------------------------------------------------- concurrency


@pytest.mark.parametrize("concurrency", [1, 5, 32])
def test_requests_in_flight_reach_the_limit_and_stay_below(
    concurrency: int, store: Store, virtual_time: list[VirtualTimeLoop]
) -> None:
    async def slow(request: Generate, before: int) -> None:
        await asyncio.sleep(1)

    model = Served(slow)
    complete(chats(200), model, store, Settings(concurrency=concurrency))
    assert model.most_in_flight == concurrency
    assert virtual_time[0].now <= 200 / concurrency + 3


def test_claims_are_taken_only_as_slots_free_up(path: Path, virtual_time: list[VirtualTimeLoop]) -> None:
    most: list[int] = []

    async def slow(request: Generate, before: int) -> None:
        await asyncio.sleep(1)
        most.append(claims_in(path))

    with Store(path) as store:
        complete(chats(60), Served(slow), store, Settings(concurrency=6))
    assert max(most) <= 6


def test_reply_is_stored_the_moment_it_lands(path: Path) -> None:
    seen: list[int] = []

    async def one_by_one(request: Generate, before: int) -> None:
        seen.append(replies_in(path))

    with Store(path) as store:
        complete(chats(10), Served(one_by_one), store, Settings(concurrency=1))
    assert seen == list(range(10))


def test_works_where_an_event_loop_is_running_already(path: Path) -> None:
    async def notebook_cell() -> list[Stored | Failure]:
        with Store(path) as store:
            return complete(chats(10), Served(), store)

    assert "FAILED" not in texts(asyncio.run(notebook_cell()))


def test_error_crosses_from_the_thread_of_a_notebook(path: Path) -> None:
    async def refuses(request: Generate, before: int) -> None:
        raise Fatal("401")

    async def notebook_cell() -> None:
        with Store(path) as store:
            complete(chats(10), Served(refuses), store)

    with pytest.raises(Fatal, match="401"):
        asyncio.run(notebook_cell())


# ------------------------------------------------------------- batches


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


# ------------------------------------------------------------- other processes


@pytest.mark.parametrize("kind", [Served, Batched])
def test_request_that_another_process_asks_is_left_to_it(kind: type, path: Path) -> None:
    model = kind()
    with Store(path) as theirs, Store(path) as ours:
        everything = [choice(number) for number in range(10)]
        (claimed,) = request_keys(model.identity, [choice(0)])
        theirs.claim([claimed])

        def they_answer(*_: object) -> None:
            theirs.put(claimed, choice(0), model.identity, Reply(text="deles"))

        timer = threading.Timer(0.3, they_answer)
        timer.start()
        results = complete(everything, model, ours)
        timer.join()
    asked = model.asked if kind is Served else [request for batch in model.batches for request in batch]
    assert choice(0) not in asked
    assert sorted(asked, key=repr) == everything[1:]
    assert results[0].reply.text == "deles"
    assert not results[0].fresh


@pytest.mark.parametrize("kind", [Served, Batched])
def test_request_that_another_process_gives_back_is_asked_here(kind: type, path: Path) -> None:
    with Store(path) as theirs, Store(path) as ours:
        model = kind()
        theirs.claim(request_keys(model.identity, [choice(0)]))
        timer = threading.Timer(0.3, theirs.release)
        timer.start()
        results = complete([choice(number) for number in range(10)], model, ours)
        timer.join()
    assert "FAILED" not in texts(results)
    asked = model.asked if kind is Served else [request for batch in model.batches for request in batch]
    assert len(asked) == 10
