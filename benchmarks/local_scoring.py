"""Option log-probabilities on the ``local`` model: ours beside lm-evaluation-harness, plain scoring, and the floor.

    python benchmarks/local_scoring.py [--shape NAME] [--masalbench FOLDER [--first N]]

README.md, beside this file, says how to read what it prints.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import peer_lm_eval
from floor import flops, product_rate, work_of
from plain_scoring import Plain, Scores
from processes import run as run_process
from shapes import SHAPES, masalbench, requests_of, with_options
from sotaque.models.catalog import open_model
from sotaque.models.local_library import library
from sotaque.models.model import BatchModel
from sotaque.models.prepare import local_folder
from sotaque.records import Ability, Choose, Reply

REPEATS = 5
REPEATED_BELOW = 60
# Summed log-probabilities closer than this may change places between two correct ways to compute them.
MARGIN = 4e-4


@dataclass(frozen=True)
class Measured:
    seconds: float
    runs: int
    scores: Scores

    @property
    def per_item(self) -> float:
        return self.seconds / len(self.scores)


def main() -> None:
    given = arguments()
    if given.alone:
        ours(opened(), requests_of(given.alone))
        return
    model, plain = opened(), Plain()
    peer = peer_lm_eval.Peer(local_folder()) if peer_lm_eval.installed() else None
    print(f"{model.identity.about}; {library('torch').get_num_threads()} threads")
    if peer is None:
        print("lm-evaluation-harness is not installed and left out: pip install -e '.[peers]'")
    parties = Parties(model, plain, peer)
    if given.masalbench:
        compare("MasalBench, contextual items", masalbench(given.masalbench, model), parties, given.first)
        return
    for shape in given.shape or SHAPES:
        compare(shape, requests_of(shape), parties)
        print(f"  peak memory, in a process of its own: {peak_mb(shape):,.0f} MB")
    growth(parties)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, action="append", help="only this one; may be repeated")
    parser.add_argument("--masalbench", type=Path, metavar="FOLDER", help="the published items instead of the shapes")
    parser.add_argument("--first", type=int, metavar="N", help="the slow ways score only the first N of these")
    parser.add_argument("--alone", choices=SHAPES, help=argparse.SUPPRESS)
    return parser.parse_args()


def opened() -> BatchModel:
    model = open_model("local")
    model.prepare(frozenset({Ability.CHOOSE}))
    assert isinstance(model, BatchModel)
    return model


def ours(model: BatchModel, requests: Sequence[Choose]) -> Scores:
    """In batches as large as the model wants them, as the engine hands them over."""
    found: dict[object, Reply] = {}
    for start in range(0, len(requests), model.batch_size):
        for request, reply in model.answer(requests[start : start + model.batch_size]):
            assert isinstance(reply, Reply), reply
            found[request] = reply
    return [[score.logprob for score in found[request].scores or ()] for request in requests]


@dataclass(frozen=True)
class Parties:
    model: BatchModel
    plain: Plain
    peer: peer_lm_eval.Peer | None


# ---------------------------------------------------------------- measuring


def measured(score: Callable[[Sequence[Choose]], Scores], requests: Sequence[Choose]) -> Measured:
    """Warmed up on one request; the median of five where it takes under a minute, else the only one."""
    score(requests[:1])
    seconds, scores = [], []
    while not seconds or (len(seconds) < REPEATS and seconds[0] < REPEATED_BELOW):
        started = time.perf_counter()
        scores = score(requests)
        seconds.append(time.perf_counter() - started)
    return Measured(statistics.median(seconds), len(seconds), scores)


def peak_mb(shape: str) -> float:
    """Of a process that loads the model and scores this shape, and nothing else."""
    return run_process([sys.executable, __file__, "--alone", shape]).peak_mb


# ---------------------------------------------------------------- printing


def compare(name: str, requests: Sequence[Choose], parties: Parties, first: int | None = None) -> None:
    """One shape, all ways; the slow ones on the ``first`` requests only."""
    few = requests[:first]
    print(f"\n{name}: {len(requests):,} items, {sum(len(each.continuations) for each in requests):,} options")
    work = work_of(parties.plain.cuts(requests))
    print(f"  tokens: {work.per_option:,} when every option is read with its context, {work.distinct:,} distinct")
    if len(few) < len(requests):
        theirs = work_of(parties.plain.cuts(few)).per_option
        print(f"  the slow ways: only the first {len(few):,} items, {theirs:,} tokens; ratios are of seconds per item")
    operations, rate = flops(work, parties.plain.net), product_rate()
    own = measured(lambda batch: ours(parties.model, batch), requests)
    alone = measured(parties.plain.scores, few)
    print(f"  {'':26}{'seconds':>9}  runs  {'per item':>10}  {'beside ours':>12}  largest difference from plain")
    if parties.peer:
        peer = measured(parties.peer.scores, few)
        row(f"lm-eval {peer_lm_eval.VERSION}, batch 1", peer, own, gap(peer.scores, alone.scores))
    row("plain, one option at a time", alone, own)
    row("ours", own, own, gap(own.scores[: len(few)], alone.scores))
    floor = operations / rate
    print(f"  {'floor':26}{floor:9.1f}  {operations / 1e12:.2f} TFLOP at {rate / 1e9:.0f} GFLOP/s, just before")
    print(f"  ours takes {own.seconds / floor:.2f} times the floor; {agreement(own.scores[: len(few)], alone.scores)}")


def row(name: str, way: Measured, own: Measured, difference: float | None = None) -> None:
    times = way.per_item / own.per_item
    last = "" if difference is None else f"{difference:.1e}"
    print(f"  {name:26}{way.seconds:9.1f}  {way.runs:4}  {way.per_item:8.3f} s  {times:11.1f}x  {last}")


def gap(scores: Scores, plain: Scores) -> float:
    """The largest difference in any option's log-probability."""
    pairs = ((one, other) for row in zip(scores, plain, strict=True) for one, other in zip(*row, strict=True))
    return max(abs(one - other) for one, other in pairs)


def agreement(scores: Scores, plain: Scores) -> str:
    """On how many items both choose the same option, of those whose two best options are clearly apart."""
    both = zip(scores, plain, strict=True)
    clear = [(mine, other) for mine, other in both if max(other) - sorted(other)[-2] > MARGIN]
    same = sum(mine.index(max(mine)) == other.index(max(other)) for mine, other in clear)
    return f"the same choice as plain on {same} of the {len(clear)} items with a margin over {MARGIN:.0e}"


def growth(parties: Parties) -> None:
    """What more options of the same question cost."""
    print("\nthe same question with more options")
    print("  options  per-option tokens  distinct tokens  ours, seconds  plain, seconds")
    for count in (5, 10):
        requests = with_options(count)
        work = work_of(parties.plain.cuts(requests))
        own = measured(lambda batch: ours(parties.model, batch), requests)
        alone = measured(parties.plain.scores, requests)
        print(f"  {count:7}  {work.per_option:17,}  {work.distinct:15,}  {own.seconds:13.2f}  {alone.seconds:14.2f}")


if __name__ == "__main__":
    main()
