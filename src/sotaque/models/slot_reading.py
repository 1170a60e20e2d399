"""Forward steps over texts of unequal length in one batch, held to plain reading before anything is written."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sotaque.models.local_library import Config, Library, Tensor, library
from sotaque.models.local_masks import hindrance, masks, narrowed
from sotaque.models.local_network import Network, OutOfRoom, out_of_room
from sotaque.models.slot_cache import SlotCache

# Tokens of one forward step while prompts are read: bounds the mask and the activations.
PIECE = 2048


class SlotReader:
    """Reads tokens into the slots of a SlotCache; positions and masks are made here, from the true positions."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._config: Config = network.net.config.get_text_config()
        self._torch: Library = library("torch")

    def read(self, slots: SlotCache, first: int, rows: Sequence[Sequence[int]], start: int) -> None:
        """Read ``rows``, none empty, into the slots from ``first`` on; all begin at position ``start``.

        Raises:
            OutOfRoom: no memory for it.
        """
        with out_of_room():
            self._read(slots, first, rows, start)

    def _read(self, slots: SlotCache, first: int, rows: Sequence[Sequence[int]], start: int) -> None:
        width = max(len(row) for row in rows)
        # On the right, where nothing sees it; with a token of its own, which spoils no row that it has not spoilt.
        padded = [[*row, *[row[-1]] * (width - len(row))] for row in rows]
        piece = max(1, PIECE // len(rows))
        for begin in range(0, width, piece):
            part = [row[begin : begin + piece] for row in padded]
            slots.place_block(first, len(rows), start + begin, len(part[0]))
            positions = self._numbers(range(start + begin, start + begin + len(part[0]))).expand(len(rows), -1)
            self._network.step(part, slots.past, inputs=self._inputs(positions))

    def step(self, slots: SlotCache, tokens: Sequence[int], positions: Sequence[int]) -> Tensor:
        """Read one token in each of the first slots, at its own position.

        Returns:
            float32 logits, shape (slots, vocabulary).

        Raises:
            OutOfRoom: no memory for it; the same step may be tried again.
        """
        with out_of_room():
            columns = self._numbers(positions)
            slots.place_each(columns)
            inputs = self._inputs(columns[:, None])
            logits, _ = self._network.step([[token] for token in tokens], slots.past, inputs=inputs)
            return logits[:, -1]

    def plain(self, ids: Sequence[int]) -> Tensor:
        """float32 logits, shape (vocabulary,), of what follows ``ids``, read whole and alone."""
        logits, _ = self._network.step([ids], remember=False)
        return logits[0, -1]

    def _numbers(self, values: Sequence[int]) -> Tensor:
        return self._torch.tensor(list(values), device=self._network.net.device)

    def _inputs(self, positions: Tensor) -> dict[str, Tensor | dict[str, Tensor]]:
        """Positions of shape (rows, tokens), and the additive mask: as a column is a position, nothing else counts."""
        places = positions[..., None]
        columns = self._torch.arange(int(positions.max()) + 1, device=positions.device)
        made = masks(self._config, columns <= places, places - columns, self._network.net.dtype)
        return {"position_ids": positions, "attention_mask": made}


def compared(network: Network) -> tuple[str, float]:
    """Whether rows of unequal length may be read together, found by trying.

    Returns:
        why not (empty when they may), and how far a logit may be off: the largest difference seen, and at least two
        roundings of the largest logit, because a few tokens may happen to agree exactly.
    """
    config = network.net.config.get_text_config()
    if why_not := hindrance(config):
        return why_not, 0.0
    if network.stretches_beyond is not None:
        return "its position embedding depends on the longest text of a batch", 0.0
    try:
        with narrowed(config), library("torch").inference_mode():
            gap, scale = _gap(network)
    # Architectures that know nothing of such a cache, mask or position fail in whatever way they do.
    except (AttributeError, TypeError, ValueError, KeyError, IndexError, NotImplementedError, RuntimeError) as error:
        return f"it cannot read texts of unequal length together ({type(error).__name__})", 0.0
    except OutOfRoom:
        return "there is no memory to read texts together", 0.0
    dtype = network.net.dtype
    if not gap <= network.tolerance:
        return f"reading texts together changes its logits by {gap:.2g}", gap
    return "", max(gap, 2 * scale * library("torch").finfo(dtype).eps)


def _gap(network: Network) -> tuple[float, float]:
    """Three texts with a common beginning: read, dropped, moved and gone on with as in earnest.

    Returns:
        the largest difference in a logit (0.0 were exact), and the largest logit.
    """
    reader, trunk, slots = SlotReader(network), SlotCache(), SlotCache()
    texts = [[(7 + 5 * place * (number + 1)) % network.vocabulary for place in range(12)] for number in range(3)]
    texts = [[*texts[0][:2], *text[2:]] for text in texts]
    plain = [network.step([text], keep=0, remember=False)[0][0] for text in texts]
    scale = max(float(logits.abs().max()) for logits in plain)
    known = [3, 9, 6]
    reader.read(trunk, 0, [texts[0][:2]], 0)
    slots.fill(0, 3, trunk, 2)
    reader.read(slots, 0, [text[2:count] for text, count in zip(texts, known, strict=True)], 2)
    gaps: list[float] = []
    for turn in range(3):
        if turn == 2:
            slots.move(2, 0)
            texts, plain, known = [texts[2], texts[1]], [plain[2], plain[1]], [known[2], known[1]]
        logits = reader.step(slots, [text[count] for text, count in zip(texts, known, strict=True)], known)
        gaps += [float((row - all_[count]).abs().max()) for row, all_, count in zip(logits, plain, known, strict=True)]
        known = [count + 1 for count in known]
    # max() would pass over a NaN that is not the first.
    return float("nan") if any(math.isnan(gap) for gap in gaps) else max(gaps), scale
