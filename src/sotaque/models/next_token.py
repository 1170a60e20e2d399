"""The next token from logits: greedy, with an eye on near ties, or drawn from a seed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass

from sotaque.errors import Rejected
from sotaque.models.local_library import Tensor, library
from sotaque.records import Sampling


@dataclass(frozen=True, slots=True)
class Top:
    """The likeliest token, and by how much its logit exceeds the second; NaN where the logits are no numbers."""

    token: int
    lead: float


def tops(logits: Tensor) -> list[Top]:
    """The top of each row of float32 logits, shape (rows, vocabulary). NaN counts as the largest, so none is missed."""
    with library("torch").inference_mode():
        tokens, values = logits.argmax(-1).tolist(), logits.topk(2).values.tolist()
    return [Top(token, first - second) for token, (first, second) in zip(tokens, values, strict=True)]


def check(top: Top) -> Top:
    """The same.

    Raises:
        Rejected: the logits were not numbers.
    """
    if math.isnan(top.lead):
        raise Rejected("the network gives no numbers (NaN) for this text", "try --dtype float32")
    return top


def sampler(sampling: Sampling, repeat: int) -> Callable[[Tensor], int]:
    """How a token is drawn from logits of shape (vocabulary,).

    Sampling runs on the CPU from a seed of its own for every repeat: the same request gives the same text.
    """
    torch = library("torch")
    generator = torch.Generator().manual_seed(seed_of(sampling.seed, repeat))

    def sampled(logits: Tensor) -> int:
        chances = torch.softmax(logits.cpu() / sampling.temperature, -1)
        ranked, order = chances.sort(descending=True, stable=True)
        # The token that crosses top_p stays in, and so does the first.
        dropped = (ranked.cumsum(-1) - ranked) >= sampling.top_p
        dropped[0] = False
        ranked[dropped] = 0
        return int(order[torch.multinomial(ranked, 1, generator=generator)])

    return sampled


def seed_of(seed: int | None, repeat: int) -> int:
    """The seed of one repeat of a request."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{repeat}".encode()).digest()[:7], "big")
