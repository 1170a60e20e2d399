"""Token sequences that share their beginnings, as one tree in which every distinct token is read once.

The requests of a task begin alike: the same examples, then the same question for each of its options. As a tree of
tokens, an example that all share is one path, a question is a branch, its options are the twigs. A network reads the
tree in depth-first order, as many tokens at a time as fit (a ``Pack``); between two packs it keeps the *stem*, the path
from the root to where the next pack goes on. So no token is read twice, however long a path and however many twigs.

A leaf is never read: its log-probability is known as soon as its parent has been. Nothing here knows of torch or
llama.cpp; a reader of packs fills in ``Tree.values``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotaque.models.boundary import Split, common_length
from sotaque.records import OptionScore, Usage

ROOT = -1
"""The parent of first tokens: it stands for nothing and is not read."""


class Tree:
    """A tree of tokens; a node is an index into its lists, and comes after its parent.

    Attributes:
        tokens: the token id of each node.
        parents: the node before it, or ``ROOT``.
        depths: its position in every sequence that it belongs to; 0 for a first token.
        children: the nodes after each node.
        scored: the nodes after each node whose log-probability is wanted.
        values: natural log-probability of each scored node given all before it; NaN until a reader has filled it in.
        roots: the first tokens.
    """

    def __init__(self, cuts: Sequence[Split]) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.children: list[list[int]] = []
        self.scored: list[list[int]] = []
        self.values: list[float] = []
        self.roots: list[int] = []
        self._known: dict[tuple[int, int], int] = {}
        self._wanted: set[int] = set()
        self._rests: list[list[tuple[int, ...]]] = []
        self._usages: list[Usage] = []
        for cut in cuts:
            self._plant(cut)

    def __len__(self) -> int:
        return len(self.tokens)

    def scores(self, cut: int) -> list[OptionScore]:
        """The summed log-probability of each rest of the ``cut``-th split, in order; NaN while one is missing."""
        rests = self._rests[cut]
        return [OptionScore(math.fsum(self.values[node] for node in rest), len(rest)) for rest in rests]

    def usage(self, cut: int) -> Usage:
        """Tokens of the ``cut``-th split, each distinct one once; ``cached`` are those that an earlier split had."""
        return self._usages[cut]

    def path(self, node: int) -> list[int]:
        """The ancestors of ``node``, first token first, without itself."""
        found: list[int] = []
        while (node := self.parents[node]) != ROOT:
            found.append(node)
        return found[::-1]

    def last_read(self, cut: int) -> set[int]:
        """The nodes that must have been read before all of a split's scores are known."""
        return {self.parents[node] for rest in self._rests[cut] for node in rest}

    def _plant(self, cut: Split) -> None:
        before = len(self)
        tip, shared = ROOT, set[int]()
        for token in cut.prefix:
            tip = self._grow(tip, token)
            shared.add(tip)
        rests: list[tuple[int, ...]] = []
        for rest in cut.rests:
            nodes: list[int] = []
            for token in rest:
                nodes.append(self._grow(nodes[-1] if nodes else tip, token))
                self._want(nodes[-1])
            rests.append(tuple(nodes))
            shared.update(nodes)
        self._rests.append(rests)
        self._usages.append(Usage(prompt=len(shared), cached=len(shared) - (len(self) - before)))

    def _grow(self, parent: int, token: int) -> int:
        node = self._known.get((parent, token))
        if node is None:
            node = self._known[parent, token] = len(self)
            self.tokens.append(token)
            self.parents.append(parent)
            self.depths.append(0 if parent == ROOT else self.depths[parent] + 1)
            self.children.append([])
            self.scored.append([])
            self.values.append(math.nan)
            (self.roots if parent == ROOT else self.children[parent]).append(node)
        return node

    def _want(self, node: int) -> None:
        if node not in self._wanted:
            self._wanted.add(node)
            self.scored[self.parents[node]].append(node)


@dataclass(frozen=True, slots=True)
class Pack:
    """Nodes that are read in one forward pass, after the stem.

    Attributes:
        nodes: in depth-first order.
        stem: the ancestors of the first node, which the reader's cache holds.
        above: for each node where its parent is: an index into ``nodes``, or -1 - n where it looks back on
            the first n tokens of the stem.
    """

    tree: Tree
    nodes: tuple[int, ...]
    stem: tuple[int, ...]
    above: tuple[int, ...]

    @property
    def tokens(self) -> list[int]:
        """Token ids, one per node."""
        return [self.tree.tokens[node] for node in self.nodes]

    @property
    def positions(self) -> list[int]:
        """The position of each node in its sequence, 0 for a first token."""
        return [self.tree.depths[node] for node in self.nodes]

    @property
    def asked(self) -> list[int]:
        """Indices into ``nodes`` where the network's prediction is needed, ascending."""
        return [place for place, node in enumerate(self.nodes) if self.tree.scored[node]]

    def targets(self) -> tuple[list[int], list[int]]:
        """The nodes whose values this pack gives, and for each the index into ``asked`` of its parent."""
        rows = [(node, row) for row, at in enumerate(self.asked) for node in self.tree.scored[self.nodes[at]]]
        return [node for node, _ in rows], [row for _, row in rows]

    def carried(self, stem: Sequence[int]) -> tuple[int, list[int]]:
        """What of the cache makes up ``stem`` next: how many of its first tokens, and which of ``nodes`` after them."""
        size = common_length([stem, self.stem])
        places = {node: place for place, node in enumerate(self.nodes)}
        return size, [places[node] for node in stem[size:]]

    def visible(self) -> NDArray[np.bool_]:
        """What each node may look at: shape (nodes, stem + nodes), true for its ancestors and itself."""
        width = len(self.stem)
        seen = np.zeros((len(self.nodes), width + len(self.nodes)), dtype=np.bool_)
        for place, above in enumerate(self.above):
            if above >= 0:
                seen[place] = seen[above]
            else:
                seen[place, : -1 - above] = True
            seen[place, width + place] = True
        return seen

    def distances(self) -> NDArray[np.int32]:
        """How many positions each node is behind each of stem + nodes; meaningful where visible. Same shape."""
        mine = np.asarray(self.positions, dtype=np.int32)
        theirs = np.concatenate([np.arange(len(self.stem), dtype=np.int32), mine])
        return mine[:, None] - theirs[None, :]


class Walk:
    """One depth-first reading of a tree, pack by pack, of whatever sizes the reader can take.

    Args:
        tree: what is to be read.
        kept: token ids of the stem that the reader still has from an earlier tree; what of it fits is not read again.
    """

    def __init__(self, tree: Tree, kept: Sequence[int] = ()) -> None:
        self._tree = tree
        self._order = list(_depth_first(tree, kept))
        self._place = {node: place for place, node in enumerate(self._order)}
        self._done = self._start = _spared(tree, self._order, kept)

    @property
    def finished(self) -> bool:
        """Whether every node has been read."""
        return self._done >= len(self._order)

    @property
    def spared(self) -> int:
        """How many tokens the kept stem has spared."""
        return self._start

    @property
    def total(self) -> int:
        """How many tokens are to be read."""
        return len(self._order) - self._start

    def due(self, cut: int) -> int:
        """How far the walk must have come for a split's scores to be known, to be held against ``done``."""
        return 1 + max(self._place[node] for node in self._tree.last_read(cut))

    @property
    def done(self) -> int:
        """How far the walk has come."""
        return self._done

    @property
    def stem(self) -> tuple[int, ...]:
        """The nodes that the next pack looks back on; after the last, the longest path that the reader can keep."""
        if not self._order:
            return ()
        if self.finished:
            return (*self._tree.path(self._order[-1]), self._order[-1])
        return tuple(self._tree.path(self._order[self._done]))

    def pack(self, most: int, rows: int) -> Pack:
        """The next nodes: at least one, at most ``most``, and ``rows`` predictions at most (one node may need one)."""
        nodes: list[int] = []
        asked = 0
        for node in self._order[self._done : self._done + most]:
            asked += bool(self._tree.scored[node])
            if asked > rows and nodes:
                break
            nodes.append(node)
        local = {node: place for place, node in enumerate(nodes)}
        parents = [self._tree.parents[node] for node in nodes]
        above = [local.get(parent, -1 - self._tree.depths[node]) for parent, node in zip(parents, nodes, strict=True)]
        return Pack(self._tree, tuple(nodes), self.stem, tuple(above))

    def advance(self, pack: Pack) -> None:
        """Take ``pack`` as read."""
        self._done += len(pack.nodes)


def _depth_first(tree: Tree, kept: Sequence[int]) -> Iterator[int]:
    """The nodes that have children, parents first; the branch that ``kept`` went down comes before its siblings."""
    stack = _with_kept_last(tree, tree.roots[::-1], kept)
    while stack:
        node = stack.pop()
        if tree.children[node]:
            yield node
            stack.extend(_with_kept_last(tree, tree.children[node][::-1], kept))


def _with_kept_last(tree: Tree, nodes: list[int], kept: Sequence[int]) -> list[int]:
    depth = tree.depths[nodes[0]] if nodes else len(kept)
    if depth >= len(kept):
        return nodes
    return sorted(nodes, key=lambda node: tree.tokens[node] == kept[depth])


def _spared(tree: Tree, order: Sequence[int], kept: Sequence[int]) -> int:
    """How many of the first nodes need not be read: they are the kept stem's, and nothing is asked of them."""
    spared, parent = 0, ROOT
    for node, token in zip(order, kept, strict=False):
        if tree.tokens[node] != token or tree.parents[node] != parent or tree.scored[node]:
            break
        spared, parent = spared + 1, node
    return spared
