"""llama.cpp through llama-cpp-python's low-level functions: imported late, kept quiet, opened and closed.

Two settings hold in both modes. No repacked weights (``use_extra_bufts``): repacked, a token's numbers depend on how
many others are read with it, and the kernels for AMX of llama-cpp-python 0.3.36 crashed the process where they were
tried. And a cache of full size for sliding windows, else what is shared could not be taken back.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sotaque.errors import Fatal, Rejected
from sotaque.models.local_library import library as imported
from sotaque.models.providers import CacheMode

Library: TypeAlias = Any
Handle: TypeAlias = Any

DIRECT, SERVED = "llama_cpp", "xllamacpp"
DIRECT_PACKAGE = "llama-cpp-python"
COMPILES = "5 to 15 minutes"
BATCH = 512
"""Tokens that are read at once."""

OUTPUT_BYTES = 64 * 2**20
"""Memory for the logits of one step."""

FEWEST_OUTPUTS = 32

_ERROR = 4
_F32, _F16 = 0, 1
_said: list[str] = []
_kept: list[object] = []


@dataclass(frozen=True, slots=True)
class Weights:
    """An opened model: llama.cpp's handles of it and of its vocabulary. Only the vocabulary may have been read."""

    model: Handle
    vocabulary: Handle

    def close(self) -> None:
        """Free the memory."""
        llama().llama_model_free(self.model)


def installed(module: str) -> bool:
    """Whether a module can be imported."""
    return importlib.util.find_spec(module) is not None


def llama() -> Library:
    """llama-cpp-python, imported now. What llama.cpp says goes into our errors, not to the terminal."""
    library = imported(DIRECT)
    if not _kept:
        heard = library.llama_log_callback(_hear)
        library.llama_log_set(heard, ctypes.c_void_p(0))
        _kept.append(heard)  # C holds no reference
        library.llama_backend_init()
    return library


def open_weights(path: Path, *, vocabulary_only: bool = False) -> Weights:
    """Open a GGUF file.

    Raises:
        Fatal: llama.cpp refuses it; says why in llama.cpp's words.
    """
    library = llama()
    params = library.llama_model_default_params()
    params.vocab_only = vocabulary_only
    params.use_extra_bufts = False
    _said.clear()
    model = library.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise Fatal(
            f"{path} cannot be loaded by llama.cpp: {last_words('it does not say why')}",
            f"check the file, free memory, or try a newer {DIRECT_PACKAGE}: it may not know the architecture yet",
        )
    return Weights(model, library.llama_model_get_vocab(model))


def open_context(weights: Weights, size: int, mode: CacheMode) -> Handle:
    """Memory for ``size`` tokens of one sequence, with the cache of ``mode``.

    Raises:
        Rejected: there is no room for it.
    """
    library = llama()
    params = library.llama_context_default_params()
    params.n_ctx = size
    params.n_batch = params.n_ubatch = min(BATCH, size)
    params.n_outputs_max = outputs_at_once(weights)
    params.n_seq_max = 1
    params.n_threads = params.n_threads_batch = threads()
    params.type_k = params.type_v = _F32 if mode == "exact" else _F16
    params.flash_attn_type = (
        library.LLAMA_FLASH_ATTN_TYPE_DISABLED if mode == "exact" else library.LLAMA_FLASH_ATTN_TYPE_ENABLED
    )
    params.swa_full = True
    params.no_perf = True
    _said.clear()
    context = library.llama_init_from_model(weights.model, params)
    if not context:
        raise Rejected(
            f"no memory for a cache of {size} tokens ({last_words('llama.cpp does not say why')})",
            "free memory, use fewer examples, a smaller model, or --kv fast, which needs half of it",
        )
    return context


def outputs_at_once(weights: Weights) -> int:
    """For how many tokens logits are computed in one step."""
    size: int = llama().llama_vocab_n_tokens(weights.vocabulary)
    return max(FEWEST_OUTPUTS, min(BATCH, OUTPUT_BYTES // (4 * size)))


def last_words(otherwise: str) -> str:
    """The errors that llama.cpp logged since the last call of ours, the first of them, without its function's name."""
    lines = [line.strip() for line in "".join(_said).splitlines() if line.strip()]
    telling = [line for line in lines if ": failed to load model" not in line] or lines
    return telling[0].partition(": ")[2] or telling[0] if telling else otherwise


def stoppable(work: Callable[[], int], context: Handle) -> int:
    """Run a long decode in a thread, so that a signal ends it between two operations of the network."""
    library = llama()
    stop: list[bool] = []

    def stopped(data: object) -> bool:
        return bool(stop)

    asked = library.ggml_abort_callback(stopped)
    library.llama_set_abort_callback(context, asked, None)
    try:
        with ThreadPoolExecutor(1) as thread:
            future = thread.submit(work)
            try:
                return future.result()
            except BaseException:
                stop.append(True)
                raise
    finally:
        library.llama_set_abort_callback(context, library.ggml_abort_callback(), None)


def _hear(level: int, text: bytes, data: object) -> None:
    del data
    if level == _ERROR and len(_said) < 100:
        _said.append(text.decode("utf-8", "replace"))


def threads() -> int:
    """How many cores to use: ``OMP_NUM_THREADS``, as for torch, else all that this process may use.

    Threads wait for each other after every operation of the network: beside another busy program fewer are faster.
    """
    if (wanted := os.environ.get("OMP_NUM_THREADS", "")).isdigit() and int(wanted):
        return int(wanted)
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1
