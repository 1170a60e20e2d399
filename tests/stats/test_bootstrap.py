"""Weighted F1 as scikit-learn computes it, and intervals by resampling clusters."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from sotaque.stats.bootstrap import (
    METHOD,
    draw_jointly,
    estimate,
    mean_measure,
    mean_of,
    weighted_f1_measure,
)
from sotaque.stats.intervals import proportion


def f1(golds, predicted, classes, clusters=None):
    votes = [{} if each is None else {each: 1.0} for each in predicted]
    return weighted_f1_measure(golds, votes, classes, clusters or range(len(golds)))


def test_a_hand_computed_table():
    """Class 0: 2 right of 3, 1 false alarm: F1 2/3. Class 1: 1 of 2, 1 false alarm: F1 1/2. Weights 3/5 and 2/5."""
    assert f1([0, 0, 0, 1, 1], [0, 0, 1, 1, 0], 2).value == pytest.approx(3 / 5 * 2 / 3 + 2 / 5 * 1 / 2)


@pytest.mark.filterwarnings("ignore")
@given(
    st.integers(2, 5).flatmap(
        lambda c: st.tuples(
            st.just(c),
            st.lists(
                st.tuples(st.integers(0, c - 1), st.one_of(st.none(), st.integers(0, c - 1))), min_size=1, max_size=40
            ),
        )
    )
)
def test_it_is_scikit_learns_with_unreadable_replies_as_one_more_class(drawn):
    classes, pairs = drawn
    golds = [gold for gold, _ in pairs]
    predicted = [each for _, each in pairs]
    theirs = f1_score(golds, [classes if p is None else p for p in predicted], average="weighted", zero_division=0)
    assert f1(golds, predicted, classes).value == pytest.approx(theirs)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=30))
def test_ties_are_fractions_of_predictions(golds):
    """A tie over all of three classes is the mean of three guesses: as if each item stood there three times."""
    votes = [dict.fromkeys(range(3), 1 / 3)] * len(golds)
    tripled = [gold for gold in golds for _ in range(3)]
    theirs = f1_score(tripled, [0, 1, 2] * len(golds), average="weighted", zero_division=0)
    assert weighted_f1_measure(golds, votes, 3, range(len(golds))).value == pytest.approx(theirs)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(30)))
def test_the_order_of_items_changes_nothing(order):
    golds, predicted, clusters = [n % 3 for n in range(30)], [n % 4 % 3 for n in range(30)], [n // 2 for n in range(30)]
    credits = [float(g == p) for g, p in zip(golds, predicted, strict=True)]
    one = estimate(f1(golds, predicted, 3, clusters), credits)
    again = [[column[at] for at in order] for column in (golds, predicted, clusters, credits)]
    other = estimate(f1(again[0], again[1], 3, again[2]), again[3])
    assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high))


def test_the_interval_of_a_mean_is_close_to_the_one_that_theory_gives():
    rng = random.Random(1)
    values = [float(rng.random() < 0.4) for _ in range(600)]
    mark, theory = estimate(mean_measure(values, range(600)), values), proportion(values)
    assert mark.method == METHOD
    assert (mark.low, mark.high) == pytest.approx((theory.low, theory.high), abs=0.01)


def test_items_that_belong_together_widen_the_interval():
    """Three equal items per cluster are worth a third: the interval is wider by the root of three."""
    golds = [n // 3 % 2 for n in range(300)]
    predicted = [0 if n // 3 % 5 else 1 for n in range(300)]
    credits = [float(g == p) for g, p in zip(golds, predicted, strict=True)]
    alone = estimate(f1(golds, predicted, 2), credits)
    together = estimate(f1(golds, predicted, 2, [n // 3 for n in range(300)]), credits)
    assert (together.n, together.clusters) == (300, 100)
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(math.sqrt(3), rel=0.1)


def test_the_interval_covers_the_true_value_about_as_often_as_it_says():
    """A model that is right on 70 % and else guesses the other class; 300 experiments of 120 items, 95 % +- 4 %."""
    truth = f1([0] * 70 + [0] * 30 + [1] * 70 + [1] * 30, [0] * 70 + [1] * 30 + [1] * 70 + [0] * 30, 2).value
    rng, hits = random.Random(7), 0
    for _ in range(300):
        golds = [rng.randrange(2) for _ in range(120)]
        predicted = [gold if rng.random() < 0.7 else 1 - gold for gold in golds]
        mark = estimate(f1(golds, predicted, 2), [float(g == p) for g, p in zip(golds, predicted, strict=True)])
        hits += mark.low <= truth <= mark.high
    assert 0.91 <= hits / 300 <= 0.99


def test_all_right_has_the_interval_of_a_proportion_not_a_point():
    mark = estimate(f1([0, 1] * 20, [0, 1] * 20, 2), [1.0] * 40)
    assert (mark.value, mark.high) == (1.0, 1.0)
    assert mark.low == pytest.approx(proportion([1.0] * 40).low)


def test_no_items_and_a_single_cluster():
    assert estimate(f1([], [], 2), []).value is None
    single = estimate(f1([0, 1], [0, 0], 2, ["a", "a"]), [1.0, 0.0])
    assert (single.low, single.high, single.method) == (0.0, 1.0, "none")


def test_tasks_that_share_clusters_move_together_and_others_do_not():
    values = [float(n % 3 == 0) for n in range(90)]
    shared = {"a": mean_measure(values, range(90)), "b": mean_measure([1 - v for v in values], range(90))}
    draws = draw_jointly(shared)
    assert np.corrcoef(draws["a"], draws["b"])[0, 1] == pytest.approx(-1)
    apart = {"a": shared["a"], "b": mean_measure(values, range(90, 180))}
    draws = draw_jointly(apart)
    assert abs(np.corrcoef(draws["a"], draws["b"])[0, 1]) < 0.1


def test_a_mean_of_tasks_that_cancel_out_has_no_spread_and_says_so():
    values = [float(n % 3 == 0) for n in range(90)]
    measures = {"a": mean_measure(values, range(90)), "b": mean_measure([1 - v for v in values], range(90))}
    mark = mean_of(measures, {"a": np.full(9, 0.25), "b": np.full(9, 0.75)}, {"a": 0.5, "b": 0.5}, 0.5)
    assert (mark.value, mark.low, mark.high) == (0.5, None, None)
    assert "alike" in mark.warnings[0]


def test_the_mean_of_independent_tasks_is_narrower_than_each():
    values = [float(n % 2) for n in range(200)]
    measures = {name: mean_measure(values, [(name, n) for n in range(200)]) for name in "abcd"}
    draws = draw_jointly(measures)
    mark = mean_of(measures, draws, dict.fromkeys(measures, 0.25), 0.5)
    one = estimate(measures["a"], values)
    assert (mark.high - mark.low) / (one.high - one.low) == pytest.approx(0.5, rel=0.1)
    assert (mark.n, mark.clusters) == (800, 800)


def test_ten_thousand_items_and_resamples_are_a_matter_of_matrices():
    """FIELD_FAULTS 27: the metric is never computed once per resample in Python."""
    calls = 0

    def counted(sums):
        nonlocal calls
        calls += 1
        return sums[:, 0] / sums[:, 1]

    made = mean_measure([float(n % 2) for n in range(10_000)], range(10_000))
    made = type(made)(made.rows, counted, made.clusters)
    estimate(made, [0.0, 1.0], resamples=10_000)
    assert calls == 2
