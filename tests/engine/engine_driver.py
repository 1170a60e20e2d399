"""One call of ``complete`` as a process of its own: engine_driver.py KIND STORE COUNT [URL].

Prints each reply's text (or "-" for a failure) as a JSON list. The prompts are those of ``engine_doubles.chats``.
"""

import asyncio
import json
import signal
import sys
import time
from pathlib import Path

import aiohttp
from engine_doubles import Batched, Served, chats

from sotaque.engine.complete import complete
from sotaque.engine.pace import Settings
from sotaque.engine.store import Store
from sotaque.errors import SotaqueError
from sotaque.models.model import Identity
from sotaque.records import Failure, Reply, Request

ANSWERED = 5


class Posting(Served):
    """Posts the prompt to a server and takes the body for the reply."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.session: aiohttp.ClientSession | None = None

    async def ask(self, request: Request) -> Reply:
        self.session = self.session or aiohttp.ClientSession()
        async with self.session.post(self.url, data=request.messages[0].content.encode()) as response:
            return Reply(text=await response.text())

    async def close(self) -> None:
        if self.session is not None:
            await self.session.close()
        say("closed")


class Hanging(Served):
    """Answers five requests, then never again."""

    patient = False

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        if len(self.asked) <= ANSWERED:
            return Reply(text="pronta")
        say("hanging")
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if not self.patient:
                    raise

    async def close(self) -> None:
        say("closed")
        if self.patient:
            await asyncio.Event().wait()


class Stubborn(Hanging):
    """Does not end when it is cancelled, and does not close either."""

    patient = True


def answers_then_computes(request: Request) -> None:
    if request not in chats(2 * ANSWERED)[:ANSWERED]:
        say("hanging")
        time.sleep(600)


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main(kind: str, path: str, count: str, url: str = "") -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may themselves run with Ctrl-C ignored
    model = {
        "post": lambda: Posting(url),
        "hang": Hanging,
        "hang-unstable": lambda: Hanging(identity=Identity("local-server", stable=False)),
        "stubborn": Stubborn,
        "batch": lambda: Batched(1, answers_then_computes),
    }[kind]()
    settings = Settings(concurrency=4)
    with Store(Path(path)) as store:
        try:
            results = complete(chats(int(count)), model, store, settings)
        except SotaqueError as error:
            say(str(error))
            return error.exit_code
    print(json.dumps(["-" if isinstance(result, Failure) else result.reply.text for result in results]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
