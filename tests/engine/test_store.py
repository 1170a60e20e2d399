import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from engine_doubles import chat

from sotaque.engine import claims
from sotaque.engine.store import Store
from sotaque.errors import StoreError
from sotaque.models.model import Identity
from sotaque.records import OptionScore, Reply

WHO = Identity("local", {"weights": "abc"}, about="SmolLM2, desquantizado")
CHOSEN = Reply(scores=(OptionScore(-1.0, 2), OptionScore(-2.0, 3)))


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def put(store: Store, key: str, text: str = "ب", since: float | None = None) -> str:
    return store.put(key, chat(0), WHO, Reply(text=text), since).reply_id


def test_stored_reply_is_found_after_reopening(path: Path) -> None:
    with Store(path) as store:
        assert store.put("aa", chat(0), WHO, CHOSEN).fresh
    with Store(path) as store:
        found = store.find(["aa", "bb"])
        assert list(found) == ["aa"]
        assert found["aa"].reply == CHOSEN
        assert found["aa"].reply_id == "aa.0"
        assert not found["aa"].fresh
        assert store.get("aa.0") == CHOSEN


def test_thousands_are_found_by_one_call_and_by_their_ids(store: Store) -> None:
    keys = [f"{number:08x}" for number in range(1201)]
    ids = [put(store, key, text=key) for key in keys]
    assert {key: stored.reply.text for key, stored in store.find(reversed(keys)).items()} == {key: key for key in keys}
    assert {reply_id: reply.text for reply_id, reply in store.get_many(ids).items()} == dict(
        zip(ids, keys, strict=True)
    )


def test_missing_reply_is_named(store: Store) -> None:
    put(store, "aa")
    for absent in ("bb.0", "aa.1", "aa", "", "aa.0.0"):
        with pytest.raises(StoreError, match="holds no reply"):
            store.get(absent)
    assert store.get_many(["bb.0", "aa.0"]).keys() == {"aa.0"}


def test_first_reply_to_a_request_stays(store: Store) -> None:
    put(store, "aa", "primeira")
    second = store.put("aa", chat(0), WHO, Reply(text="segunda"))
    assert (second.reply_id, second.reply.text, second.fresh) == ("aa.0", "primeira", False)
    assert store.get("aa.0").text == "primeira"


def test_asking_anew_adds_a_take_and_keeps_the_old_one(path: Path, clock: Clock) -> None:
    with Store(path, clock=clock) as store:
        put(store, "aa", "ontem")
        clock.now += 86_400
        start = clock.now
        assert store.find(["aa"], since=start) == {}
        assert put(store, "aa", "hoje", since=start) == "aa.1"
        assert put(store, "aa", "de novo", since=start) == "aa.1"
        assert store.find(["aa"], since=start)["aa"].reply.text == "hoje"
        assert store.find(["aa"])["aa"].reply.text == "hoje"
        assert store.get("aa.0").text == "ontem"


def test_request_and_identity_are_kept_for_people(path: Path) -> None:
    with Store(path) as store:
        put(store, "aa")
        put(store, "bb")
        store.put("cc", chat(3), replace(WHO, name="outro"), CHOSEN)
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT key, request, i.identity FROM replies r JOIN identities i ON i.id = r.identity ORDER BY key"
        ).fetchall()
        assert connection.execute("SELECT COUNT(*) FROM identities").fetchone() == (2,)
    connection.close()
    assert "Água mole" in rows[0][1]
    assert "نابرده رنج" in rows[2][1]
    assert "desquantizado" in rows[0][2]


def test_tampered_reply_is_named(path: Path) -> None:
    with Store(path) as store:
        put(store, "aa")
    with sqlite3.connect(path) as connection:
        connection.execute('UPDATE replies SET reply = \'{"finish": "stopp"}\'')
    connection.close()
    with Store(path) as store, pytest.raises(StoreError, match=r"reply aa\.0 is not readable"):
        store.find(["aa"])


def test_full_disk_ends_writing_but_not_reading(path: Path) -> None:
    written: list[str] = []
    with Store(path, max_pages=60) as store:
        with pytest.raises(StoreError, match="full"):
            for number in range(1000):
                written.append(put(store, f"{number:08x}", "x" * 3000))
        assert len(store.get_many(written)) == len(written) > 10
    with Store(path) as store:
        assert len(store.get_many(written)) == len(written)


# ------------------------------------------------------------- claims


@pytest.fixture
def pair(path: Path, clock: Clock) -> Iterator[tuple[Store, Store]]:
    """Two stores on one file, as two processes have them."""
    with Store(path, clock=clock) as ours, Store(path, clock=clock) as theirs:
        yield ours, theirs


def test_claimed_request_is_held_for_others_until_it_is_answered(pair: tuple[Store, Store]) -> None:
    ours, theirs = pair
    assert ours.claim(["aa", "bb"]).granted == ["aa", "bb"]
    assert theirs.claim(["aa", "cc"]).granted == ["cc"]
    assert theirs.claim(["aa"]).held == ["aa"]
    put(ours, "aa", "pronta")
    answered = theirs.claim(["aa"])
    assert answered.granted == answered.held == []
    assert answered.stored["aa"].reply.text == "pronta"


def test_released_claims_are_free(pair: tuple[Store, Store]) -> None:
    ours, theirs = pair
    ours.claim(["aa", "bb", "cc"])
    ours.release(["aa"])
    assert theirs.claim(["aa", "bb"]).granted == ["aa"]
    ours.release()
    assert theirs.claim(["bb", "cc"]).granted == ["bb", "cc"]


def test_nobody_releases_or_renews_the_claims_of_others(pair: tuple[Store, Store], clock: Clock) -> None:
    ours, theirs = pair
    ours.claim(["aa"])
    theirs.claim(["bb"])
    theirs.release(["aa"])
    theirs.release()
    assert theirs.claim(["aa"]).held == ["aa"]
    clock.now += 50
    theirs.renew()
    clock.now += 20
    assert theirs.claim(["aa"]).granted == ["aa"]


def test_own_claim_can_be_claimed_again(store: Store) -> None:
    assert store.claim(["aa"]).granted == store.claim(["aa"]).granted == ["aa"]


def test_lease_holds_for_a_minute_and_longer_when_renewed(pair: tuple[Store, Store], clock: Clock) -> None:
    ours, theirs = pair
    ours.claim(["aa"])
    clock.now += 59
    assert theirs.claim(["aa"]).held == ["aa"]
    ours.renew()
    clock.now += 59
    assert theirs.claim(["aa"]).held == ["aa"]
    clock.now += 2
    assert theirs.claim(["aa"]).granted == ["aa"]
    ours.renew()
    assert ours.claim(["aa"]).held == ["aa"]


def test_claim_from_another_host_ends_with_its_lease(
    pair: tuple[Store, Store], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pair
    elsewhere = claims.Process("outra-máquina", 2**22 + 1, 5.0)
    monkeypatch.setattr("sotaque.engine.store.this_process", lambda: elsewhere)
    ours.claim(["aa"])
    monkeypatch.undo()
    assert theirs.claim(["aa"]).held == ["aa"]
    clock.now += 61
    assert theirs.claim(["aa"]).granted == ["aa"]


def test_claim_of_a_killed_process_is_free_at_once(path: Path) -> None:
    script = "import sys; from pathlib import Path; from sotaque.engine.store import Store\n"
    script += "store = Store(Path(sys.argv[1])); print(store.claim(['aa']).granted, flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "['aa']\n"
    with Store(path) as store:
        assert store.claim(["aa"]).held == ["aa"]
        child.kill()
        child.communicate()
        assert store.claim(["aa"]).granted == ["aa"]


def test_claims_that_nobody_took_over_are_swept(path: Path, clock: Clock) -> None:
    left = Store(path, clock=clock)
    left.claim([f"{number}" for number in range(5)])
    clock.now += 61
    with Store(path, clock=clock) as store:
        store.claim(["aa"])
        with sqlite3.connect(path) as connection:
            assert connection.execute("SELECT key FROM claims").fetchall() == [("aa",)]
        connection.close()
    left.close()
