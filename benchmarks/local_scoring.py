"""Option log-probabilities on the ``local`` model: ours beside lm-evaluation-harness, plain scoring, and the floor.

    python benchmarks/local_scoring.py [--shape NAME] [--masalbench FOLDER [--first N]]

README.md, beside this file, says how to read what it prints.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import peer_lm_eval
from floor import flops, product_rate, work_of
from plain_scoring import Plain, Scores
from shapes import SHAPES, masalbench, requests_of, with_options
from sotaque.models.catalog import open_model
from sotaque.models.local_library import library
from sotaque.models.model import BatchModel
from sotaque.models.prepare import local_folder
from sotaque.records import Ability, Choose, Reply

ROUNDS = 5
REPEATED_BELOW = 60
# Summed log-probabilities closer than this may change places between two correct ways to compute them.
MARGIN = 4e-4
OTHER = Choose("Quem canta", (" seus males espanta", " e dança"))


@dataclass
class Measured:
    """One way to score. What takes under a minute is timed in every round, else a part of its requests in each."""

    score: Callable[[Sequence[Choose]], Scores]
    requests: Sequence[Choose]
    before: Callable[[], object] = lambda: None
    seconds: list[float] = field(default_factory=list)
    scores: Scores = field(default_factory=list)
    whole: bool = True

    def warm_up(self) -> None:
        """Loads what is loaded late, and tells from a few requests whether all of them take over a minute."""
        self.score(self.requests[:1])
        few = self.requests[: max(1, len(self.requests) // (2 * ROUNDS))]
        started = time.perf_counter()
        self.score(few)
        self.whole = (time.perf_counter() - started) * len(self.requests) / len(few) < REPEATED_BELOW

    def run(self, number: int) -> None:
        part = self.requests if self.whole else self.requests[number::ROUNDS]
        self.before()
        started = time.perf_counter()
        found = self.score(part)
        self.seconds.append(time.perf_counter() - started)
        if self.whole:
            self.scores = found
        else:
            self.scores += found

    @property
    def total(self) -> float:
        """Seconds for all requests."""
        return statistics.median(self.seconds) if self.whole else sum(self.seconds)

    @property
    def per_item(self) -> float:
        return self.total / len(self.requests)

    def by_request(self) -> dict[Choose, list[float]]:
        parts = [self.requests] if self.whole else [self.requests[number::ROUNDS] for number in range(ROUNDS)]
        return dict(zip([request for part in parts for request in part], self.scores, strict=True))


def main() -> None:
    given = arguments()
    if given.alone:
        ours(opened(), requests_of(given.alone))
        print(own_peak_mb())
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


def owned(model: BatchModel, requests: Sequence[Choose]) -> Measured:
    """Ours; before each round another question, so that nothing is kept from the round before."""
    return Measured(lambda batch: ours(model, batch), requests, lambda: ours(model, [OTHER]))


@dataclass(frozen=True)
class Parties:
    model: BatchModel
    plain: Plain
    peer: peer_lm_eval.Peer | None


# ---------------------------------------------------------------- measuring


def side_by_side(ways: Sequence[Measured]) -> float:
    """Round by round, so that whatever else the machine does meets all ways alike.

    Returns:
        the median rate of a matrix product, measured before each round.
    """
    for way in ways:
        way.warm_up()
    rates: list[float] = []
    for number in range(ROUNDS):
        rates.append(product_rate())
        for way in ways:
            way.run(number)
    return statistics.median(rates)


def peak_mb(shape: str) -> float:
    """Of a process that loads the model and scores this shape, and nothing else."""
    command = [sys.executable, __file__, "--alone", shape]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def own_peak_mb() -> float:
    """Of this process since its start. What Linux tells a parent counts the parent's own memory at the fork too."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    [line] = [line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


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
    own = owned(parties.model, requests)
    alone = Measured(parties.plain.scores, few)
    peers = [Measured(parties.peer.scores, few)] if parties.peer else []
    rate = side_by_side([own, alone, *peers])
    print(f"  {'':26}{'seconds':>9}  runs  {'per item':>10}  {'beside ours':>12}  largest difference from plain")
    for peer in peers:
        row(f"lm-eval {peer_lm_eval.VERSION}, batch 1", peer, own, gap(peer, alone))
    row("plain, one option at a time", alone, own)
    row("ours", own, own, gap(own, alone))
    operations = flops(work, parties.plain.net)
    floor = operations / rate
    how = f"{operations / 1e12:.2f} TFLOP at {rate / 1e9:.0f} GFLOP/s, measured in the same rounds"
    print(f"  {'floor':26}{floor:9.1f}  {how}")
    print(f"  ours takes {own.total / floor:.2f} times the floor; {agreement(own, alone)}")


def row(name: str, way: Measured, own: Measured, difference: float | None = None) -> None:
    times = way.per_item / own.per_item
    last = "" if difference is None else f"{difference:.1e}"
    runs = ROUNDS if way.whole else 1
    print(f"  {name:26}{way.total:9.1f}  {runs:4}  {way.per_item:8.3f} s  {times:11.1f}x  {last}")


def _pairs(way: Measured, plain: Measured) -> list[tuple[list[float], list[float]]]:
    found = way.by_request()
    return [(found[request], other) for request, other in plain.by_request().items()]


def gap(way: Measured, plain: Measured) -> float:
    """The largest difference in any option's log-probability."""
    return max(abs(one - other) for row in _pairs(way, plain) for one, other in zip(*row, strict=True))


def agreement(way: Measured, plain: Measured) -> str:
    """On how many items both choose the same option, of those whose two best options are clearly apart."""
    clear = [(mine, other) for mine, other in _pairs(way, plain) if max(other) - sorted(other)[-2] > MARGIN]
    same = sum(mine.index(max(mine)) == other.index(max(other)) for mine, other in clear)
    return f"the same choice as plain on {same} of the {len(clear)} items with a margin over {MARGIN:.0e}"


def growth(parties: Parties) -> None:
    """What more options of the same question cost."""
    print("\nthe same question with more options")
    print("  options  per-option tokens  distinct tokens  ours, seconds  plain, seconds")
    for count in (5, 10):
        requests = with_options(count)
        work = work_of(parties.plain.cuts(requests))
        own, alone = owned(parties.model, requests), Measured(parties.plain.scores, requests)
        side_by_side([own, alone])
        print(f"  {count:7}  {work.per_option:17,}  {work.distinct:15,}  {own.total:13.2f}  {alone.total:14.2f}")


if __name__ == "__main__":
    main()
