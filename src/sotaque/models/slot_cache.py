"""A key-value cache with one text per slot, in which a token's column is its position.

transformers' own caches keep all rows equally long: rows of unequal texts need padding on the left, which moves what a
sliding window drops, and each token copies everything. Here each row goes on at its own column. What stands behind a
row's end is stale and hidden by the mask until it is overwritten.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sotaque.models.local_library import Cache, Library, Tensor, library
from sotaque.models.local_network import out_of_room

# Buffers grow by so many columns: growing copies everything that is held.
COLUMNS = 128


@dataclass(slots=True)
class _Place:
    """Where the next forward step writes, and how much it sees; shared by all layers."""

    rows: int = 0
    columns: int = 0
    first: int = 0
    start: int = 0
    each: tuple[Tensor, Tensor] | None = None
    width: int = 0

    def written(self, kept: Tensor, new: Tensor) -> Tensor:
        """``kept``, large enough and with ``new``, of shape (rows, heads, tokens, size), in its place."""
        kept = self.grown(kept, new)
        rows, _, tokens, _ = new.shape
        if self.each is None:
            kept[self.first : self.first + rows, :, self.start : self.start + tokens] = new
        else:
            slots, columns = self.each
            kept[slots, :, columns] = new[:, :, 0]
        return kept

    def grown(self, kept: Tensor, like: Tensor) -> Tensor:
        """``kept`` with room for ``rows`` and ``columns``. Zeros, because a masked NaN would still spoil its row."""
        if kept is not None and kept.shape[0] >= self.rows and kept.shape[2] >= self.columns:
            return kept
        rows, columns = (0, 0) if kept is None else (kept.shape[0], kept.shape[2])
        larger = like.new_zeros(max(rows, self.rows), like.shape[1], max(columns, self.columns), like.shape[3])
        if kept is not None:
            larger[:rows, :, :columns] = kept
        return larger

    def seen(self, kept: Tensor, rows: int) -> Tensor:
        """The rows that take part, up to the last column that any of them may see."""
        return kept[self.first : self.first + rows, :, : self.width]


class SlotCache:
    """Keys and values of several texts.

    Attributes:
        past: what transformers takes for a cache.
    """

    def __init__(self) -> None:
        self._place = _Place()
        self.past: Cache = library("transformers").Cache(layer_class_to_replicate=self._new_layer)

    def place_block(self, first: int, rows: int, start: int, tokens: int) -> None:
        """The next step writes ``tokens`` columns from ``start`` on, of ``rows`` slots from ``first`` on."""
        self._reserve(first + rows, start + tokens)
        self._place.first, self._place.start, self._place.each = first, start, None
        self._place.width = start + tokens

    def place_each(self, columns: Tensor) -> None:
        """The next step writes one token in each of the first slots, at that slot's column (int64, one per slot)."""
        self._place.width = int(columns.max()) + 1
        self._reserve(len(columns), self._place.width)
        torch = library("torch")
        self._place.first, self._place.each = 0, (torch.arange(len(columns), device=columns.device), columns)

    def fill(self, first: int, rows: int, source: SlotCache, columns: int) -> None:
        """Empty ``rows`` slots from ``first`` on, then give each the first ``columns`` of the source's first slot.

        Raises:
            OutOfRoom: no memory for the slots.
        """
        self._reserve(first + rows, columns)
        with out_of_room(), library("torch").inference_mode():
            for number, theirs in enumerate(source.past.layers):
                if len(self.past.layers) <= number:
                    self.past.layers.append(self._new_layer())
                if theirs.keys is not None:
                    self.past.layers[number].borrow(theirs, slice(first, first + rows), columns)
            if not columns:
                self._clear(slice(first, first + rows))

    def move(self, source: int, target: int) -> None:
        """Put what is in slot ``source`` into slot ``target``."""
        with out_of_room(), library("torch").inference_mode():
            for layer in self.past.layers:
                if layer.keys is not None:
                    layer.keys[target] = layer.keys[source]
                    layer.values[target] = layer.values[source]

    def _clear(self, slots: slice) -> None:
        for layer in self.past.layers:
            if layer.keys is not None:
                layer.keys[slots] = 0
                layer.values[slots] = 0

    def _reserve(self, rows: int, columns: int) -> None:
        self._place.rows = max(self._place.rows, rows)
        self._place.columns = max(self._place.columns, -(-columns // COLUMNS) * COLUMNS)

    def _new_layer(self) -> Library:
        return _layer_class()(self._place)


@functools.cache
def _layer_class() -> Library:
    """Made late, because its base is transformers' (which asks for it by ``isinstance``)."""
    base: Library = library("transformers.cache_utils").DynamicLayer

    class SlotLayer(base):
        def __init__(self, place: _Place) -> None:
            parent: Library = super()
            parent.__init__()
            self.keys: Tensor = None
            self.values: Tensor = None
            self._place = place

        def update(self, key_states: Tensor, value_states: Tensor, *_: object, **__: object) -> tuple[Tensor, Tensor]:
            self.is_initialized = True
            self.keys = self._place.written(self.keys, key_states)
            self.values = self._place.written(self.values, value_states)
            rows = len(key_states)
            return self._place.seen(self.keys, rows), self._place.seen(self.values, rows)

        def borrow(self, theirs: Library, slots: slice, columns: int) -> None:
            self.is_initialized = True
            self.keys = self._place.grown(self.keys, theirs.keys)
            self.values = self._place.grown(self.values, theirs.values)
            for mine, other in ((self.keys, theirs.keys), (self.values, theirs.values)):
                mine[slots, :, columns:] = 0
                mine[slots, :, :columns] = other[:1, :, :columns]

        def get_seq_length(self, *_: object) -> int:
            return self._place.width

        def get_mask_sizes(self, *_: object) -> tuple[int, int]:
            return self._place.width, 0

    return SlotLayer
