"""Intervals against published and library values, and what must hold for any credits."""

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.stats.intervals import (
    Z95,
    clustered_error,
    design_effect,
    exact,
    mean,
    naive_error,
    no_items,
    proportion,
    t95,
    wilson,
)

MILLER = [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
IN_THREES = [index // 3 for index in range(12)]


def test_millers_example():
    assert sum(MILLER) / 12 == pytest.approx(0.6667, abs=5e-5)
    assert naive_error(MILLER) == pytest.approx(0.14213, abs=5e-6)
    assert clustered_error(MILLER, IN_THREES) == pytest.approx(0.13608, abs=5e-6)


def test_clusters_of_one_give_the_naive_error():
    assert clustered_error(MILLER, range(12)) == pytest.approx(naive_error(MILLER), rel=1e-12)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(943, 1000, 0.9269, 0.9557), (903.5, 1000, 0.884, 0.920), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)],
)
def test_wilson_interval(right, n, low, high):
    assert wilson(right / n, n) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))


def test_proportion_of_independent_items_is_plain_wilson():
    estimate = proportion([1] * 943 + [0] * 57)
    assert (estimate.low, estimate.high) == wilson(0.943, 1000)
    assert (estimate.value, estimate.n, estimate.clusters, estimate.deff) == (0.943, 1000, 1000, 1.0)
    assert estimate.method == "Wilson"
    assert estimate.warnings == ()


def test_kish_design_effect_of_threes_with_intraclass_correlation_of_three_tenths():
    """190 : 210 uniform to mixed clusters make the mean product of two residuals exactly .3 of the variance."""
    triples = [(0, 0, 0)] * 190 + [(1, 1, 1)] * 190 + [(1, 1, 0)] * 210 + [(1, 0, 0)] * 210
    values = [value for triple in triples for value in triple]
    clusters = [index // 3 for index in range(len(values))]
    deff = design_effect(values, clusters)
    assert deff == pytest.approx(1.6, abs=2e-3)
    assert round(579 / deff) in (361, 362)
    estimate = proportion(values, clusters)
    assert (estimate.low, estimate.high) == wilson(0.5, 2400 / deff, t95(799))


def test_clustered_interval_is_wider_than_the_plain_one():
    values = [float(index // 3 % 2) for index in range(90)]
    plain, clustered = proportion(values), proportion(values, [index // 3 for index in range(90)])
    assert clustered.deff == pytest.approx(3.0, rel=0.05)
    assert clustered.high - clustered.low > 1.6 * (plain.high - plain.low)


def test_negatively_correlated_clusters_never_narrow_the_interval():
    values = [float(index % 2) for index in range(100)]
    estimate = proportion(values, [index // 2 for index in range(100)])
    assert estimate.deff == 1.0


def test_t_quantiles_come_from_the_table():
    assert t95(3) == pytest.approx(3.182446, abs=1e-6)
    assert t95(10**9) == pytest.approx(Z95, abs=1e-6)


def test_mean_has_a_t_interval_on_the_clustered_error():
    estimate = mean(MILLER, IN_THREES)
    half = t95(3) * clustered_error(MILLER, IN_THREES)
    assert estimate.low == pytest.approx(2 / 3 - half)
    assert estimate.high == pytest.approx(2 / 3 + half)
    assert estimate.warnings == ("only 4 independent groups of items: the interval is rough",)


def test_mean_of_ratings_is_not_clipped_to_the_unit_interval():
    estimate = mean([1.0, 5.0, 4.0, 3.0] * 10)
    assert estimate.value == 3.25
    assert estimate.high > 3.25


def test_fractional_credits_of_ties_count_as_they_are():
    estimate = proportion([0.25] * 1000)
    assert estimate.value == 0.25
    assert (estimate.low, estimate.high) == wilson(0.25, 1000)


@pytest.mark.parametrize("measure", [proportion, mean])
def test_no_items_is_said_and_not_a_crash(measure):
    assert measure([]) == no_items()
    assert no_items().value is None
    assert no_items().warnings == ("no items",)


def test_identical_credits_count_one_item_per_cluster():
    """579 right answers on 193 proverbs do not show that the three stories of a proverb are independent."""
    estimate = proportion([1.0] * 579, [index // 3 for index in range(579)])
    assert estimate.deff == 3.0
    assert (estimate.low, estimate.high) == wilson(1.0, 193, t95(192))


@pytest.mark.parametrize(
    ("values", "clusters", "warning"),
    [
        ([1, 0, 1] * 4, None, "only 12 items: the interval is rough"),
        ([1, 0] * 19, [index // 2 for index in range(38)], "only 19 independent groups"),
        ([1] * 200, None, "close to 100 %"),
        ([0] * 197 + [1] * 3, None, "close to 0 %"),
        ([1, 0, 1], ["a", "a", "a"], "all 3 items belong to one group"),
    ],
)
def test_rough_intervals_are_called_rough(values, clusters, warning):
    assert any(warning in line for line in proportion(values, clusters).warnings)


def test_twenty_clusters_in_the_middle_need_no_warning():
    assert proportion([1, 0] * 20, [index // 2 for index in range(40)]).warnings == ()


@pytest.mark.parametrize("bad", [[1.1], [-0.1], [float("nan")]])
def test_credits_outside_the_unit_interval_are_refused(bad):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        proportion(bad)


def test_mean_refuses_what_is_not_a_number():
    with pytest.raises(ValueError, match="not a number"):
        mean([1.0, float("nan")])


def test_clusters_must_match_the_values():
    with pytest.raises(ValueError, match="2 values, but 1 clusters"):
        proportion([1, 0], ["a"])


def test_exact_values_have_no_width():
    assert (exact(0.25, 100).low, exact(0.25, 100).high) == (0.25, 0.25)


credits = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]) | st.floats(0, 1), st.integers(0, 9)), min_size=1
)


@given(credits)
def test_interval_holds_the_value_and_stays_in_bounds(rows):
    values, clusters = [row[0] for row in rows], [row[1] for row in rows]
    for estimate in (proportion(values), proportion(values, clusters)):
        assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0
        assert estimate.deff >= 1.0


@given(credits, st.randoms(use_true_random=False))
def test_order_of_items_changes_nothing(rows, rng: random.Random):
    mixed = rng.sample(rows, len(rows))
    assert proportion(*zip(*rows, strict=True)) == proportion(*zip(*mixed, strict=True))


@given(st.floats(0, 1), st.integers(2, 5000))
def test_more_items_narrow_the_interval(share, n):
    low, high = wilson(share, n)
    wider_low, wider_high = wilson(share, n / 2)
    assert high - low <= wider_high - wider_low + 1e-12


def test_unclustered_intervals_load_neither_numpy_nor_scipy():
    code = (
        "import sys; from sotaque.stats.intervals import proportion; import sotaque.summary; proportion([1, 0, 1]);"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
