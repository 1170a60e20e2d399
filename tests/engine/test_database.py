import sqlite3
import threading
from pathlib import Path

import pytest
from engine_doubles import ordinary_user

from sotaque.engine import database
from sotaque.engine.database import MIGRATIONS, Database
from sotaque.errors import StoreError


def format_of(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        (found,) = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
    connection.close()
    return found


def refused(path: Path, **options: float) -> StoreError:
    with pytest.raises(StoreError) as caught:
        Database(path, **options)
    assert str(path.parent) in caught.value.message
    assert caught.value.remedy
    return caught.value


def test_new_file_is_made_with_its_folder_and_says_its_format(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "replies.sqlite"
    Database(path).close()
    assert format_of(path) == len(MIGRATIONS) == 1


def test_new_file_is_in_wal_mode(path: Path) -> None:
    opened = Database(path)
    assert opened.read("PRAGMA journal_mode") == [("wal",)]
    opened.close()


def test_older_file_is_upgraded_and_keeps_what_it_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Database(path)
    old.write("INSERT INTO identities (identity) VALUES ('sabiá')")
    old.close()
    monkeypatch.setattr(database, "MIGRATIONS", [*MIGRATIONS, ("ALTER TABLE identities ADD COLUMN seen REAL",)])
    new = Database(path)
    assert new.read("SELECT identity, seen FROM identities") == [("sabiá", None)]
    new.close()
    assert format_of(path) == 2


def test_failing_upgrade_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(path).close()
    monkeypatch.setattr(database, "MIGRATIONS", [*MIGRATIONS, ("DROP TABLE claims", "SELECT nonsense FROM nowhere")])
    refused(path)
    monkeypatch.undo()
    opened = Database(path)
    assert opened.read("SELECT COUNT(*) FROM claims") == [(0,)]
    opened.close()


def test_newer_format_is_refused_with_the_advice_to_upgrade(path: Path) -> None:
    opened = Database(path)
    opened.write("UPDATE meta SET value = 9")
    opened.close()
    error = refused(path)
    assert "format 9" in error.message
    assert "pip install -U sotaque" in error.remedy
    assert format_of(path) == 9


def test_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("pergunta,resposta\n" * 200, encoding="utf-8")
    assert "move it away" in refused(path).remedy
    assert path.read_text(encoding="utf-8").startswith("pergunta,resposta")


def test_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE meta (name, value)")
    other.close()
    assert "another program" in refused(path).message
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("meta",)]
    other.close()


def test_damaged_file_is_named_with_a_way_to_save_it(path: Path) -> None:
    opened = Database(path)
    with opened.transaction():
        for number in range(2000):
            opened.write("INSERT INTO identities (identity) VALUES (?)", [f"{number} " + "x" * 200])
    opened.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(StoreError) as caught:
        Database(path).read("SELECT * FROM identities")
    assert str(path) in caught.value.message
    assert ".recover" in caught.value.remedy


def test_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").mkdir()
    assert "SOTAQUE_HOME" in refused(tmp_path / "replies.sqlite").remedy


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    assert "SOTAQUE_HOME" in refused(tmp_path / "home" / "replies.sqlite").remedy


def test_read_only_folder_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    with ordinary_user():
        assert "SOTAQUE_HOME" in refused(open_folder / "replies.sqlite").remedy
        assert "SOTAQUE_HOME" in refused(open_folder / "home" / "replies.sqlite").remedy


def test_read_only_file_in_a_read_only_folder_is_refused(open_folder: Path) -> None:
    path = open_folder / "replies.sqlite"
    Database(path).close()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    with ordinary_user():
        assert "SOTAQUE_HOME" in refused(path).remedy


def test_read_only_file_can_be_read_and_says_so_when_it_is_to_be_written(open_folder: Path) -> None:
    path = open_folder / "replies.sqlite"
    Database(path).close()
    path.chmod(0o444)
    with ordinary_user():
        opened = Database(path)
        assert opened.read("SELECT COUNT(*) FROM replies") == [(0,)]
        with pytest.raises(StoreError, match="readonly") as caught:
            opened.write("INSERT INTO identities (identity) VALUES ('x')")
        opened.close()
    assert str(path) in caught.value.message
    assert "SOTAQUE_HOME" in caught.value.remedy


def test_file_locked_by_another_program_is_named_after_the_patience_is_over(path: Path) -> None:
    Database(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert "close that program" in refused(path, patience=0.01).remedy
    other.execute("ROLLBACK")
    other.close()


def test_waits_for_another_writer_within_the_patience(path: Path) -> None:
    Database(path).close()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    end = threading.Timer(0.1, other.execute, ["COMMIT"])
    end.start()
    Database(path, patience=20.0).close()
    end.join()
    other.close()


def test_full_disk_keeps_what_was_written_before(path: Path) -> None:
    opened = Database(path, max_pages=30)
    with pytest.raises(StoreError, match="full") as caught:
        for number in range(1000):
            opened.write("INSERT INTO identities (identity) VALUES (?)", [f"{number} " + "x" * 1000])
    assert "free some disk space" in caught.value.remedy
    assert opened.read("SELECT COUNT(*) FROM identities") == [(number,)]
    opened.close()
    assert number > 10


def test_failed_transaction_leaves_no_trace(path: Path) -> None:
    opened = Database(path)
    with pytest.raises(KeyboardInterrupt), opened.transaction():
        opened.write("INSERT INTO identities (identity) VALUES ('x')")
        raise KeyboardInterrupt
    assert opened.read("SELECT * FROM identities") == []
    opened.close()


def test_many_may_make_the_file_at_the_same_moment(tmp_path: Path) -> None:
    for attempt in range(5):
        path = tmp_path / f"{attempt}.sqlite"
        errors: list[BaseException] = []
        ready = threading.Barrier(8)

        def open_it(path: Path = path, errors: list = errors, ready: threading.Barrier = ready) -> None:
            ready.wait()
            try:
                Database(path).close()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=open_it) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert format_of(path) == 1


@pytest.mark.parametrize("damage", ["DELETE FROM meta", "UPDATE meta SET value = 'x'"])
def test_a_store_that_does_not_say_its_format_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "replies.sqlite"
    database = Database(path)
    database.write(damage)
    database.close()
    with pytest.raises(StoreError, match="of which format") as refused:
        Database(path)
    assert "keep it" in refused.value.remedy
