import asyncio
import os
import signal
from pathlib import Path
from random import Random

import pytest
from engine_doubles import Batched, Log, Served, VirtualTimeLoop, chat, chats, choice, claims_in, replies_in, texts

from sotaque.engine.complete import complete
from sotaque.engine.pace import Settings
from sotaque.engine.store import Store, Stored
from sotaque.errors import Fatal, Interrupted, Rejected, StoreError, Transient
from sotaque.records import Failure, Generate

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
    with Store(path) as store:
        with pytest.raises(Fatal, match="401"):
            complete(chats(1000), model, store)
        assert claims_in(path) == 0
    assert len(model.asked) <= 8
    assert model.closed == 1


def test_claim_on_a_request_that_failed_is_given_back_while_the_run_goes_on(path: Path) -> None:
    claims: list[int] = []

    async def first_is_too_long(request: Generate, before: int) -> None:
        if request == chat(0):
            raise Rejected("400: context length exceeded")
        claims.append(claims_in(path))

    with Store(path) as store:
        complete(chats(5), Served(first_is_too_long), store, Settings(concurrency=1))
    assert claims == [1, 1, 1, 1]


def test_signal_at_the_very_end_is_not_lost(path: Path) -> None:
    class Parting(Served):
        async def close(self) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    with Store(path) as store, pytest.raises(Interrupted, match="3 of 3 replies are stored"):
        complete(chats(3), Parting(), store)


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


def test_claims_stay_few_while_requests_wait_for_their_next_try(
    path: Path, virtual_time: list[VirtualTimeLoop]
) -> None:
    most: list[int] = []

    async def half_fails(request: Generate, before: int) -> None:
        await asyncio.sleep(0.01)
        most.append(claims_in(path))
        if len(most) % 2:
            raise Transient("500")

    with Store(path) as store:
        complete(chats(100), Served(half_fails), store, Settings(concurrency=3, backoff=5))
    assert 3 < max(most) <= 4 * 3


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
