"""The least work that option scoring can be: each distinct token once, at the speed of a bare matrix product."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sotaque.models.boundary import Split
from sotaque.models.local_library import library

SIDE = 2048
PRODUCTS = 9


@dataclass(frozen=True)
class Work:
    """Tokens that a network has to read for a set of requests. A rest's last token is scored, but never read.

    Attributes:
        per_option: when every option is read with its whole context.
        distinct: when each token that has the same tokens before it is read once, over all requests.
        scored: of the distinct ones, those at which the next token's logits are needed.
        attended: over the distinct tokens, the sum of the positions that each of them looks at.
    """

    per_option: int
    distinct: int
    scored: int
    attended: int


def work_of(cuts: Sequence[Split]) -> Work:
    tree = _Tree()
    for cut in cuts:
        for rest in set(cut.rests):
            tree.add(cut.prefix, rest)
    per_option = sum(len(cut.prefix) + len(rest) - 1 for cut in cuts for rest in cut.rests)
    return Work(per_option, len(tree.depths), len(tree.scored), sum(tree.depths))


def flops(work: Work, net) -> float:
    """Multiplications and additions of the network's matrices, its attention, and the logits that are needed.

    Two for each weight of a linear layer and token; in attention, for each position looked at, two for the product
    with its key and two for the product with its value, in every head.
    """
    config, linear = net.config, library("torch").nn.Linear
    head = net.get_output_embeddings()
    weights = sum(each.weight.numel() for each in net.modules() if isinstance(each, linear) and each is not head)
    width = config.num_attention_heads * (
        getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    )
    attention = 4 * config.num_hidden_layers * width * work.attended
    return 2.0 * weights * work.distinct + 2.0 * head.weight.numel() * work.scored + attention


def product_rate() -> float:
    """FLOP/s of a float32 product of two square matrices, measured now: the median of a few."""
    torch = library("torch")
    left, right = torch.randn(SIDE, SIDE), torch.randn(SIDE, SIDE)
    seconds = []
    with torch.inference_mode():
        left @ right
        for _ in range(PRODUCTS):
            started = time.perf_counter()
            left @ right
            seconds.append(time.perf_counter() - started)
    return 2.0 * SIDE**3 / statistics.median(seconds)


class _Tree:
    """Token sequences merged where they begin alike; a node for each token that is read."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, int], int] = {}
        self.depths: list[int] = []
        self.scored: set[int] = set()

    def add(self, prefix: Sequence[int], rest: Sequence[int]) -> None:
        node = -1
        for depth, token in enumerate([*prefix, *rest[:-1]], start=1):
            child = self._nodes.setdefault((node, token), len(self.depths))
            if child == len(self.depths):
                self.depths.append(depth)
            node = child
            if depth >= len(prefix):
                self.scored.add(node)
