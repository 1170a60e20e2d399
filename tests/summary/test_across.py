"""Averages over tasks and twins against each other, from scored samples."""

import pytest

from scored_samples import sample
from sotaque.records import Metric, Outcome
from sotaque.stats.intervals import mean
from sotaque.summary import TaskFacts, summarise
from sotaque.summary.results import AverageFacts


def facts(mode="generate", *, twin="", source="f", shots=0, metric=Metric.ACCURACY, **more):
    return TaskFacts(mode=mode, metrics=(metric,), source=source, twin=twin, shots=shots, **more)


def rows(task, right, n=40, **given):
    """The first ``right`` of n items are right."""
    return [
        sample(i, Outcome.CORRECT if i < right else Outcome.WRONG, task=task, cluster=str(i), **given) for i in range(n)
    ]


BOTH = {"x": AverageFacts("the two", ("a", "b"), "Gen")}


def test_an_average_is_the_plain_mean_whatever_the_tasks_sizes():
    tasks = {"a": facts(), "b": facts(source="g")}
    made = summarise(rows("a", 10) + rows("b", 80, n=80), tasks, BOTH).averages["x"]
    assert (made.estimate.value, made.group, made.of) == (pytest.approx((0.25 + 1) / 2), "Gen", ("a", "b"))
    assert (made.estimate.n, made.estimate.clusters) == (120, 120)


def test_tasks_on_the_same_items_are_not_taken_for_independent_ones():
    """Equal scores on shared items: the mean is as uncertain as one of them; on others it is surer by root two."""
    samples = rows("a", 16) + rows("b", 16)
    shared = summarise(samples, {"a": facts(), "b": facts()}, BOTH).averages["x"].estimate
    apart = summarise(samples, {"a": facts(), "b": facts(source="g")}, BOTH).averages["x"].estimate
    assert (shared.clusters, apart.clusters) == (40, 80)
    assert (shared.high - shared.low) / (apart.high - apart.low) == pytest.approx(2**0.5, rel=0.1)


def test_clusters_are_shared_by_tasks_that_name_them_alike():
    samples = [
        sample(f"{task}{i}", Outcome.CORRECT if i % 3 else Outcome.WRONG, task=task, cluster=f"ditado {i // 3}")
        for task in "ab"
        for i in range(60)
    ]
    alike = {"a": facts(cluster="proverb"), "b": facts(cluster="proverb", source="g")}
    assert summarise(samples, alike, BOTH).averages["x"].estimate.clusters == 20
    otherwise = {"a": facts(cluster="proverb"), "b": facts(cluster="word", source="g")}
    assert summarise(samples, otherwise, BOTH).averages["x"].estimate.clusters == 40


def test_an_average_of_averages_weighs_each_part_alike():
    tasks = {name: facts(source=name) for name in "abc"}
    averages = {"ab": AverageFacts("?", ("a", "b")), "all": AverageFacts("?", ("ab", "c"))}
    made = summarise(rows("a", 40) + rows("b", 0) + rows("c", 10), tasks, averages).averages
    assert made["all"].estimate.value == pytest.approx((0.5 + 0.25) / 2)


def test_an_average_with_a_part_that_has_no_score_is_not_shown():
    waiting = [sample(i, Outcome.AWAITING, task="b") for i in range(3)]
    tasks = {"a": facts(), "b": facts("judge", metric=Metric.JUDGE_SCORE)}
    assert summarise(rows("a", 10) + waiting, tasks, BOTH).averages == {}
    assert summarise(rows("a", 10), {"a": facts()}, BOTH).averages == {}


def test_twins_are_paired_by_item_and_only_where_both_have_a_score():
    """Right on 0-29 against 0-9 and 35-39; item 0 has no reply in one of them."""
    gen = [*rows("gen", 30)[1:], sample(0, Outcome.UNSCORED, task="gen")]
    prob = [
        sample(i, Outcome.CORRECT if i < 10 or i >= 35 else Outcome.WRONG, task="prob", cluster=str(i))
        for i in range(40)
    ]
    tasks = {"gen": facts(twin="prob", shots=5), "prob": facts("choose", twin="gen")}
    twins = summarise(gen + prob, tasks).twins
    assert twins is not None
    (pair,) = twins.pairs
    assert (pair.first, pair.second, pair.shots, twins.of, twins.mean) == (
        "gen",
        "prob",
        (5, 0),
        "mode and shots",
        None,
    )
    expected = mean([0.0] * 9 + [1.0] * 20 + [0.0] * 5 + [-1.0] * 5)
    assert (pair.difference.value, pair.difference.n) == (pytest.approx(15 / 39), 39)
    assert (pair.difference.low, pair.difference.high) == pytest.approx((expected.low, expected.high))


def test_pairs_of_equal_shots_differ_in_mode_alone_and_several_have_a_mean():
    tasks = {"g1": facts(twin="p1"), "p1": facts("choose", twin="g1"), "g2": facts(twin="p2"), "p2": facts("choose")}
    samples = rows("g1", 30) + rows("p1", 10) + rows("g2", 10) + rows("p2", 10)
    twins = summarise(samples, tasks).twins
    assert twins is not None
    assert ([pair.first for pair in twins.pairs], twins.of) == (["g1", "g2"], "mode")
    assert twins.mean is not None
    assert twins.mean.value == pytest.approx((0.5 + 0) / 2)
    assert twins.mean.low < 0.25 < twins.mean.high


def test_weighted_f1_needs_the_tied_options_and_counts_repeats_as_parts_of_an_item():
    f1 = facts("choose", metric=Metric.WEIGHTED_F1, classes=("sim", "não", "talvez"))
    values = {"weighted_f1": 0.5}
    tied = sample(0, Outcome.TIE, values=values, ties=2, task="a")
    tied = type(tied)(**{n: getattr(tied, n) for n in type(tied).__slots__} | {"score": _tie(tied.score, (0, 2))})
    once = sample(1, Outcome.CORRECT, values={"weighted_f1": 1.0}, task="a", repeat=0)
    again = sample(1, Outcome.INVALID, values={"weighted_f1": 0.0}, task="a", repeat=1)
    task = summarise([tied, once, again], {"a": f1}).tasks["a"]
    assert task.confusion == ((1.0, 0.0, 0.5, 0.5), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
    assert task.headline.value == pytest.approx(2 * 1.0 / (1.0 + 2.0))


def _tie(score, tied):
    return type(score)(score.outcome, None, "", score.values, score.ties, "", tied)
