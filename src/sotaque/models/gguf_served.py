"""GGUF files where llama-cpp-python is not installed: texts, through xllamacpp's server on 127.0.0.1.

The server is ours: it starts with ``prepare``, ends with ``close`` or with the interpreter, and reads one request at a
time, so that no reply depends on what was asked beside it. Its port changes from run to run, and is not in the key.
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Mapping
from dataclasses import replace

from sotaque.errors import Fatal, Rejected, Transient
from sotaque.models.gguf_header import Header
from sotaque.models.gguf_place import GgufFile, check_gguf, find_gguf
from sotaque.models.gguf_server import Server, Serving
from sotaque.models.llama_library import COMPILES, SERVED
from sotaque.models.local_library import versions
from sotaque.models.model import Identity
from sotaque.models.openai_compatible import OpenAICompatibleModel
from sotaque.models.providers import PROVIDERS, CacheMode, ModelOptions
from sotaque.records import Ability, Choose, Rendering, Reply, Request

CACHE_BYTES = 2**30
"""Memory for the cache; a model with a long window gets a shorter one, and refuses what does not fit."""

_LEAST = 4096
_NOWHERE = "http://127.0.0.1/v1"
_NUMBERS: Mapping[CacheMode, tuple[str, int]] = {"exact": ("f32", 4), "fast": ("f16", 2)}
_KEPT = ("extra_body", "reasoning_effort")


class ServedGguf:
    """A ServedModel in front of a server of our own.

    Args:
        name: as the user wrote it.
        path: of the file, or of the first of its parts.
        options: what the user said; where the server is, is not theirs to say.
    """

    def __init__(self, name: str, path: str, options: ModelOptions) -> None:
        self._name = name
        self._path = path
        self._options = options
        self._file: GgufFile | None = None
        self._identity = Identity(name)
        self._server: Server | None = None
        self._asked = self._at(_NOWHERE)
        atexit.register(_stop_at_exit, weakref.ref(self))

    @property
    def identity(self) -> Identity:
        """Name, sha256 of the file, and how the cache is kept."""
        return self._identity

    @property
    def rendering(self) -> Rendering:
        """How prompts are sent unless the run says otherwise."""
        if self._options.as_:
            return self._options.as_
        return "chat" if self._has_template() else "text"

    @property
    def abilities(self) -> frozenset[Ability]:
        """Texts; chat where the file has a template."""
        return frozenset(ability for ability in Ability if not self.refusal(ability))

    def refusal(self, ability: Ability) -> str:
        """Why an ability is lacking; empty when it is there."""
        if ability is Ability.CHOOSE:
            return (
                f"Scoring options of {self._name} needs the extra 'gguf' (pip install 'sotaque[gguf]', which compiles "
                f"for {COMPILES}): the installed {SERVED} serves texts only."
            )
        if ability is Ability.CHAT and not self._has_template():
            return f"{self._name} has no chat template: ask with --as text"
        return self._asked.refusal(ability)

    def prepare(self, needs: frozenset[Ability]) -> None:
        """Check the file, hash it, and start the server.

        Raises:
            UnknownModel: no such file, or not a whole GGUF file.
            Fatal: llama.cpp cannot load it.
        """
        self._file = find_gguf(self._path)
        self._start()
        self._asked.prepare(needs - {Ability.CHOOSE})
        numbers, _ = _NUMBERS[self._options.kv]
        said = {name: value for name in _KEPT if (value := self._asked.identity.details.get(name))}
        flash = "off" if self._options.kv == "exact" else "on"
        cache = {"mode": self._options.kv, "kv": numbers, "flash_attention": flash}
        about = f"{self._file.about}; {numbers} cache, {SERVED} {versions(SERVED)[SERVED]}"
        details = {"gguf": self._file.digest, "through": SERVED, **cache, **said}
        self._identity = Identity(self._name, details, stable=True, about=about)

    def preview(self, request: Request) -> str:
        """The URL and the body as they would be posted."""
        return self._asked.preview(request)

    async def ask(self, request: Request) -> Reply:
        """One request, one try. Where the server was closed, it is started again."""
        if isinstance(request, Choose):
            raise Rejected(self.refusal(Ability.CHOOSE))
        self._start()
        try:
            return replace(await self._asked.ask(request), model=self._name)
        except Transient as error:
            if self._server is not None and (end := self._server.end):
                raise Fatal(f"llama.cpp's server of {self._name} is gone: {end}", f"try another {SERVED}") from error
            raise

    async def close(self) -> None:
        """Close the connections of the running event loop, and end the server."""
        await self._asked.close()
        self.stop()

    def stop(self) -> None:
        """End the server at once; its memory is free then."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()

    def _start(self) -> None:
        if self._server is None:
            path, header = check_gguf(self._path)
            self._server = Server(Serving(str(path), _room(header, self._options.kv), self._options.kv))
            self._asked = self._at(f"{self._server.address}/v1")

    def _at(self, url: str) -> OpenAICompatibleModel:
        provider = replace(PROVIDERS["llamacpp"], title="llama.cpp")
        return OpenAICompatibleModel(self._name, self._name, provider, replace(self._options, base_url=url))

    def _has_template(self) -> bool:
        return self._file is None or bool(self._file.header.chat_template)


def _room(header: Header, mode: CacheMode) -> int:
    """Tokens of the server's window: the model's, as far as memory goes."""
    window = header.window or _LEAST
    cost = header.cache_values * _NUMBERS[mode][1]
    return min(window, max(_LEAST, CACHE_BYTES // cost)) if cost else window


def _stop_at_exit(model: weakref.ref[ServedGguf]) -> None:
    if (alive := model()) is not None:
        alive.stop()
