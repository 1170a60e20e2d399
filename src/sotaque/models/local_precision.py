"""What a reduced precision costs: measured on the texts at hand, and said of every item that it may have decided."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from sotaque.errors import Rejected
from sotaque.models import local_choose
from sotaque.models.boundary import Split
from sotaque.models.local_library import library
from sotaque.models.local_network import Network, OutOfRoom, out_of_room
from sotaque.models.local_tree import plain_score
from sotaque.records import OptionScore

# Splits that are scored both ways; the shortest, for time.
SAMPLE = 4
# A copy in float32 must leave as much memory again.
HEADROOM = 2


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a dtype was seen to move an option's log-probability; 0 for float32, where nothing is measured.

    Attributes:
        dtype: of the weights.
        gap: the largest difference, in natural-log units.
        against: what it was held against.
        unknown: nothing could be measured, for want of memory or of a text that the network can read.
    """

    dtype: str = "float32"
    gap: float = 0.0
    against: str = ""
    unknown: bool = False

    def notes(self, scores: Sequence[OptionScore]) -> tuple[str, ...]:
        """A note where the best two options are closer to each other than the measured difference."""
        if self.unknown:
            return (f"what {self.dtype} changes could not be measured",)
        sums = sorted({score.logprob for score in scores}, reverse=True)
        if len(sums) < 2 or sums[0] - sums[1] >= self.gap:
            return ()
        return (
            f"margin below what {self.dtype} was measured to change: {self.gap:.2g} in a log-probability, "
            f"against {self.against}",
        )


def measured_drift(network: Network, cuts: Sequence[Split]) -> Drift:
    """Score a few splits in the network's dtype, one option at a time, and again in float32.

    Where memory does not allow a copy in float32, the same weights read another way are the measure: less than the
    whole error, and said so.
    """
    dtype = str(network.net.dtype).removeprefix("torch.")
    if dtype == "float32":
        return Drift()
    try:
        with out_of_room():
            return _measured(network, cuts, dtype)
    except OutOfRoom:
        return Drift(dtype, unknown=True)


def _measured(network: Network, cuts: Sequence[Split], dtype: str) -> Drift:
    few = sorted((cut for cut in cuts if _readable(network, cut)), key=_tokens)[:SAMPLE]
    if not few:
        return Drift(dtype, unknown=True)
    exact = _in_float32(network)
    against = "float32" if exact else "the same weights read another way"
    gaps: list[float] = []
    for cut in few:
        other = [plain_score(exact, cut.prefix, rest) for rest in cut.rests] if exact else _shared(network, cut)
        plain = [plain_score(network, cut.prefix, rest) for rest in cut.rests]
        gaps += [abs(mine - theirs) for mine, theirs in zip(plain, other, strict=True)]
    return Drift(dtype, max(gaps), against)


def _in_float32(network: Network) -> Network | None:
    size = sum(weight.numel() for weight in network.net.parameters())
    if network.free_bytes() < HEADROOM * 4 * size:
        return None
    try:
        # Loaded weights keep their dtype in the copy's buffers too, so all of it is raised.
        with out_of_room(), library("torch").inference_mode():
            return Network(copy.deepcopy(network.net).float().eval(), network.device)
    except OutOfRoom:
        return None


def _shared(network: Network, cut: Split) -> list[float]:
    return [score.logprob for score in local_choose.score(network, cut)]


def _readable(network: Network, cut: Split) -> bool:
    try:
        local_choose.check_readable(network, cut)
    except Rejected:
        return False
    return True


def _tokens(cut: Split) -> int:
    return len(cut.prefix) + sum(len(rest) for rest in cut.rests)
