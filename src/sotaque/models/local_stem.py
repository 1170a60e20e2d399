"""The key-value cache that a tree is read with: one stem that stays, and room after it for the pack being read."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from sotaque.models.local_library import Cache, Library, Tensor, library

_LEAST = 256


class Stem:
    """Keys and values of the stem, per layer, in buffers of shape (1, heads, room, width).

    A pack is written behind the stem and seen by the network together with it; then ``keep`` moves what the next pack
    looks back on into its place. transformers' own caches only append, and those of sliding layers drop what a later
    branch still needs.

    Attributes:
        size: how many tokens the stem has.
        tokens: their ids.
    """

    def __init__(self) -> None:
        self._torch: Library = library("torch")
        self._layers: dict[int, tuple[Tensor, Tensor]] = {}
        self.size = 0
        self.tokens: tuple[int, ...] = ()
        self.cache: Cache = _cache_class()(self)

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Put a pack's keys and values, (1, heads, nodes, width) each, behind the stem; returns both together."""
        end = self.size + keys.shape[-2]
        if layer not in self._layers or self._layers[layer][0].shape[-2] < end:
            self._layers[layer] = self._grown(layer, keys, end), self._grown(layer, values, end, 1)
        mine = self._layers[layer]
        for buffer, new in zip(mine, (keys, values), strict=True):
            buffer[..., self.size : end, :] = new
        return mine[0][..., :end, :], mine[1][..., :end, :]

    def keep(self, size: int, places: Sequence[int], tokens: Sequence[int]) -> None:
        """Make the stem of its first ``size`` tokens and the pack's tokens at ``places``."""
        run = list(range(len(places)))
        if places and (self.size != size or list(places) != run):
            self._move(size, [self.size + place for place in places])
        self.size = size + len(places)
        self.tokens = tuple(tokens)

    def forget(self) -> None:
        """Give back the memory."""
        self._layers.clear()
        self.size, self.tokens = 0, ()

    def _move(self, size: int, places: Sequence[int]) -> None:
        with self._torch.inference_mode():
            for pair in self._layers.values():
                moved = self._torch.tensor(places, dtype=self._torch.long, device=pair[0].device)
                for buffer in pair:
                    buffer[..., size : size + len(places), :] = buffer.index_select(-2, moved)

    def _grown(self, layer: int, like: Tensor, end: int, part: int = 0) -> Tensor:
        room = max(_LEAST, end + end // 2)
        buffer = like.new_empty((*like.shape[:-2], room, like.shape[-1]))
        if layer in self._layers and self.size:
            buffer[..., : self.size, :] = self._layers[layer][part][..., : self.size, :]
        return buffer


@functools.cache
def _cache_class() -> Library:
    """A transformers cache that hands everything to a ``Stem``; made late, for transformers is imported late."""
    base: type = library("transformers").DynamicCache

    class StemCache(base):  # pyright: ignore[reportUntypedBaseClass]
        def __init__(self, stem: Stem) -> None:
            base.__init__(self)
            self._stem = stem

        def update(
            self, key_states: Tensor, value_states: Tensor, layer_idx: int, *_: object, **__: object
        ) -> tuple[Tensor, Tensor]:
            return self._stem.write(layer_idx, key_states, value_states)

        def get_seq_length(self, layer_idx: int = 0, *_: object, **__: object) -> int:
            return self._stem.size

    return StemCache
