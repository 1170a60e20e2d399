"""A model server on loopback that does as it is told: replies, stalls, breaks off, and every kind of error.

    with FaultServer(sequence(status(429), chat("A resposta é B."))) as server:
        ...  # base URL: server.url; what it was asked: server.seen

A behaviour is a function from what was asked (``Seen``) to what to do (``Answer``). In a thread by default; as a
process of its own: ``python tests/fault_server.py --delay 0.05 --fail-rate 0.3 --log FILE`` prints its URL.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aiohttp import web

NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Seen:
    """One request as it arrived; ``number`` counts the POSTs from 0."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    number: int

    @property
    def text(self) -> str:
        """The last user turn, or the prompt."""
        messages = self.body.get("messages") if isinstance(self.body, dict) else None
        return messages[-1]["content"] if messages else (self.body or {}).get("prompt", "")


@dataclass(frozen=True)
class Answer:
    """What to do: reply (after ``delay`` seconds), drop the connection, never answer, or cut the body short.

    With ``until`` nothing is done before so many POSTs have arrived.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    kind: str = "reply"
    until: int = 0

    @property
    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body, ensure_ascii=False).encode()


Behaviour = Callable[[Seen], Answer]


# ---------------------------------------------------------------- answers


def chat(text: str | None, finish: str = "stop", *, delay: float = 0.0, usage: Any = None, **message: Any) -> Answer:
    """A chat reply; further keywords go into the message (reasoning_content=..., refusal=..., tool_calls=...)."""
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15} if usage is None else usage
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    body = {"object": "chat.completion", "model": "toy-2026-01-01", "choices": [choice], "usage": usage}
    return Answer(body=body, delay=delay)


def text(continuation: str, finish: str = "stop") -> Answer:
    """A text completion."""
    choice = {"index": 0, "text": continuation, "finish_reason": finish, "logprobs": None}
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    return Answer(body={"object": "text_completion", "model": "toy-2026-01-01", "choices": [choice], "usage": usage})


def status(code: int, message: str = "", /, *, headers: Mapping[str, str] = NO_HEADERS, **error: Any) -> Answer:
    """An error in OpenAI's shape; further keywords go into it (code="insufficient_quota", param=...)."""
    return Answer(code, {"error": {"message": message or f"fault {code}", **error}}, headers)


def raw(content: bytes, code: int = 200, content_type: str = "application/json") -> Answer:
    """These bytes."""
    return Answer(code, content, {"Content-Type": content_type})


def drop() -> Answer:
    """Close the connection without a word."""
    return Answer(kind="drop")


def hang() -> Answer:
    """Never answer."""
    return Answer(kind="hang")


def cut(answer: Answer) -> Answer:
    """Promise the whole body, send half of it, and close the connection."""
    return replace(answer, kind="cut")


def half(answer: Answer) -> Answer:
    """Send half of the body as if it were all: valid HTTP, broken JSON."""
    return raw(answer.content[: len(answer.content) // 2])


# ---------------------------------------------------------------- behaviours


def always(answer: Answer) -> Behaviour:
    return lambda seen: answer


def sequence(*answers: Answer) -> Behaviour:
    """One after the other; the last one for ever."""
    return lambda seen: answers[min(seen.number, len(answers) - 1)]


def by_text(special: Mapping[str, Answer], otherwise: Answer) -> Behaviour:
    """The answer whose key is part of what was asked, else the other."""
    return lambda seen: next((answer for part, answer in special.items() if part in seen.text), otherwise)


def failing(rate: float, otherwise: Answer, seed: int = 0) -> Behaviour:
    """That share of the requests fails at random: 500, 429, a dropped connection, half a body."""
    dice = random.Random(seed)
    faults = (status(500), status(429, headers={"Retry-After": "0"}), drop(), half(otherwise))
    return lambda seen: dice.choice(faults) if dice.random() < rate else otherwise


# ---------------------------------------------------------------- the server


class FaultServer:
    """Serves ``behaviour`` for POSTs under any path, and ``gets`` (path -> Answer) for GETs; 404 for other GETs."""

    def __init__(self, behaviour: Behaviour, gets: Mapping[str, Answer] | None = None, port: int = 0) -> None:
        self.behaviour = behaviour
        self.gets = {"/v1/models": models("toy")} if gets is None else dict(gets)
        self.seen: list[Seen] = []
        self.peak = 0
        self._open = 0
        self._posts = 0
        self._port = port
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def posts(self) -> list[Seen]:
        return [seen for seen in self.seen if seen.method == "POST"]

    def __enter__(self) -> FaultServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        number, self._posts = self._posts, self._posts + (request.method == "POST")
        seen = Seen(request.method, request.path, request.headers.copy(), json.loads(body) if body else None, number)
        self.seen.append(seen)
        async with self._arrived:
            self._arrived.notify_all()
        if request.method == "GET":
            return await self._play(request, self.gets.get(request.path, status(404, "Not Found")))
        self._open += 1
        self.peak = max(self.peak, self._open)
        try:
            return await self._play(request, self.behaviour(seen))
        finally:
            self._open -= 1

    async def _play(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        async with self._arrived:
            await self._arrived.wait_for(lambda: self._posts >= answer.until)
        if answer.delay:
            await asyncio.sleep(answer.delay)
        if answer.kind == "hang":
            await self._stop.wait()
        if answer.kind in ("drop", "hang"):
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        headers = {"Content-Type": "application/json", **answer.headers}
        if answer.kind == "cut":
            response = web.StreamResponse(headers={**headers, "Content-Length": str(len(answer.content))})
            await response.prepare(request)
            await response.write(answer.content[: len(answer.content) // 2])
            assert request.transport is not None
            request.transport.close()
            return response
        return web.Response(status=answer.status, body=answer.content, headers=headers)

    def _run(self) -> None:
        asyncio.run(self.serve(self._ready.set))

    async def serve(self, when_ready: Callable[[], None]) -> None:
        self._loop, self._stop, self._arrived = asyncio.get_running_loop(), asyncio.Event(), asyncio.Condition()
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self._port).start()
        self._port = runner.addresses[0][1]
        when_ready()
        await self._stop.wait()
        await runner.cleanup()


def models(*names: str, **more: Any) -> Answer:
    """The list at /v1/models."""
    return Answer(body={"object": "list", "data": [{"id": name, "object": "model", **more} for name in names]})


def main() -> None:
    """Serve until killed; print the base URL first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--fail-rate", type=float, default=0.0, help="share of requests that fail")
    parser.add_argument("--reply", default="B", help="what to say")
    parser.add_argument("--log", type=Path, help="append a line to this file for each request")
    options = parser.parse_args()
    behaviour = failing(options.fail_rate, chat(options.reply, delay=options.delay))

    def logged(seen: Seen) -> Answer:
        if options.log:
            with options.log.open("a") as log:
                log.write(json.dumps(seen.body, ensure_ascii=False) + "\n")
        return behaviour(seen)

    server = FaultServer(logged)
    asyncio.run(server.serve(lambda: print(server.url, flush=True)))


if __name__ == "__main__":
    main()
