"""A publisher on loopback, and a downloads folder of the test's own."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

BODY = b"ditado,sentido\n" * 9000


class Publisher(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/moved.csv":
            self.send_response(302)
            self.send_header("Location", "ftp://127.0.0.1/data.csv")
            self.end_headers()
            return
        self.send_response(200 if self.path in ("/data.csv", "/short.csv") else 404)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY[:70_000] if self.path == "/short.csv" else BODY)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def publisher() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Asked", (Publisher,), {"asked": asked})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "downloads"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "downloads"
