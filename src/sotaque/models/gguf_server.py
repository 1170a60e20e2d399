"""xllamacpp's server in a process of its own: it can be ended in the middle of a step, and a crash is its own.

This file is also the program of that process: ``python -m sotaque.models.gguf_server``. It ends with its standard
input, that is, with us, however we end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass

from sotaque.errors import Fatal
from sotaque.models.llama_library import SERVED, threads
from sotaque.models.local_library import first_line, library
from sotaque.models.providers import CacheMode


@dataclass(frozen=True, slots=True)
class Serving:
    """What is to be served: a file, the tokens of the window, and how the cache is kept."""

    path: str
    room: int
    mode: CacheMode


class Server:
    """A running server, at ``address`` (http://127.0.0.1:PORT).

    Raises:
        Fatal: it does not start; says why, as far as llama.cpp does.
    """

    def __init__(self, serving: Serving) -> None:
        # A session of its own: Ctrl-C in the terminal is for us to act on.
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, json.dumps(asdict(serving))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
        assert self._process.stdout is not None
        try:
            said = self._process.stdout.readline().strip()
        except BaseException:
            self.stop()
            raise
        if not said.startswith("http://"):
            self.stop()
            raise Fatal(
                f"{serving.path} cannot be served by llama.cpp: {said or 'its process broke off'}",
                f"free memory, or try a newer {SERVED}: it may not know the architecture yet",
            )
        self.address = said

    @property
    def end(self) -> str:
        """How it ended, as people say it; empty while it runs."""
        code = self._process.poll()
        return "" if code is None else f"its process ended with code {code}"

    def stop(self) -> None:
        """End it at once; its memory is free then."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def serve(serving: Serving) -> None:
    """Serve until standard input ends: the program of the process."""
    served = library(SERVED)
    params = served.CommonParams()
    params.model.path = serving.path
    # One slot: no reply depends on what was asked beside it.
    params.port, params.verbosity, params.n_parallel = 0, -1, 1
    params.n_ctx = serving.room
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
    params.fit_params = False  # the size of the window must not depend on what else is running
    params.no_extra_bufts = True
    exact, number, flash = serving.mode == "exact", served.ggml_type, served.llama_flash_attn_type
    params.cache_type_k = params.cache_type_v = number.GGML_TYPE_F32 if exact else number.GGML_TYPE_F16
    params.flash_attn_type = flash.LLAMA_FLASH_ATTN_TYPE_DISABLED if exact else flash.LLAMA_FLASH_ATTN_TYPE_ENABLED
    try:
        server = served.Server(params)
    except RuntimeError as error:
        print(first_line(error), flush=True)
        return
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server would finish its step first


if __name__ == "__main__":
    serve(Serving(**json.loads(sys.argv[1])))
