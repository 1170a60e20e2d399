"""GGUF files in this process: ``gguf/PATH`` through llama-cpp-python, options and texts.

In exact mode (float32 cache, no flash attention) sharing what options and items have in common changes nothing: each
option gets the number it gets alone. In fast mode (float16 cache, flash attention) it gets another. The mode is part
of the key; the version of llama.cpp, the processor and the number of threads are not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sotaque.errors import Fatal, ModelError, Rejected, UnknownModel, UsageError
from sotaque.models import llama_choose, llama_generate
from sotaque.models.gguf_place import GgufFile, find_gguf
from sotaque.models.gguf_tokenizer import GgufTokenizer
from sotaque.models.llama_decode import Reader
from sotaque.models.llama_library import DIRECT_PACKAGE, Weights, open_weights
from sotaque.models.local_library import versions
from sotaque.models.local_preview import shown
from sotaque.models.local_prompt import Prompter
from sotaque.models.model import Identity
from sotaque.models.providers import CacheMode
from sotaque.records import Ability, Choose, Generate, Guess, Reply, Request, Usage

CACHES: dict[CacheMode, dict[str, str]] = {
    "exact": {"mode": "exact", "kv": "f32", "flash_attention": "off"},
    "fast": {"mode": "fast", "kv": "f16", "flash_attention": "on"},
}


@dataclass(frozen=True, slots=True)
class _Prepared:
    file: GgufFile
    tokenizer: GgufTokenizer
    prompter: Prompter


class LlamaCppModel:
    """A BatchModel on llama.cpp.

    ``prepare`` reads the header and the vocabulary; the weights are loaded at the first request, so that a run whose
    replies are all stored never loads them.

    Args:
        name: as the user wrote it.
        path: of the file, or of the first of its parts.
        mode: how the cache is kept.
    """

    # Requests are answered one after the other: what the first of them read is in the cache for the next.
    batch_size = 4

    def __init__(self, name: str, path: str, mode: CacheMode = "exact") -> None:
        self._path = path
        self._mode: CacheMode = mode
        self._identity = Identity(name)
        self._known: _Prepared | None = None
        self._weights: Weights | None = None
        self._reader: Reader | None = None

    @property
    def identity(self) -> Identity:
        """Name, sha256 of the file, and how the cache is kept."""
        return self._identity

    @property
    def abilities(self) -> frozenset[Ability]:
        """Text and option scores always; chat where the file has a template."""
        chat = {Ability.CHAT} if self._known and self._known.prompter.chats else set[Ability]()
        return frozenset({Ability.COMPLETE, Ability.CHOOSE} | chat)

    def refusal(self, ability: Ability) -> str:
        """Why an ability is lacking."""
        if ability is Ability.CHAT:
            return f"{self._identity.name} has no chat template: ask with --as text"
        return f"{self._identity.name} is a language model, not a baseline"

    def prepare(self, needs: frozenset[Ability]) -> None:
        """Check the file, hash it, and read its vocabulary.

        Raises:
            UnknownModel: no such file, not a whole GGUF file, or not one that llama.cpp can load.
        """
        del needs
        self.close()
        file = find_gguf(self._path)
        try:
            weights = open_weights(file.path, vocabulary_only=True)
        except Fatal as error:
            raise UnknownModel(error.message, error.remedy) from None
        tokenizer = GgufTokenizer(weights, file.header)
        self._known = _Prepared(file, tokenizer, Prompter(tokenizer))
        details = {"gguf": file.digest, "through": DIRECT_PACKAGE, **CACHES[self._mode]}
        about = f"{file.about}; {details['kv']} cache, {DIRECT_PACKAGE} {versions(DIRECT_PACKAGE)[DIRECT_PACKAGE]}"
        self._identity = Identity(self._identity.name, details, stable=True, about=about)

    def preview(self, request: Request) -> str:
        """The exact prompt; for Choose the context, and each continuation marked, with what is scored of it."""
        if isinstance(request, Guess):
            raise UsageError(self.refusal(Ability.GUESS))
        return shown(self._prepared().prompter, request)

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply | ModelError]]:
        """Answer each request in turn.

        Raises:
            Fatal: the weights cannot be loaded.
        """
        for request in requests:
            if isinstance(request, Guess):
                yield request, Rejected(self.refusal(Ability.GUESS))
            elif isinstance(request, Choose):
                yield request, self._timed(lambda request=request: self._chosen(request))
            else:
                yield request, self._timed(lambda request=request: self._written(request))

    def close(self) -> None:
        """Free the memory of weights and cache; the next request loads them again."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        if self._weights is not None:
            self._weights.close()
            self._weights = None

    def _timed(self, answered: Callable[[], Reply]) -> Reply | ModelError:
        self._loaded()
        began = time.perf_counter()
        try:
            reply = answered()
        except Rejected as error:
            return error
        return replace(reply, model=self._identity.name, seconds=time.perf_counter() - began)

    def _chosen(self, request: Choose) -> Reply:
        cut, notes = self._prepared().prompter.choice(request)
        scores, distinct = llama_choose.score(self._loaded(), cut)
        return Reply(scores=tuple(scores), usage=Usage(prompt=distinct), notes=notes)

    def _written(self, request: Generate) -> Reply:
        known = self._prepared()
        prompt, notes = known.prompter.prompt(request)
        behind = () if request.messages else prompt
        written = llama_generate.write(
            self._loaded(),
            prompt,
            request.sampling,
            repeat=request.repeat,
            ends=known.tokenizer.ends,
            text=lambda ids: known.prompter.text(ids, behind),
        )
        usage = Usage(prompt=len(prompt), completion=written.tokens)
        return Reply(text=written.text, finish=written.finish, usage=usage, notes=notes)

    def _loaded(self) -> Reader:
        if self._reader is None:
            known = self._prepared()
            self._weights = open_weights(known.file.path)
            self._reader = Reader(self._weights, self._mode, known.file.header.window or None)
        return self._reader

    def _prepared(self) -> _Prepared:
        if self._known is None:
            raise UsageError(f"{self._identity.name} was asked before it was prepared", "call prepare() first")
        return self._known
