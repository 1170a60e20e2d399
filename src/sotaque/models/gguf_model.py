"""``gguf/PATH``: opened with whatever llama.cpp is installed."""

from __future__ import annotations

from sotaque.errors import MissingExtra, UsageError, install
from sotaque.models.llama_library import COMPILES, DIRECT, SERVED, installed
from sotaque.models.model import Model
from sotaque.models.providers import ModelOptions


def open_gguf(name: str, path: str, options: ModelOptions) -> Model:
    """The model in this process where llama-cpp-python is installed, else behind xllamacpp's server.

    Raises:
        MissingExtra: neither is.
    """
    if options.kv not in ("exact", "fast"):
        raise UsageError(f"unknown kind of cache {options.kv!r}", "one of exact, fast")
    if installed(DIRECT):
        from sotaque.models.llama_cpp import LlamaCppModel

        return LlamaCppModel(name, path, options.kv)
    if installed(SERVED):
        from sotaque.models.gguf_served import ServedGguf

        return ServedGguf(name, path, options)
    raise MissingExtra(
        f"{name}, asked for option scores and texts,",
        "gguf",
        f"that compiles for {COMPILES}; for texts alone 'llama' does, which is there in a minute: {install('llama')}",
    )
