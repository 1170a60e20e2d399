import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from engine_doubles import Batched, Log, Served, chat, chats, choice, texts

from sotaque.engine.complete import complete
from sotaque.engine.pace import Settings
from sotaque.engine.rows import request_keys
from sotaque.engine.store import Store
from sotaque.errors import Fatal
from sotaque.models.model import Identity
from sotaque.records import Generate, Reply, Sampling

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
