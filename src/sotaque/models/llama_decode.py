"""Reading tokens with llama.cpp, each of them once.

What was read last stays in the cache, and only what differs from it is read anew: the few-shot prefix of a task, the
question of an item, and the words that options begin with are read once when texts come in an order that keeps them.

Every token is read at the place in the cache where it would be if its text were read alone. Options packed into one
step (llama.cpp's sequences) are not read so: a token then lies elsewhere, its attention is summed in another order,
and quantised weights, which round what they are multiplied with to 8 bits, make up to 1.6 of that 1e-7. On a CPU the
pack is not faster either. And no step is small: llama.cpp has other kernels for one token or output (f32, f16, bf16)
and for fewer than eight (K-quants), which round otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sotaque.errors import Rejected
from sotaque.models.boundary import common_length
from sotaque.models.llama_library import (
    BATCH,
    Weights,
    last_words,
    llama,
    open_context,
    outputs_at_once,
    stoppable,
)
from sotaque.models.providers import CacheMode

Logits: TypeAlias = npt.NDArray[np.float32]

SMALLEST = 1024
LEAST = 8
"""Tokens and outputs of a step, at least."""

LONG = 32
"""Tokens from which on a step is worth a thread of its own, in which it can be stopped."""


class Reader:
    """One sequence of tokens in llama.cpp's memory, which grows when a text needs more.

    Args:
        weights: all of them.
        mode: how the cache is kept.
        window: tokens that the model was made to read; ``None`` where it does not say.
    """

    def __init__(self, weights: Weights, mode: CacheMode, window: int | None) -> None:
        self.window = window
        self.vocabulary: int = llama().llama_vocab_n_tokens(weights.vocabulary)
        self._weights = weights
        self._mode: CacheMode = mode
        self._outputs = outputs_at_once(weights)
        self._context: Any = None
        self._batch: Any = None
        self._room = 0
        self._held: list[int] = []

    def read(self, path: Sequence[int], start: int) -> Iterator[tuple[int, Logits]]:
        """Logits behind each token of ``path`` from ``start`` on, step by step.

        Yields:
            The index in ``path`` of the first row, and the rows: float32, shape (n, vocabulary). They are llama.cpp's
            own memory, and valid until the next step.

        Raises:
            Rejected: no memory, or llama.cpp gives up.
            KeyboardInterrupt: a signal came.
        """
        # What pads a short text stands behind it, where no token of the text sees it.
        padded = [*path, *[path[0]] * (LEAST - len(path))]
        self._make_room(len(padded))
        first = max(0, min(start, len(padded) - LEAST))
        for place, stop in self._pieces(self._keep(padded, first), first, len(padded)):
            rows = self._step(padded[place:stop], first - place)
            begin = max(place, first)
            if (wanted := rows[max(0, start - begin) : max(0, len(path) - begin)]).size:
                yield max(begin, start), wanted

    def behind(self, path: Sequence[int]) -> Logits:
        """Logits behind the last token of ``path``, shape (vocabulary,); ``go_on`` may follow."""
        *_, (_, rows) = self.read(path, len(path) - 1)
        last = rows[-1].copy()
        if (kept := self._keep(path, len(path))) < len(path):  # what padded a short text could not be taken back alone
            self._step(path[kept:], len(path))
        return last

    def go_on(self, token: int) -> Logits:
        """Logits behind one more token, shape (vocabulary,). For writing, where there is but one token to read."""
        return self._step([token], 0)[0]

    def reserve(self, size: int) -> None:
        """Room for a text of so many tokens: what is read must not be lost while it grows."""
        self._make_room(max(size, LEAST))

    def close(self) -> None:
        """Free the memory; the weights stay."""
        if self._context is not None:
            llama().llama_batch_free(self._batch)
            llama().llama_free(self._context)
        self._context, self._held, self._room = None, [], 0

    def _pieces(self, place: int, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Steps from ``place`` to ``end``, none of them small, nor one with few outputs (those from ``first`` on)."""
        while place < end:
            stop = min(place + BATCH, max(place, first) + self._outputs, end)
            if 0 < end - stop < LEAST:
                stop = end - LEAST
            if 0 < stop - first < LEAST:
                stop = first
            yield place, stop
            place = stop

    def _step(self, tokens: Sequence[int], first: int) -> Logits:
        """Read tokens behind those held; logits of those from index ``first`` on, shape (n, vocabulary)."""
        size = len(tokens)
        batch = self._batch
        batch.n_tokens = size
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = len(self._held) + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = place >= first
        decode = llama().llama_decode
        _ = last_words("")
        try:
            context = self._context
            code = stoppable(lambda: decode(context, batch), context) if size >= LONG else decode(context, batch)
        except BaseException:
            self._forget()
            raise
        if code:
            self._forget()
            raise Rejected(
                f"llama.cpp could not read {size} tokens (code {code}): {last_words('it does not say why')}",
                "free memory, or use fewer examples",
            )
        self._held.extend(tokens)
        outputs = max(0, size - max(0, first))
        if not outputs:
            return np.empty((0, self.vocabulary), np.float32)
        return np.ctypeslib.as_array(llama().llama_get_logits(self._context), shape=(outputs, self.vocabulary))

    def _keep(self, path: Sequence[int], most: int) -> int:
        """Drop what the cache holds beyond the beginning it shares with ``path``; how many tokens stay."""
        kept = min(common_length([self._held, path]), most)
        if kept == len(self._held):
            return kept
        memory = llama().llama_get_memory(self._context)
        if not llama().llama_memory_seq_rm(memory, 0, kept, -1):
            # Recurrent networks have one state, and no way back.
            self._forget()
            return 0
        del self._held[kept:]
        return kept

    def _make_room(self, size: int) -> None:
        if size <= self._room:
            return
        self.close()
        room = max(SMALLEST, 1 << (size - 1).bit_length())
        room = max(size, min(room, self.window or room))
        self._context = open_context(self._weights, room, self._mode)
        self._batch = llama().llama_batch_init(BATCH, 0, 1)
        self._room = room

    def _forget(self) -> None:
        self._held.clear()
        llama().llama_memory_clear(llama().llama_get_memory(self._context), True)


def log_probabilities(row: Logits, tokens: Sequence[int]) -> list[float]:
    """Natural log-probability of each of ``tokens`` by logits of shape (vocabulary,).

    Raises:
        Rejected: not a number.
    """
    top = float(row.max())
    total = math.log(float(np.exp(row - top).sum(dtype=np.float64))) if math.isfinite(top) else math.nan
    found = [float(row[token]) - top - total for token in tokens]
    if any(map(math.isnan, found)):
        raise Rejected("the network gives no numbers (NaN) for this text", "try another quantisation of the model")
    return found
