"""How the options of requests are scored with one network: as a tree; else from an expanded cache; else one by one."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sotaque.errors import Rejected
from sotaque.models import local_choose, local_tree
from sotaque.models.boundary import Split
from sotaque.models.local_library import Config
from sotaque.models.local_network import Network, OutOfRoom
from sotaque.models.local_precision import Drift, measured_drift
from sotaque.records import OptionScore, Usage

# Their sliding layers and positions are held against plain scoring in the tests, at lengths beyond the window.
TRIED = frozenset({"llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "gpt2", "phi3", "smollm3"})
# A sum of many tokens gathers the differences of each.
TOKENS_PER_TOLERANCE = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of the split at ``place``: its scores in order, or why there are none.

    Attributes:
        seconds: its share of the time.
        notes: what a reader of the record should know of how it was scored.
    """

    place: int
    scores: Sequence[OptionScore] | Rejected
    usage: Usage = Usage()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class OptionScorer:
    """Scores splits with one network, the fastest way that is exact for it."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._why_no_tree: str | None = None
        self._proven = _family(network) in TRIED
        self._drift: Drift | None = None

    def answer(self, cuts: Sequence[Split]) -> Iterator[Answer]:
        """One answer for every split, in any order, each as soon as it is known."""
        drift = self._drift or measured_drift(self._network, cuts)
        # Where nothing could be measured now, the next batch may tell.
        self._drift = None if drift.unknown else drift
        for answer in self._answered(cuts):
            near = () if isinstance(answer.scores, Rejected) else drift.notes(answer.scores)
            yield replace(answer, notes=(*answer.notes, *near))

    def _answered(self, cuts: Sequence[Split]) -> Iterator[Answer]:
        fitting: list[int] = []
        for place, cut in enumerate(cuts):
            try:
                local_choose.check_readable(self._network, cut)
                fitting.append(place)
            except Rejected as error:
                yield Answer(place, error)
        branching = [place for place in fitting if not self._stretched(cuts[place])]
        done = set[int]()
        if branching:
            for answer in self._from_tree(cuts, branching):
                done.add(answer.place)
                yield answer
        for place in fitting:
            if place not in done:
                yield self._alone(place, cuts[place])

    def _from_tree(self, cuts: Sequence[Split], places: Sequence[int]) -> Iterator[Answer]:
        """As many of the splits as a tree can do: none where the network objects, fewer when memory runs out."""
        try:
            if self._why_no_tree is None:
                self._why_no_tree = local_tree.objection(self._network)
            if not self._why_no_tree and not self._proven:
                self._prove(max((cuts[place] for place in places), key=_length))
            if self._why_no_tree:
                return
            for scored in self._tree.score([cuts[place] for place in places]):
                yield Answer(places[scored.cut], _numbers(scored.scores), scored.usage, scored.seconds)
        except OutOfRoom:
            return

    def _alone(self, place: int, cut: Split) -> Answer:
        rests = set(cut.rests)
        usage = Usage(prompt=len(cut.prefix) + sum(len(rest) for rest in rests))
        began = time.perf_counter()
        try:
            scores = local_choose.score(self._network, cut, share=not self._stretched(cut))
        except Rejected as error:
            return Answer(place, error)
        return Answer(place, scores, usage, time.perf_counter() - began, (self._how(cut),))

    def _how(self, cut: Split) -> str:
        if self._stretched(cut):
            return "each option was read with its whole context: positions depend on the length of the text"
        if not self._network.shares_cache:
            return f"each option was read with its whole context: {self._network.why_not}"
        why = self._why_no_tree or "memory ran out"
        return f"options were scored one item at a time, from a copied cache: {why}"

    def _prove(self, cut: Split) -> None:
        """Hold a network of an untried family against plain scoring, on the longest text at hand.

        The last option stands furthest from the context in the cache: attention that counts places there, and not
        positions, shows in it.
        """
        [scored] = self._tree.score([cut])
        rest = cut.rests[-1]
        gap = abs(scored.scores[-1].logprob - local_tree.plain_score(self._network, cut.prefix, rest))
        # Not a number either: plain scoring then tells whose fault that is.
        if not gap <= self._network.tolerance * max(1, len(rest) / TOKENS_PER_TOLERANCE):
            self._why_no_tree = f"a tree's mask changes its log-probabilities by {gap:.2g}"
        self._proven = True

    @functools.cached_property
    def _tree(self) -> local_tree.TreeReader:
        return local_tree.TreeReader(self._network)

    def _stretched(self, cut: Split) -> bool:
        limit = self._network.stretches_beyond
        return limit is not None and _length(cut) > limit


def _length(cut: Split) -> int:
    return len(cut.prefix) + max(len(rest) for rest in cut.rests)


def _family(network: Network) -> str:
    config: Config = network.net.config.get_text_config()
    return str(config.model_type)


def _numbers(scores: list[OptionScore]) -> list[OptionScore] | Rejected:
    if any(math.isnan(score.logprob) for score in scores):
        return Rejected("the network gives no numbers (NaN) for this text", "try --dtype float32")
    return scores
