"""A hub on loopback that answers as the real one does: listing at a revision, and files at a commit.

Small files are named by their git blob id; others, as on the hub, live in large-file storage: the file's own address
answers with a redirect to another place, and the listing holds their sha256.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote, urlsplit

COMMIT = "a" * 39 + "1"
MOVED = "b" * 39 + "2"
LARGE = 4096


@dataclass
class Repository:
    """One data set: what each branch, tag and commit points to, and the files of each commit."""

    files: dict[str, bytes]
    card: dict[str, object] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=lambda: {"main": COMMIT, COMMIT: COMMIT})
    gated: bool = False


@dataclass
class Hub:
    """What the test may set and look at."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)
    status: int = 0
    url: str = ""
    storage: str = ""


def _git_blob(body: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path}")
        if self.hub.status:
            self._send(self.hub.status, b"", {}, body=body)
            return
        _, kind, *rest = path.split("/")
        if kind == "api":
            self._listing("/".join(rest[1:3]), rest[4] if len(rest) > 4 else "main", body=body)
        elif kind == "datasets":
            self._file("/".join(rest[:2]), rest[3], "/".join(rest[4:]), body=body)
        else:
            self._stored("/".join(rest[:2]), "/".join(rest[2:]), body=body)

    def _found(self, name: str, revision: str, *, body: bool) -> Repository | None:
        repository = self.hub.repositories.get(name)
        if repository is None:
            self._refuse(401, "RepoNotFound", body=body)
        elif repository.gated:
            self._refuse(403, "GatedRepo", body=body)
        elif revision not in repository.refs:
            self._refuse(404, "RevisionNotFound", body=body)
        else:
            return repository
        return None

    def _listing(self, name: str, revision: str, *, body: bool) -> None:
        repository = self._found(name, revision, body=body)
        if repository is None:
            return
        siblings = []
        for path, content in repository.files.items():
            entry: dict[str, object] = {"rfilename": path, "size": len(content), "blobId": _git_blob(content)}
            if len(content) > LARGE:
                sha256 = hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 130}
            siblings.append(entry)
        listing = {"id": name, "sha": repository.refs[revision], "siblings": siblings, "cardData": repository.card}
        self._send(200, json.dumps(listing).encode(), {"Content-Type": "application/json"}, body=body)

    def _file(self, name: str, revision: str, path: str, *, body: bool) -> None:
        repository = self._found(name, revision, body=body)
        if repository is None:
            return
        if path not in repository.files:
            self._refuse(404, "EntryNotFound", body=body)
            return
        content = repository.files[path]
        headers = {"X-Repo-Commit": repository.refs[revision]}
        if len(content) > LARGE:
            headers |= {
                "X-Linked-Etag": f'"{hashlib.sha256(content).hexdigest()}"',
                "X-Linked-Size": str(len(content)),
                "Location": f"{self.hub.storage}/stored/{name}/{path}",
            }
            self._send(302, b"", headers, body=body)
            return
        self._send(200, self._bytes(path, content), headers | {"ETag": f'"{_git_blob(content)}"'}, body=body)

    def _stored(self, name: str, path: str, *, body: bool) -> None:
        content = self._bytes(path, self.hub.repositories[name].files[path])
        self._send(200, content, {"ETag": f'"{hashlib.sha256(content).hexdigest()}"'}, body=body)

    def _bytes(self, path: str, content: bytes) -> bytes:
        return content[:-1] + b"?" if path in self.hub.damaged else content

    def _refuse(self, status: int, code: str, *, body: bool) -> None:
        self._send(status, b"{}", {"X-Error-Code": code, "X-Error-Message": code}, body=body)

    def _send(self, status: int, content: bytes, headers: dict[str, str], *, body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def running_hub() -> Iterator[Hub]:
    """The hub, and its storage on an address of its own: a client treats a redirect to the same one differently."""
    hub = Hub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    with _serving(handler) as hub.url, _serving(handler) as hub.storage:
        yield hub


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
