"""Log-probabilities of continuations: the context is read once, and its key-value cache carried to all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sotaque.errors import Rejected
from sotaque.models.boundary import Split
from sotaque.models.limits import check_options
from sotaque.models.local_library import Cache
from sotaque.models.local_network import Network, OutOfRoom, check_ids
from sotaque.records import OptionScore

# Memory for the expanded cache, and for the logits of one step. More gains nothing on a CPU.
CACHE_BYTES = 256 * 2**20
LOGIT_BYTES = 256 * 2**20
# A step has a fixed cost, about that of reading so many more tokens.
STEP_WORTH = 16

Rest = tuple[int, ...]


def score(network: Network, cut: Split, *, share: bool = True) -> list[OptionScore]:
    """The summed natural log-probability of each rest after the prefix, in order.

    Equal rests get the very same number, whatever else they are batched with: a tie stays a tie. With ``share`` the
    context's cache is carried to the continuations, where the network allows it.

    Raises:
        Rejected: longer than the window, no memory even for one continuation at a time, or not a number.
    """
    check_readable(network, cut)
    rests = sorted(set(cut.rests), key=lambda rest: (len(rest), rest))
    try:
        way = _shared if share and network.shares_cache else _plain
        sums = way(network, cut.prefix, rests)
    except OutOfRoom as error:
        raise Rejected(
            f"no memory for {len(cut.prefix)} tokens of context and {len(rests[-1])} of one continuation ({error})",
            "free memory, or choose a smaller model or dtype",
        ) from error
    if any(math.isnan(value) for value in sums.values()):
        raise Rejected("the network gives no numbers (NaN) for this text", "try --dtype float32")
    return [OptionScore(sums[rest], len(rest)) for rest in cut.rests]


def check_readable(network: Network, cut: Split) -> None:
    """Refuse what the network cannot read whole: cutting it silently would score another text.

    Raises:
        Rejected: longer than the window, or a token outside the vocabulary.
    """
    check_ids((cut.prefix, *cut.rests), network.vocabulary)
    check_options(network.window, cut)


def _shared(network: Network, prefix: Rest, rests: Sequence[Rest]) -> dict[Rest, float]:
    logits, cache = network.step([prefix])
    heads = network.log_probabilities(logits, [rest[:1] for rest in rests])
    sums = {rest: head[0] for rest, head in zip(rests, heads, strict=True)}
    longer = [rest for rest in rests if len(rest) > 1]
    for chunk in chunks(longer, len(prefix), CACHE_BYTES // network.cache_bytes):
        for rest, tail in zip(chunk, _tails(network, cache, chunk), strict=True):
            sums[rest] += tail
    return sums


def chunks(rests: Sequence[Rest], context: int, room: int) -> Iterator[list[Rest]]:
    """Group ``rests``, shortest first, into batches that are padded to their longest member.

    A group's expanded cache stays within ``room`` tokens, unless a rest alone exceeds it; and a group ends where
    padding would cost more than another step, so that one long option does not make all of them long.
    """
    group: list[Rest] = []
    own = 0
    for rest in rests:
        rows = len(group) + 1
        padding = rows * len(rest) - own - len(rest)
        if group and (rows * (context + len(rest)) > room or padding > max(STEP_WORTH, own // 4)):
            yield group
            group, own = [], 0
        group.append(rest)
        own += len(rest)
    if group:
        yield group


def _tails(network: Network, cache: Cache, rests: Sequence[Rest]) -> list[float]:
    """Log-probability of all but the first token of each rest; halves the batch for as long as memory runs out."""
    try:
        return _tails_at_once(network, network.fork(cache, len(rests)), rests)
    except OutOfRoom:
        if len(rests) == 1:
            raise
    half = len(rests) // 2
    return [*_tails(network, cache, rests[:half]), *_tails(network, cache, rests[half:])]


def _tails_at_once(network: Network, cache: Cache, rests: Sequence[Rest]) -> list[float]:
    # Padding stands on the right, where causal attention hides it from every token that counts.
    width = max(len(rest) for rest in rests)
    padded = [[*rest, *[0] * (width - len(rest))] for rest in rests]
    piece = max(1, LOGIT_BYTES // (4 * len(rests) * network.vocabulary))
    sums = [0.0] * len(rests)
    for start in range(0, width - 1, piece):
        stop = min(start + piece, width - 1)
        logits, cache = network.step([row[start:stop] for row in padded], cache, keep=0)
        found = network.log_probabilities(logits, [row[start + 1 : stop + 1] for row in padded])
        for place, (rest, row) in enumerate(zip(rests, found, strict=True)):
            sums[place] += math.fsum(row[: max(0, len(rest) - 1 - start)])
    return sums


def _plain(network: Network, prefix: Rest, rests: Sequence[Rest]) -> dict[Rest, float]:
    """One continuation at a time, each with its whole context: for networks whose cache cannot be shared."""
    sums: dict[Rest, float] = {}
    for rest in rests:
        logits, _ = network.step([(*prefix, *rest[:-1])], keep=len(rest), remember=False)
        sums[rest] = math.fsum(network.log_probabilities(logits, [rest])[0])
    return sums
