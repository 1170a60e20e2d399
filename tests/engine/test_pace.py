import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest
from engine_doubles import VirtualTimeLoop, chat

from sotaque.engine.pace import DEFAULTS, FIRST_LIMIT, GaveUp, Pace, Settings
from sotaque.engine.tries import ask_until_answered
from sotaque.errors import Fatal, Rejected, Transient, UsageError
from sotaque.records import Failure, Reply

BUSY = Transient("429 Too Many Requests", overload=True)
BROKEN = Transient("500 Internal Server Error")
REPLY = Reply(text="ب")


def run(work: Callable[[Pace], Awaitable], settings: Settings = DEFAULTS) -> tuple[object, float]:
    """The result of ``work`` and the seconds that it would have taken."""
    loop = VirtualTimeLoop()
    try:
        result = loop.run_until_complete(work(Pace(settings, Random(7), loop.time)))
        return result, loop.time()
    finally:
        loop.close()


def ask(answers: list) -> Callable[[Pace], Awaitable]:
    """Ask one request of a server that gives these answers, one by one."""

    async def server(request: object) -> Reply:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            await asyncio.sleep(10**6)
        return answer

    async def work(pace: Pace) -> Reply | Failure:
        await pace.enter()
        result = await ask_until_answered(server, chat(0), pace)
        assert pace.in_flight == 0
        return result

    return work


# ------------------------------------------------------------- one request


@pytest.mark.parametrize(
    "answers",
    [
        [REPLY],
        [BROKEN] * 9 + [REPLY],
        [BUSY] * 30 + [REPLY],
        [BUSY, BROKEN] * 8 + [REPLY],
        [None, REPLY],
        [asyncio.CancelledError(), REPLY],
        [TimeoutError(), REPLY],
    ],
    ids=["at-once", "500x9", "429x30", "mixed", "time-out", "torn-down", "adapter-time-out"],
)
def test_request_is_sent_again_until_it_is_answered(answers: list) -> None:
    assert run(ask(answers))[0] == REPLY
    assert answers == []


@pytest.mark.parametrize(
    ("answers", "tries", "words"),
    [
        ([BROKEN] * 10, 10, "500 Internal Server Error"),
        ([BUSY] * 40, 40, "429 Too Many Requests"),
        ([None] * 2, 2, "no reply within 600 s"),
        ([Rejected("400: too long")], 1, "400: too long"),
        ([BROKEN, Rejected("400: too long")], 2, "400: too long"),
        ([Transient("500", retry_after=86_400)], 1, "500"),
    ],
    ids=["500", "429", "time-out", "rejected", "rejected-later", "tomorrow"],
)
def test_request_fails_after_its_last_try(answers: list, tries: int, words: str) -> None:
    left = [*answers, REPLY]
    result, _ = run(ask(left), Settings(patience=5000))
    assert isinstance(result, Failure)
    assert result.tries == tries
    assert words in result.message
    assert left == [REPLY]


def test_fatal_error_is_not_tried_again() -> None:
    with pytest.raises(Fatal, match="401"):
        run(ask([Fatal("401"), REPLY]))


def test_other_errors_of_an_adapter_are_not_taken_for_failures() -> None:
    with pytest.raises(ZeroDivisionError):
        run(ask([ZeroDivisionError(), REPLY]))


def test_waits_grow_with_full_jitter_up_to_the_bound() -> None:
    async def work(pace: Pace) -> list[list[float]]:
        return [[pace.backoff(failures, BROKEN) for _ in range(400)] for failures in range(1, 12)]

    drawn, _ = run(work, Settings(backoff=0.5, longest_backoff=20))
    for failures, waits in enumerate(drawn):
        bound = min(20.0, 0.5 * 2**failures)
        assert 0 <= min(waits) < bound * 0.05
        assert bound * 0.95 < max(waits) <= bound


def test_a_wait_that_the_server_names_is_kept_and_not_stretched_beyond_its_scale():
    asked = Transient("slow down", retry_after=0.05, overload=True)

    async def work(pace):
        return [pace.backoff(failures, asked) for failures in range(1, 31) for _ in range(50)]

    drawn, _ = run(work, Settings(backoff=0.5, longest_backoff=20))
    assert min(drawn) >= 0.05
    assert max(drawn) <= 0.05 + 0.5 + 2 * 0.05


def test_retry_after_is_waited_out_before_the_request_is_sent_again() -> None:
    _, seconds = run(ask([Transient("503", retry_after=120, overload=True), REPLY]))
    assert 120 <= seconds <= 121
    _, seconds = run(ask([Transient("500", retry_after=30), REPLY]))
    assert 30 <= seconds <= 31


# ------------------------------------------------------------- the limit


def crowd(server: Callable[[Pace, int], Awaitable], count: int, track: list[int]) -> Callable[[Pace], Awaitable]:
    """Send ``count`` requests as fast as the pace allows; ``track`` gets how many were in flight at each."""

    async def work(pace: Pace) -> list[Reply | Failure]:
        async def ask(number: int) -> Reply | Failure:
            async def serve(request: object) -> Reply:
                track.append(pace.in_flight)
                return await server(pace, number)

            return await ask_until_answered(serve, chat(number), pace)

        tasks = []
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(count):
                    await pace.enter()
                    tasks.append(group.create_task(ask(number)))
        except* GaveUp as several:
            raise several.exceptions[0] from None
        return [task.result() for task in tasks]

    return work


async def healthy(pace: Pace, number: int) -> Reply:
    await asyncio.sleep(1)
    return REPLY


def test_limit_doubles_each_round_up_to_the_cap() -> None:
    track: list[int] = []
    results, seconds = run(crowd(healthy, 8 + 16 + 32 + 32 + 32, track))
    assert results == [REPLY] * 120
    assert seconds == pytest.approx(5)
    assert max(track) == 32


@pytest.mark.parametrize("concurrency", [1, 3, 32, 100])
def test_no_more_are_in_flight_than_the_user_allows(concurrency: int) -> None:
    track: list[int] = []
    run(crowd(healthy, 400, track), Settings(concurrency=concurrency))
    assert max(track) == concurrency


def test_overload_halves_the_limit_once_for_all_that_were_in_flight() -> None:
    async def work(pace: Pace) -> list[float]:
        limits = [pace.limit]
        for _ in range(8):
            pace.failed(BUSY, sent=0.0)
        limits.append(pace.limit)
        await asyncio.sleep(1)
        pace.failed(BUSY, sent=0.5)
        limits.append(pace.limit)
        for _ in range(20):
            await asyncio.sleep(1)
            pace.failed(BUSY, sent=asyncio.get_running_loop().time())
        return [*limits, pace.limit]

    assert run(work)[0] == [8, 4, 2, 1]


def test_limit_grows_by_one_each_round_after_an_overload() -> None:
    async def work(pace: Pace) -> float:
        pace.failed(BUSY, sent=0.0)
        for _ in range(4):
            pace.replied()
        return pace.limit

    limit, _ = run(work)
    assert FIRST_LIMIT / 2 + 0.8 < limit <= FIRST_LIMIT / 2 + 1


def test_limit_settles_near_what_the_server_can_do() -> None:
    capacity = 6

    async def server(pace: Pace, number: int) -> Reply:
        if pace.in_flight > capacity:
            raise BUSY
        await asyncio.sleep(1)
        return REPLY

    track: list[int] = []
    results, seconds = run(crowd(server, 1000, track))
    assert results == [REPLY] * 1000
    assert sum(count > capacity for count in track) < 150
    assert seconds < 2.2 * 1000 / capacity


def test_slow_answers_count_as_overload() -> None:
    async def work(pace: Pace) -> float:
        await asyncio.gather(*[ask([None, REPLY])(pace) for _ in range(1)])
        return pace.limit

    assert run(work)[0] < FIRST_LIMIT


def test_retry_after_of_one_request_pauses_all() -> None:
    sent: list[float] = []

    async def server(pace: Pace, number: int) -> Reply:
        sent.append(asyncio.get_running_loop().time())
        if number == 3 and len(sent) < 10:
            raise Transient("429", retry_after=60, overload=True)
        await asyncio.sleep(1)
        return REPLY

    run(crowd(server, 40, []))
    assert [moment for moment in sent if 0 < moment < 60] == []
    assert len(sent) == 41


def test_failures_without_end_slow_down_even_if_they_do_not_say_overload() -> None:
    track: list[int] = []

    async def dead(pace: Pace, number: int) -> Reply:
        raise BROKEN

    with pytest.raises(GaveUp):
        run(crowd(dead, 1000, track))
    assert track[-1] == 1


def test_slots_are_given_in_order() -> None:
    order: list[int] = []

    async def work(pace: Pace) -> None:
        async def one(number: int) -> None:
            await pace.enter()
            order.append(number)
            await asyncio.sleep(1)
            pace.leave()

        await asyncio.gather(*map(one, range(20)))

    run(work, Settings(concurrency=2))
    assert order == list(range(20))


@pytest.mark.parametrize("moment", ["waiting", "given", "paused"])
def test_slot_of_a_cancelled_waiter_is_not_lost(moment: str) -> None:
    async def work(pace: Pace) -> int:
        await pace.enter()
        waiter = asyncio.create_task(pace.enter())
        await asyncio.sleep(0)
        if moment == "paused":
            pace.failed(Transient("429", retry_after=60, overload=True), sent=0.0)
        if moment != "waiting":
            pace.leave()
        if moment == "paused":
            await asyncio.sleep(1)
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
        if moment == "waiting":
            pace.leave()
        await pace.enter()
        return pace.in_flight

    assert run(work, Settings(concurrency=1))[0] == 1


# ------------------------------------------------------------- the run


def test_thirty_refusals_in_a_row_do_not_end_a_run() -> None:
    refusals = [BUSY] * 30

    async def server(pace: Pace, number: int) -> Reply:
        await asyncio.sleep(0.05)
        if refusals:
            raise refusals.pop()
        return REPLY

    results, seconds = run(crowd(server, 200, []))
    assert results == [REPLY] * 200
    assert seconds < 300


@pytest.mark.parametrize("error", [BUSY, BROKEN, None], ids=["429", "500", "silent"])
@pytest.mark.parametrize("count", [40, 2000])
def test_dead_server_ends_the_run_in_bounded_time(error: Transient | None, count: int) -> None:
    clock: list[float] = []

    async def server(pace: Pace, number: int) -> Reply:
        clock.append(asyncio.get_running_loop().time())
        if error is not None:
            raise error
        await asyncio.sleep(10**6)
        return REPLY

    settings = Settings()
    with pytest.raises(GaveUp, match="no reply for"):
        run(crowd(server, count, []), settings)
    assert clock[-1] <= settings.patience + 2 * settings.timeout + settings.longest_backoff


def test_lone_failure_after_a_long_silence_does_not_end_a_run() -> None:
    async def work(pace: Pace) -> object:
        await asyncio.sleep(5000)
        return await ask([BROKEN, REPLY])(pace)

    assert run(work)[0] == REPLY


def test_patience_begins_anew_with_every_reply() -> None:
    async def work(pace: Pace) -> object:
        await asyncio.sleep(5000)
        pace.replied()
        return await ask([BUSY] * 12 + [REPLY])(pace)

    assert run(work)[0] == REPLY


def test_server_that_asks_to_wait_until_tomorrow_ends_the_run() -> None:
    with pytest.raises(GaveUp, match="asks to wait 86400 s"):
        run(ask([Transient("429: daily quota", retry_after=86_400, overload=True), REPLY]))


@pytest.mark.parametrize("name", ["concurrency", "tries", "timeout_tries", "overload_tries", "timeout", "patience"])
def test_settings_that_cannot_work_are_refused(name: str) -> None:
    for value in (0, -1):
        with pytest.raises(UsageError, match=f"{name} is {value}"):
            Settings(**{name: value})
