"""The SQLite file under the store: opening, upgrading, transactions, and errors that say what to do."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sotaque.errors import StoreError

APPLICATION = 0x536F7461
"""Marks the file as ours ("Sota", SQLite's ``application_id``), so that no other program's database is changed."""

MIGRATIONS: list[tuple[str, ...]] = [
    (
        "CREATE TABLE identities (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE)",
        # ``request`` comes last: a prompt may spill over into further pages, which reading a reply need not touch.
        """CREATE TABLE replies (
            key TEXT NOT NULL, take INTEGER NOT NULL, created REAL NOT NULL,
            identity INTEGER NOT NULL REFERENCES identities, reply TEXT NOT NULL, request TEXT NOT NULL,
            UNIQUE (key, take))""",
        """CREATE TABLE claims (
            key TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
            started REAL NOT NULL, expires REAL NOT NULL) WITHOUT ROWID""",
        "CREATE INDEX claims_by_owner ON claims (owner)",
    ),
]
"""Entry n (from 0) takes a file from format n to format n + 1. Entries are only ever added."""

Row = tuple[Any, ...]


class Database:
    """One connection. A file that may only be read can be opened; the first write to it is what fails.

    Args:
        path: the file; it and its folder are made when they are not there.
        patience: seconds to wait for another process that is writing.
        max_pages: refuse to grow beyond so many pages, as a full disk would.

    Raises:
        StoreError: from every method; the file cannot be opened, read or written.
    """

    def __init__(self, path: Path, *, patience: float = 30.0, max_pages: int | None = None) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder of the reply store cannot be made: {error}", _ELSEWHERE) from error
        with self._explained():
            # Used by one thread at a time; in a notebook not by the one that opened it.
            self._connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        try:
            with self._explained():
                self._set_up(time.monotonic() + patience, max_pages)
            self._upgrade()
        except BaseException:
            self._connection.close()
            raise

    def read(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of one statement."""
        with self._explained():
            return self._connection.execute(sql, values).fetchall()

    def write(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run one statement, in the open transaction or in its own; returns how many rows it changed."""
        with self._explained():
            return self._connection.execute(sql, values).rowcount

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All or nothing; holds the file's only write lock."""
        try:
            self.write("BEGIN IMMEDIATE")
            yield
            self.write("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.rollback()
            raise

    def close(self) -> None:
        """Undo what was not committed, and close the file."""
        self._connection.close()

    def _set_up(self, deadline: float, max_pages: int | None) -> None:
        run = self._connection.execute
        run("PRAGMA synchronous = NORMAL")  # in WAL mode a killed process loses nothing; only a power cut may
        if max_pages is not None:
            run(f"PRAGMA max_page_count = {max_pages}")
        while True:
            try:
                run("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite does not wait here by itself when two processes make the file at the same moment.
                if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _upgrade(self) -> None:
        with self.transaction():
            found = self._format()
            if found > len(MIGRATIONS):
                raise StoreError(
                    f"{self.path} was written by a newer sotaque (format {found}, this one reads {len(MIGRATIONS)})",
                    "upgrade sotaque: pip install -U sotaque",
                )
            for statement in (line for steps in MIGRATIONS[found:] for line in steps):
                self.write(statement)
            if found < len(MIGRATIONS):
                self.write("INSERT OR REPLACE INTO meta (name, value) VALUES ('format', ?)", [len(MIGRATIONS)])

    def _format(self) -> int:
        if not self.read("SELECT 1 FROM sqlite_master LIMIT 1"):
            self.write(f"PRAGMA application_id = {APPLICATION}")
            self.write("CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID")
            return 0
        if self.read("PRAGMA application_id") != [(APPLICATION,)]:
            raise StoreError(f"{self.path} is a database of another program, not a reply store", _ELSEWHERE)
        found = self.read("SELECT value FROM meta WHERE name = 'format'")
        if not found or not isinstance(found[0][0], int):
            raise StoreError(f"{self.path} does not say of which format it is", _REMEDIES[sqlite3.SQLITE_CORRUPT])
        return found[0][0]

    @contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
                raise  # our mistake, not the file's state
            remedy = _REMEDIES.get(_primary_code(error), _ELSEWHERE)
            raise StoreError(f"the reply store {self.path} cannot be used: {error}", remedy) from error


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


_ELSEWHERE = "make this place writable, or set SOTAQUE_HOME to another folder"
_REMEDIES = {
    sqlite3.SQLITE_FULL: "free some disk space, then run the same command again: every reply up to here is stored",
    sqlite3.SQLITE_NOTADB: "it is no reply store: move it away, or set SOTAQUE_HOME to another folder",
    sqlite3.SQLITE_CORRUPT: "move it away but keep it ('sqlite3 FILE .recover' saves most replies), then run again",
    sqlite3.SQLITE_BUSY: "another program is writing to it: close that program, then run the same command again",
    sqlite3.SQLITE_LOCKED: "another program is writing to it: close that program, then run the same command again",
    sqlite3.SQLITE_IOERR: "the disk or network folder fails: set SOTAQUE_HOME to a folder on a local disk with space",
}
