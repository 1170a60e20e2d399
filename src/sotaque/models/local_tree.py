"""A tree of tokens read by a transformers model: options of several items in one forward pass, each token once.

The mask lets a token look at its own ancestors only, and its position is its depth, so that every branch sees exactly
the text it would see alone. What this cannot be done with (recurrent states, positions that depend on the length of the
text, attention that makes its own mask) is found out by trying, and scored another way.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sotaque.models.boundary import Split
from sotaque.models.local_library import Config, Tensor, library
from sotaque.models.local_masks import hindrance, masks, narrowed
from sotaque.models.local_network import Network, OutOfRoom, out_of_room
from sotaque.models.local_stem import Stem
from sotaque.models.prefix_tree import Pack, Tree, Walk
from sotaque.records import OptionScore, Usage

# More gains nothing on a CPU, where the attention to masked tokens grows with the pack.
PACK = {"cpu": 384}
PACK_ELSEWHERE = 4096
LOGIT_BYTES = 256 * 2**20
# Activations of one token in one layer, in units of the hidden size: projections, the widened layer, their copies.
ACTIVATIONS = 24
SHARE_OF_FREE = 4


@dataclass(frozen=True, slots=True)
class Scored:
    """One split's result.

    Attributes:
        cut: which it was.
        scores: of each rest, in order.
        usage: the tokens it took.
        seconds: its share of the time: what was read since the last results, divided among those that it gave.
    """

    cut: int
    scores: list[OptionScore]
    usage: Usage
    seconds: float


class TreeReader:
    """Scores splits with one network. What begins alike is read once, also from one call to the next.

    Attributes:
        most: tokens of a forward pass at most; halves when memory runs out.
        read: tokens read so far.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._stem = Stem()
        self._config: Config = network.net.config.get_text_config()
        self._rows = max(1, LOGIT_BYTES // (4 * network.vocabulary))
        self.most = _room(network)
        self.read = 0

    def score(self, cuts: Sequence[Split]) -> Iterator[Scored]:
        """The scores of all splits, each as soon as it is known, in the order of the tree.

        Raises:
            OutOfRoom: no memory even for one token at a time. Splits that were not yielded can be scored another way.
        """
        tree = Tree(cuts)
        walk = Walk(tree, self._stem.tokens)
        # The kept stem may reach further than what this tree shares with it.
        self._stem.keep(walk.spared, (), self._stem.tokens[: walk.spared])
        due = sorted((walk.due(cut), cut) for cut in range(len(cuts)))
        known, spent = 0, 0.0
        while not walk.finished:
            began = time.perf_counter()
            pack = walk.pack(self.most, self._rows)
            try:
                with out_of_room():
                    self._read(tree, pack)
            except OutOfRoom:
                if len(pack.nodes) == 1:
                    self._stem.forget()
                    raise
                self.most = max(1, len(pack.nodes) // 2)
                continue
            walk.advance(pack)
            self._carry(tree, walk, pack)
            spent += time.perf_counter() - began
            ready = [cut for place, cut in due[known:] if place <= walk.done]
            for cut in ready:
                yield Scored(cut, tree.scores(cut), tree.usage(cut), spent / len(ready))
            known, spent = known + len(ready), 0.0 if ready else spent

    def _carry(self, tree: Tree, walk: Walk, pack: Pack) -> None:
        """Keep in the stem what the next pack looks back on; half moved it is worthless, so then it is dropped."""
        try:
            with out_of_room():
                self._stem.keep(*pack.carried(walk.stem), [tree.tokens[node] for node in walk.stem])
        except OutOfRoom:
            self._stem.forget()
            if not walk.finished:
                raise

    def _read(self, tree: Tree, pack: Pack) -> None:
        asked = pack.asked or [len(pack.nodes) - 1]
        inputs = self._inputs(pack)
        logits, _ = self._network.step([pack.tokens], self._stem.cache, keep=asked, inputs=inputs)
        self.read += len(pack.nodes)
        nodes, rows = pack.targets()
        found = self._network.picked(logits[0], rows, [tree.tokens[node] for node in nodes]) if nodes else []
        for node, value in zip(nodes, found, strict=True):
            tree.values[node] = value

    def _inputs(self, pack: Pack) -> dict[str, Tensor | dict[str, Tensor]]:
        torch, device = library("torch"), self._network.device
        with torch.inference_mode():
            seen = torch.from_numpy(pack.visible())[None].to(device)
            distances = torch.from_numpy(pack.distances())[None].to(device)
            made = masks(self._config, seen, distances, self._network.net.dtype)
            return {"position_ids": torch.tensor([pack.positions], device=device), "attention_mask": made}


def objection(network: Network) -> str:
    """Why a network cannot read trees, found by trying; empty when it can.

    Three packs of a small tree with branches of unequal length must give what plain reading gives, and what the stem
    keeps from the first two is needed in the third.

    Raises:
        OutOfRoom: there is no memory to tell; there may be later.
    """
    vocabulary = network.vocabulary
    prefix = tuple(index % vocabulary for index in range(7, 12))
    rests = [
        tuple((start + step * 3) % vocabulary for step in range(size)) for start, size in ((3, 2), (9, 5), (13, 4))
    ]
    cut = Split(prefix, (*rests, (*rests[1][:3], 2 % vocabulary)))
    config: Config = network.net.config.get_text_config()
    if why_not := hindrance(config):
        return why_not
    try:
        reader = TreeReader(network)
        reader.most = 6
        with narrowed(config):
            [scored] = reader.score([cut])
            alone = [plain_score(network, cut.prefix, rest) for rest in cut.rests]
    except (AttributeError, TypeError, ValueError, KeyError, IndexError, NotImplementedError, RuntimeError) as error:
        return f"it refuses a tree's mask ({type(error).__name__})"
    gaps = [abs(score.logprob - plain) for score, plain in zip(scored.scores, alone, strict=True)]
    # max() alone would pass over a NaN that is not the first.
    if all(gap <= network.tolerance for gap in gaps):
        return ""
    return f"a tree's mask changes its log-probabilities by {max(gaps):.2g}"


def plain_score(network: Network, prefix: Sequence[int], rest: Sequence[int]) -> float:
    """The log-probability of ``rest`` after ``prefix``, read alone, logits only where they are needed."""
    logits, _ = network.step([(*prefix, *rest[:-1])], keep=len(rest), remember=False)
    return math.fsum(network.log_probabilities(logits, [rest])[0])


def _room(network: Network) -> int:
    """How many tokens one forward pass may have, by the device's free memory."""
    config: Config = network.net.config.get_text_config()
    one = network.cache_bytes + ACTIVATIONS * getattr(config, "hidden_size", 4096) * network.net.dtype.itemsize
    fits = network.free_bytes() // (SHARE_OF_FREE * max(1, one))
    return max(1, min(PACK.get(network.device.partition(":")[0], PACK_ELSEWHERE), fits))
