"""Log-probabilities of continuations with llama.cpp: every distinct token is read once, in the order of a tree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sotaque.models.boundary import Split
from sotaque.models.limits import check_options
from sotaque.models.llama_decode import Reader, log_probabilities
from sotaque.records import OptionScore


@dataclass(slots=True, eq=False)
class Node:
    """A token of one or more continuations: its log-probability, and the tokens that may follow."""

    value: float = 0.0
    children: dict[int, Node] = field(default_factory=lambda: dict[int, Node]())

    @property
    def inner(self) -> list[tuple[int, Node]]:
        """The children that must be read because something follows them, in a fixed order."""
        return sorted(
            ((token, node) for token, node in self.children.items() if node.children), key=lambda each: each[0]
        )


def score(reader: Reader, cut: Split) -> tuple[list[OptionScore], int]:
    """The summed natural log-probability of each rest after the prefix, in order; and the number of distinct tokens.

    Depth first, so that the cache holds one path and going back is cutting it: each token is read where it would be
    if its text were read alone. Equal rests are one path and get the very same number.

    Raises:
        Rejected: longer than the window, no memory, or not a number.
    """
    check_options(reader.window, cut)
    root, size = _tree(cut.rests)
    _read(reader, cut.prefix, root)
    scores = [OptionScore(math.fsum(node.value for node in _path(root, rest)), len(rest)) for rest in cut.rests]
    return scores, len(cut.prefix) + size


def _tree(rests: Sequence[Sequence[int]]) -> tuple[Node, int]:
    root, size = Node(), 0
    for rest in rests:
        node = root
        for token in rest:
            if token not in node.children:
                node.children[token] = Node()
                size += 1
            node = node.children[token]
    return root, size


def _read(reader: Reader, prefix: Sequence[int], root: Node) -> None:
    """Give every node its value: read the prefix, then each run of tokens up to where the tree branches."""
    waiting = [([*prefix], [root])]
    while waiting:
        path, run = waiting.pop()
        start = len(path) - len(run)
        for place, logits in reader.read(path, start):
            for row, node in zip(logits, run[place - start :], strict=False):
                tokens = list(node.children)
                for token, value in zip(tokens, log_probabilities(row, tokens), strict=True):
                    node.children[token].value = value
        for token, node in reversed(run[-1].inner):
            tokens, nodes = _run(token, node)
            waiting.append(([*path, *tokens], nodes))


def _run(token: int, node: Node) -> tuple[list[int], list[Node]]:
    tokens, nodes = [token], [node]
    while len(inner := nodes[-1].inner) == 1:
        tokens.append(inner[0][0])
        nodes.append(inner[0][1])
    return tokens, nodes


def _path(root: Node, rest: Sequence[int]) -> Iterator[Node]:
    node = root
    for token in rest:
        node = node.children[token]
        yield node
