"""Numbers over several tasks of a run: the averages that a suite's authors report, and twins against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING

from sotaque.stats.intervals import Estimate, mean
from sotaque.summary.credits import Credits, measure_of
from sotaque.summary.results import AverageFacts, AverageSummary, TaskFacts, TwinsSummary, TwinSummary

if TYPE_CHECKING:
    from sotaque.stats.bootstrap import Measure


@dataclass(frozen=True, slots=True)
class Headline:
    """A task's headline, and the items it was made from."""

    facts: TaskFacts
    estimate: Estimate
    credits: Credits


Headlines = Mapping[str, Headline]


def averages_of(headlines: Headlines, averages: Mapping[str, AverageFacts]) -> dict[str, AverageSummary]:
    """Every average whose parts all have a score; clusters are resampled jointly over the tasks that share them."""
    scored = {name: each for name, each in headlines.items() if each.estimate.value is not None}
    every = {name: _weights(name, averages, 1.0) for name in averages}
    wanted = {name: weights for name, weights in every.items() if weights.keys() <= scored.keys()}
    if not wanted:
        return {}
    from sotaque.stats import bootstrap

    used = dict.fromkeys(task for parts in wanted.values() for task in parts)
    measures = {task: _measure(scored[task]) for task in used}
    draws = bootstrap.draw_jointly(measures)
    found: dict[str, AverageSummary] = {}
    for name, weights in wanted.items():
        value = fsum(weight * (scored[task].estimate.value or 0.0) for task, weight in weights.items())
        estimate = bootstrap.mean_of(measures, draws, weights, value)
        found[name] = AverageSummary(averages[name].about, averages[name].group, averages[name].of, estimate)
    return found


def twins_of(headlines: Headlines) -> TwinsSummary | None:
    """All pairs of twins that were both run and scored."""
    pairs = list(_pairs(headlines))
    credits = {first: _differences(headlines[first].credits, headlines[second].credits) for first, second in pairs}
    pairs = [(first, second) for first, second in pairs if credits[first].items]
    if not pairs:
        return None
    found = tuple(
        TwinSummary(
            first,
            second,
            (headlines[first].facts.shots, headlines[second].facts.shots),
            _within_reach(mean(credits[first].values, credits[first].clusters)),
        )
        for first, second in pairs
    )
    alike = all(one == other for one, other in (pair.shots for pair in found))
    overall = _mean_difference({first: credits[first] for first, _ in pairs}) if len(pairs) > 1 else None
    return TwinsSummary("mode" if alike else "mode and shots", found, overall)


def _weights(name: str, averages: Mapping[str, AverageFacts], share: float) -> dict[str, float]:
    """The weight of each task in an average of tasks and averages."""
    found: dict[str, float] = {}
    parts = averages[name].of
    for part in parts:
        each = share / len(parts)
        inner = _weights(part, averages, each) if part in averages else {part: each}
        for task, weight in inner.items():
            found[task] = found.get(task, 0.0) + weight
    return found


def _measure(headline: Headline) -> Measure:
    return measure_of(headline.credits, headline.facts.metrics[0], headline.facts)


def _pairs(headlines: Headlines) -> Iterator[tuple[str, str]]:
    """(the task that generates, the task that chooses), each pair once."""
    for name, headline in headlines.items():
        twin = headline.facts.twin
        if headline.facts.mode == "generate" and twin in headlines:
            yield name, twin


def _differences(first: Credits, second: Credits) -> Credits:
    """Credit in the first minus credit in the second, of the items that both scored."""
    others = dict(zip(second.items, second.values, strict=True))
    ours = zip(first.items, first.values, first.clusters, strict=True)
    both = [(item, value - others[item], cluster) for item, value, cluster in ours if item in others]
    items, values, clusters = zip(*both, strict=True) if both else ((), (), ())
    return Credits(items, values, clusters)


def _within_reach(difference: Estimate) -> Estimate:
    """A difference of two shares lies between -1 and 1, whatever t says of two items."""
    if difference.low is None or difference.high is None:
        return difference
    return replace(difference, low=max(-1.0, difference.low), high=min(1.0, difference.high))


def _mean_difference(credits: Mapping[str, Credits]) -> Estimate:
    from sotaque.stats import bootstrap

    measures = {name: bootstrap.mean_measure(each.values, each.clusters) for name, each in credits.items()}
    value = fsum(measure.value for measure in measures.values()) / len(measures)
    weights = dict.fromkeys(measures, 1 / len(measures))
    return bootstrap.mean_of(measures, bootstrap.draw_jointly(measures), weights, value)
