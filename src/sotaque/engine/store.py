"""The reply store: one row for each reply, kept the moment it lands, never changed afterwards.

A reply is found by the key of its request. Where the same request was asked anew (a server that does not tell which
weights it runs), the replies are takes 0, 1, 2 ...; ``KEY.TAKE`` is the id that a run folder refers to.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType

from sotaque.engine.claims import Heartbeat, Process, is_gone, this_process
from sotaque.engine.database import Database, Row
from sotaque.engine.rows import identity_to_json, reply_from_json, reply_to_json, request_to_json
from sotaque.errors import StoreError
from sotaque.models.model import Identity
from sotaque.records import Reply, Request

LEASE = 60.0
"""Seconds for which a claim holds when it is not renewed."""

_CHUNK = 500  # SQLite limits how many values one statement takes


@dataclass(frozen=True, slots=True)
class Stored:
    """A reply and its name in the store.

    Attributes:
        reply_id: "KEY.TAKE".
        fresh: whether it came from the model in this call, not from the store.
    """

    reply_id: str
    reply: Reply
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Claims:
    """What became of keys that were to be claimed: ours to ask, already answered, or another process's."""

    granted: list[str] = field(default_factory=list[str])
    stored: dict[str, Stored] = field(default_factory=dict[str, Stored])
    held: list[str] = field(default_factory=list[str])


class Store:
    """The file of replies. One object per process and thread; several processes may use one file.

    Args:
        path: the SQLite file, made when it is not there.
        lease: seconds for which a claim holds; renewed four times in that time.
        clock: seconds since 1970.
        patience: seconds to wait for another process that is writing.
        max_pages: refuse to grow beyond so many pages of 4096 bytes.

    Raises:
        StoreError: from every method; the file cannot be opened, read or written. Says what to do.
    """

    def __init__(
        self,
        path: Path,
        *,
        lease: float = LEASE,
        clock: Callable[[], float] = time.time,
        patience: float = 30.0,
        max_pages: int | None = None,
    ) -> None:
        self.path = path
        self.clock = clock
        self._lease = lease
        self._patience = patience
        self._owner = uuid.uuid4().hex
        self._heartbeat: Heartbeat | None = None
        self._identities: dict[str, int] = {}
        self._database = Database(path, patience=patience, max_pages=max_pages)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give back all claims and close the file."""
        # What cannot be deleted on a full disk is taken over by others as soon as this process has ended.
        with suppress(StoreError):
            self.release()
        self._database.close()

    def find(self, keys: Iterable[str], since: float | None = None) -> dict[str, Stored]:
        """The latest take of each key that has one; with ``since``, only takes from that time on."""
        found: dict[str, Stored] = {}
        for chunk in _chunks(keys):
            for key, take, reply in self._database.read(
                f"SELECT key, take, reply FROM replies WHERE key IN ({_marks(chunk)}) AND created >= ? ORDER BY take",
                [*chunk, since or 0.0],
            ):
                found[key] = Stored(f"{key}.{take}", self._decoded(f"{key}.{take}", reply))
        return found

    def get(self, reply_id: str) -> Reply:
        """One reply by its id.

        Raises:
            StoreError: also when there is none of that id.
        """
        found = self.get_many([reply_id])
        if reply_id not in found:
            raise StoreError(
                f"{self.path} holds no reply {reply_id}",
                "the run was made with another store (see SOTAQUE_HOME), or this one was replaced: run it again",
            )
        return found[reply_id]

    def get_many(self, reply_ids: Iterable[str]) -> dict[str, Reply]:
        """Replies by id; ids that the store does not hold are left out."""
        found: dict[str, Reply] = {}
        for chunk in _chunks(reply_ids):
            wanted = set(chunk)
            keys = [reply_id.partition(".")[0] for reply_id in chunk]
            for key, take, reply in self._database.read(
                f"SELECT key, take, reply FROM replies WHERE key IN ({_marks(keys)})", keys
            ):
                if (reply_id := f"{key}.{take}") in wanted:
                    found[reply_id] = self._decoded(reply_id, reply)
        return found

    def put(self, key: str, request: Request, identity: Identity, reply: Reply, since: float | None = None) -> Stored:
        """Keep a reply, give its claim back, and return what is stored.

        If another process stored a reply to this request first (and not before ``since``), that one is returned:
        a request has one reply, or one per run where it is asked anew.
        """
        who = self._interned(identity)
        row = (reply_to_json(reply), request_to_json(request))
        with self._database.transaction():
            self._database.write("DELETE FROM claims WHERE key = ? AND owner = ?", [key, self._owner])
            if earlier := self.find([key], since):
                return earlier[key]
            ((take,),) = self._database.read("SELECT COALESCE(MAX(take) + 1, 0) FROM replies WHERE key = ?", [key])
            self._database.write(
                "INSERT INTO replies (key, take, created, identity, reply, request) VALUES (?, ?, ?, ?, ?, ?)",
                [key, take, self.clock(), who, *row],
            )
        return Stored(f"{key}.{take}", reply, fresh=True)

    def claim(self, keys: Sequence[str], since: float | None = None) -> Claims:
        """Reserve the keys that nobody has answered (since then) and no living process has claimed."""
        claims = Claims()
        now = self.clock()
        gone: dict[Process, bool] = {}
        with self._database.transaction():
            claims.stored.update(self.find(keys, since))
            if self._heartbeat is None:
                self._database.write("DELETE FROM claims WHERE expires <= ?", [now])
            holders = {row[0]: row for chunk in _chunks(keys) for row in self._holders(chunk)}
            for key in keys:
                if key in claims.stored:
                    continue
                if key in holders and not self._is_free(holders[key], now, gone):
                    claims.held.append(key)
                else:
                    claims.granted.append(key)
                    self._reserve(key, now)
        if claims.granted and self._heartbeat is None:
            self._heartbeat = Heartbeat(self.renew, self._lease / 4)
        return claims

    def renew(self) -> None:
        """Extend all claims of this object; safe to call from another thread."""
        database = Database(self.path, patience=self._patience)
        try:
            database.write("UPDATE claims SET expires = ? WHERE owner = ?", [self.clock() + self._lease, self._owner])
        finally:
            database.close()

    def release(self, keys: Iterable[str] | None = None) -> None:
        """Give back the claims on these keys, or all that this object holds."""
        if keys is None:
            if self._heartbeat is not None:
                self._heartbeat.stop()
                self._heartbeat = None
                self._database.write("DELETE FROM claims WHERE owner = ?", [self._owner])
            return
        for chunk in _chunks(keys):
            self._database.write(
                f"DELETE FROM claims WHERE owner = ? AND key IN ({_marks(chunk)})", [self._owner, *chunk]
            )

    def _holders(self, keys: Sequence[str]) -> list[Row]:
        return self._database.read(
            f"SELECT key, owner, host, pid, started, expires FROM claims WHERE key IN ({_marks(keys)})", keys
        )

    def _is_free(self, holder: Row, now: float, gone: dict[Process, bool]) -> bool:
        _, owner, host, pid, started, expires = holder
        if owner == self._owner or expires <= now:
            return True
        process = Process(host, pid, started)
        if process not in gone:
            gone[process] = is_gone(process)
        return gone[process]

    def _reserve(self, key: str, now: float) -> None:
        here = this_process()
        self._database.write(
            "INSERT OR REPLACE INTO claims (key, owner, host, pid, started, expires) VALUES (?, ?, ?, ?, ?, ?)",
            [key, self._owner, here.host, here.pid, here.started, now + self._lease],
        )

    def _interned(self, identity: Identity) -> int:
        text = identity_to_json(identity)
        if text not in self._identities:
            self._database.write("INSERT OR IGNORE INTO identities (identity) VALUES (?)", [text])
            ((number,),) = self._database.read("SELECT id FROM identities WHERE identity = ?", [text])
            self._identities[text] = number
        return self._identities[text]

    def _decoded(self, reply_id: str, text: str) -> Reply:
        try:
            return reply_from_json(text)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StoreError(
                f"{self.path}: reply {reply_id} is not readable ({error!r})",
                "the file was changed by something else: restore it from a copy, or move it away and run again",
            ) from error


def _chunks(values: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
